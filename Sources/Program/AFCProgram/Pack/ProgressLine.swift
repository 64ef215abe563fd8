import AFCCrawlRules
import AFCPackageFormat
import AFCText

/// The progress of a crawl in one line: a pure value that takes events with their time.
///
/// Rates are those of the last seconds. The time left is shown only while no new URLs are found.
struct ProgressLine {
    private struct Sample {
        var time: Duration
        var resources: Int
        var bytes: Int64
    }

    private var resources = 0
    private var bytes: Int64 = 0
    private var redirects = 0
    private var failures = 0
    private var retries = 0
    private var known = 0
    private var waiting = 0
    private var grewAt: Duration = .zero
    private var pause: (host: String, until: Duration)?
    private var packing: (done: Int, total: Int)?
    private var rendering: (done: Int, total: Int)?
    private var samples: [Sample] = [Sample(time: .zero, resources: 0, bytes: 0)]

    private static let window: Duration = .seconds(5)
    private static let step: Duration = .milliseconds(500)

    /// Takes an event.
    mutating func note(_ event: CrawlEvent, at now: Duration) {
        switch event {
        case .started(let resources, let bytes):
            (self.resources, self.bytes) = (resources, bytes)
            samples = [Sample(time: now, resources: resources, bytes: bytes)]
        case .fetched(_, let size):
            resources += 1
            bytes += size
            pause = nil
        case .redirected: redirects += 1
        case .failed: failures += 1
        case .retrying: retries += 1
        case .queue(let known, let waiting):
            if known > self.known { grewAt = now }
            (self.known, self.waiting) = (known, waiting)
        case .waiting(let host, let wait): pause = (host, now + wait)
        case .packing(let done, let total): packing = (done, total)
        case .rendering(let done, let total): rendering = done < total ? (done, total) : nil
        case .crawlDelay, .planned, .skipped, .ended: return
        }
        sample(at: now)
    }

    /// Returns the line.
    ///
    /// - Parameters:
    ///   - now: The time; rates fall while nothing arrives.
    ///   - width: The terminal's columns. The least important parts are left out if there is no room.
    /// - Returns: Printable text that is shorter than the width.
    func text(at now: Duration, width: Int) -> String {
        if let packing {
            let percent = packing.total > 0 ? min(100, packing.done * 100 / packing.total) : 100
            return String(
                "packing: \(percent) % of \(Quantity.count(packing.total, "resource"))".prefix(max(0, width - 1))
            )
        }
        if let rendering {
            return String("rendering: \(rendering.done) of \(rendering.total) pages".prefix(max(0, width - 1)))
        }
        var parts = parts(at: now)
        while Self.joined(parts).count >= width, parts.count > 1 {
            let least = parts.indices.max { parts[$0].rank < parts[$1].rank } ?? 0
            parts.remove(at: least)
        }
        return String(Self.joined(parts).prefix(max(0, width - 1)))
    }

    /// Returns the parts in the order of reading; those with the highest rank are left out first.
    private func parts(at now: Duration) -> [(text: String, rank: Int)] {
        // Failures before an interruption are known and done, although there is no event for them.
        let done = max(resources + redirects + failures, known - waiting)
        let rates = rates(at: now)
        var parts: [(text: String, rank: Int)] = []
        parts.append((known > done ? "\(done) of \(known)" : Quantity.count(resources, "resource"), 0))
        parts.append((Quantity.bytes(bytes), 3))
        if let rates {
            parts.append(("\(Self.rate(rates.resources))/s", 4))
            parts.append(("\(Quantity.bytes(Int64(rates.bytes)))/s", 6))
        }
        if failures > 0 { parts.append(("\(failures) failed", 1)) }
        if retries > 0 { parts.append((retries == 1 ? "1 retry" : "\(retries) retries", 7)) }
        if let pause, pause.until > now {
            let seconds = Self.roundedUp(pause.until - now)
            let host = PrintableText.escaped(pause.host)
            parts.append(("waiting \(seconds) s for \(host.count > 40 ? "…" + host.suffix(39) : host)", 5))
        }
        if let left = timeLeft(at: now, rate: rates?.resources ?? 0) { parts.append(("\(left) left", 2)) }
        return parts
    }

    private static func joined(_ parts: [(text: String, rank: Int)]) -> String {
        parts.map(\.text).joined(separator: ", ")
    }

    private func timeLeft(at now: Duration, rate: Double) -> String? {
        guard waiting > 0, rate > 0.01, now - grewAt >= Self.window else { return nil }
        let seconds = Int((Double(waiting) / rate).rounded(.up))
        let (minutes, rest) = (seconds / 60 % 60, seconds % 60)
        let hours = seconds >= 3600 ? "\(seconds / 3600):\(minutes < 10 ? "0" : "")" : ""
        return "\(hours)\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }

    // MARK: Rates

    private mutating func sample(at now: Duration) {
        if let last = samples.last, now - last.time < Self.step { return }
        samples.append(Sample(time: now, resources: resources + redirects + failures, bytes: bytes))
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }

    private func rates(at now: Duration) -> (resources: Double, bytes: Double)? {
        let reference = samples.last { now - $0.time >= Self.window } ?? samples.first
        guard let reference, now - reference.time >= .seconds(1) else { return nil }
        let seconds = (now - reference.time) / .seconds(1)
        let done = resources + redirects + failures
        return (Double(done - reference.resources) / seconds, Double(bytes - reference.bytes) / seconds)
    }

    private static func rate(_ rate: Double) -> String {
        let tenths = Int((rate * 10).rounded())
        return rate < 9.95 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(rate.rounded()))"
    }

    private static func roundedUp(_ duration: Duration) -> Int64 {
        duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
    }
}
