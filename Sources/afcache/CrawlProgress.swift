import Packager
import Synchronization

/// Shows a crawl on a terminal: how much is there, how much failed.
final class CrawlProgress: Sendable {
    private struct Counts {
        var fetched = 0
        var bytes: Int64 = 0
        var failed = 0
    }

    private let counts = Mutex(Counts())

    /// Takes one event; called from several tasks.
    func show(_ event: CrawlEvent) {
        guard Console.showsProgress else { return }
        let line: String? = counts.withLock { counts in
            switch event {
            case .fetched(_, let bytes):
                counts.fetched += 1
                counts.bytes += bytes
            case .failed: counts.failed += 1
            default: return nil
            }
            guard counts.fetched % 16 == 0 || counts.failed > 0 else { return nil }
            let failures = counts.failed > 0 ? ", \(counts.failed) failed" : ""
            return "\(Size.count(counts.fetched, "resource")), \(Size.text(counts.bytes))\(failures)"
        }
        if let line { Console.progress(line) }
    }
}
