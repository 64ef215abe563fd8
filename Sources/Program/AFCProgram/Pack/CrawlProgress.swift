import AFCCrawlRules
import AFCPackager
import AFCText
internal import AFCURL
import Synchronization

/// The progress of a crawl.
///
/// Events only change numbers. The line is drawn five times a second, so that it also moves while nothing happens.
final class CrawlProgress: Sendable {
    private let line = Mutex(ProgressLine())
    private let started = ContinuousClock.now

    /// Takes one event; called from several tasks.
    func note(_ event: CrawlEvent) {
        if Console.level == .verbose, let detail = Self.detail(of: event) {
            Console.endProgress()
            Console.detail(detail)
        }
        guard Console.showsProgress else { return }
        let now = elapsed
        line.withLock { $0.note(event, at: now) }
    }

    /// Draws the line while the body runs, and removes it afterwards.
    func whileShown<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        guard Console.showsProgress else { return try await body() }
        defer { Console.endProgress() }
        async let _ = draw()
        return try await body()
    }

    private func draw() async {
        while !Task.isCancelled {
            let (now, width) = (elapsed, Console.width)
            Console.progress(line.withLock { $0.text(at: now, width: width) })
            do { try await Task.sleep(for: .milliseconds(200)) } catch { return }
        }
    }

    private static func detail(of event: CrawlEvent) -> String? {
        switch event {
        case .fetched(let url, let bytes): "fetched \(PrintableText.escaped(url.description)), \(Quantity.bytes(bytes))"
        case .redirected(let url, let status): "\(status) \(PrintableText.escaped(url.description))"
        case .retrying(let url, let failure, _):
            "retrying \(PrintableText.escaped(url.description)): \(PrintableText.escaped(failure.description))"
        case .started, .queue, .failed, .crawlDelay, .waiting, .rendering, .packing, .planned, .skipped, .ended: nil
        }
    }

    private var elapsed: Duration { started.duration(to: .now) }
}
