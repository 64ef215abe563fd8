public import Foundation
internal import Synchronization

extension AFCache {
    /// A change of what a cache has.
    public enum CacheChange: Sendable, Equatable {
        /// What is stored for a URL has changed.
        case resource(URL)
        /// Anything may have changed: a package was installed, removed or mounted, or all responses were removed.
        case everything
    }
}

extension AFCache {
    /// A change of the installed or mounted packages.
    public enum PackageChange: Sendable, Equatable {
        /// A package is new.
        case installed(CachedPackage)
        /// A package was replaced by another version.
        case updated(CachedPackage)
        /// A package was removed.
        case removed(name: String)
        /// A package's previous version has returned.
        case rolledBack(CachedPackage)
        /// A package is served from its file.
        case mounted(CachedPackage)
        /// A package is no longer served from its file.
        case unmounted(name: String)
    }
}

/// Values for any number of readers.
final class ChangeStream<Change: Sendable>: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<Change>.Continuation] = [:]
        var last = 0
    }

    /// The number of changes that wait for a reader; older ones are dropped.
    private static var waitingLimit: Int { 1024 }

    private let state = Mutex(State())

    /// Returns the changes from now on.
    func changes() -> AsyncStream<Change> {
        let (stream, continuation) = AsyncStream<Change>.makeStream(
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

    /// True if somebody reads.
    var isRead: Bool { state.withLock { !$0.readers.isEmpty } }

    /// Tells all readers of a change.
    func note(_ change: @autoclosure () -> Change) {
        let readers = state.withLock { $0.readers.values.map(\.self) }
        guard !readers.isEmpty else { return }
        let change = change()
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

    /// The changes of the installed and mounted packages that this process makes, from now on.
    ///
    /// A reader that falls more than 1,024 changes behind misses the oldest. The sequence ends when the cache is closed.
    public var packageChanges: AsyncStream<PackageChange> { packageChanged.changes() }
}

extension AFCache.CacheChange {
    /// Creates the change of a URL, or of anything.
    init(_ url: String?) { self = url.flatMap { URL(string: $0) }.map { .resource($0) } ?? .everything }
}
