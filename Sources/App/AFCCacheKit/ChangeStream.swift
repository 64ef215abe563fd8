public import Foundation
internal import Synchronization

/// A change of what a cache has.
public enum CacheChange: Sendable, Equatable {
    /// What is stored for a URL has changed.
    case resource(URL)
    /// Anything may have changed: a package was installed or removed, or all responses were removed.
    case everything
}

/// The changes of a cache, for any number of readers.
final class ChangeStream: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<CacheChange>.Continuation] = [:]
        var last = 0
    }

    /// The number of changes that wait for a reader; older ones are dropped.
    private static let waitingLimit = 1024

    private let state = Mutex(State())

    /// Returns the changes from now on.
    func changes() -> AsyncStream<CacheChange> {
        let (stream, continuation) = AsyncStream<CacheChange>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.waitingLimit)
        )
        let number = state.withLock { state in
            state.last += 1
            state.readers[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Tells all readers of a change.
    ///
    /// - Parameter url: The URL; nil for any.
    func note(_ url: String?) {
        let readers = state.withLock { $0.readers.values.map(\.self) }
        guard !readers.isEmpty else { return }
        let change = url.flatMap { URL(string: $0) }.map { CacheChange.resource($0) } ?? .everything
        for reader in readers { reader.yield(change) }
    }

    /// Ends all readers.
    func end() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return state.readers.values.map(\.self)
        }
        for reader in readers { reader.finish() }
    }
}

extension AFCache {
    /// The changes of what is stored that this process makes, from now on.
    ///
    /// A reader that falls more than 1,024 changes behind misses the oldest. The sequence ends when the cache is closed.
    public var changes: AsyncStream<CacheChange> { changed.changes() }
}
