internal import AFCBlocking
internal import AFCCache
import AFCPlatform
internal import Synchronization

/// Notices changes of a cache, so that answers repeated from memory stay current.
///
/// Reading the cache's change number costs one `pread`. The number is only a hint, so as long as it is in use, a pool
/// thread also asks the cache itself once a second.
final class CacheWatch: Sendable {
    private let reader: ChangeReader
    private let cache: any OfflineAnswering
    private let checked = Atomic<Int>(0)
    private let last = Atomic<UInt64>(0)
    private let epoch = Atomic<UInt64>(1)

    /// Creates a watch; nil if the cache doesn't count its changes.
    init?(_ cache: any OfflineAnswering) {
        guard let reader = cache.openChangeReader() else { return nil }
        self.reader = reader
        self.cache = cache
        check()
    }

    /// A number that differs after each change.
    var value: UInt64 {
        let second = Self.second
        let before = checked.load(ordering: .relaxed)
        if before != second, checked.compareExchange(expected: before, desired: second, ordering: .relaxed).exchanged {
            Blocking.submit { [self] in check() }
        }
        return reader.value &+ epoch.load(ordering: .acquiring) << 48
    }

    /// Asks the cache; a cache that can't be read counts as changed, so that each request meets the error itself.
    private func check() {
        let now = (try? cache.changeMark()) ?? last.load(ordering: .relaxed) &+ 1
        if last.exchange(now, ordering: .relaxed) != now { epoch.add(1, ordering: .releasing) }
    }

    private static var second: Int {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #endif
        return Int(time.tv_sec)
    }
}
