internal import AFCURL
internal import Synchronization

/// Remembers what addresses become in a folder of files, since the pages of one folder repeat most of them.
///
/// It is for one map, and several threads may use it at once.
package final class AddressMemory: Sendable {
    /// What the meaning of a relative path depends on: the folders of the page and of its base, as crawled and as shown.
    struct Context: Hashable {
        var folders: [String]
        var encoding: TextEncoding
    }

    /// An address without its fragment.
    private struct Key: Hashable {
        var context: Int
        var address: AddressRewriting.Address
    }

    private struct State {
        /// The numbers of contexts; none is used twice, since a page may have one that is forgotten.
        var contexts: [Context: Int] = [:]
        var next = 0
        var known: [Key: String?] = [:]
    }

    /// The most addresses that are remembered.
    private static let limit = 50_000

    private let state = Mutex(State())

    /// Creates an empty memory.
    package init() {}

    /// Returns the number of a context.
    func number(of context: Context) -> Int {
        state.withLock { state in
            if let number = state.contexts[context] { return number }
            state.contexts[context] = state.next
            state.next += 1
            return state.next - 1
        }
    }

    /// Returns what an address becomes, where nil means that it stays; nil if that isn't known.
    func known(_ address: AddressRewriting.Address, in context: Int) -> String?? {
        state.withLock { $0.known[Key(context: context, address: address)] }
    }

    /// Notes what an address becomes.
    func note(_ new: String?, for address: AddressRewriting.Address, in context: Int) {
        state.withLock { state in
            if state.known.count >= Self.limit { (state.known, state.contexts) = ([:], [:]) }
            state.known[Key(context: context, address: address)] = .some(new)
        }
    }
}
