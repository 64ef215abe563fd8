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

    /// The most addresses and contexts that are remembered, and the most bytes of an address.
    private static let (limit, contextLimit, byteLimit) = (50_000, 1_000, 256)

    private let state = Mutex(State())

    /// Creates an empty memory.
    package init() {}

    /// Returns the number of a context; nil for one with long paths, for which nothing is remembered.
    func number(of context: Context) -> Int? {
        guard context.folders.allSatisfy({ $0.utf8.count <= 4 * Self.byteLimit }) else { return nil }
        return state.withLock { state in
            if let number = state.contexts[context] { return number }
            if state.contexts.count >= Self.contextLimit { (state.known, state.contexts) = ([:], [:]) }
            state.contexts[context] = state.next
            state.next += 1
            return state.next - 1
        }
    }

    /// Returns what an address becomes, where nil means that it stays; nil if that isn't known.
    func known(_ address: AddressRewriting.Address, in context: Int) -> String?? {
        state.withLock { $0.known[Key(context: context, address: address)] }
    }

    /// Notes what an address becomes, unless one of them is long.
    func note(_ new: String?, for address: AddressRewriting.Address, in context: Int) {
        guard address.text.utf8.count <= Self.byteLimit, new?.utf8.count ?? 0 <= Self.byteLimit else { return }
        state.withLock { state in
            if state.known.count >= Self.limit { (state.known, state.contexts) = ([:], [:]) }
            state.known[Key(context: context, address: address)] = .some(new)
        }
    }
}
