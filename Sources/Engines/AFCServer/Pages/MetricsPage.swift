/// The statistics of a server in Prometheus' text format, version 0.0.4.
struct MetricsPage {
    /// The sum of all loops' counters.
    var counters: Counters
    /// The number of open connections.
    var openConnections: Int
    /// The bytes of answers that are kept in memory.
    var memoryBytes: Int

    /// Adds another loop's statistics.
    static func += (left: inout MetricsPage, right: MetricsPage) {
        left.counters += right.counters
        left.openConnections += right.openConnections
        left.memoryBytes += right.memoryBytes
    }

    /// The page as text.
    var text: String {
        var lines: [String] = []
        func metric(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            lines.append("# HELP afcache_\(name) \(help)")
            lines.append("# TYPE afcache_\(name) \(type)")
            lines += samples.map { "afcache_\(name)\($0.labels) \($0.value)" }
        }
        var answers: [(String, String)] = []
        for status in 1...5 {
            for verdict in Counters.Verdict.allCases {
                let count = counters.answers[status * Counters.Verdict.allCases.count + verdict.rawValue]
                if count > 0 { answers.append(("{class=\"\(status)xx\",cache=\"\(verdict)\"}", String(count))) }
            }
        }
        metric("answers_total", "counter", "Answers by status class and cache result.", answers)
        metric("incomplete_answers_total", "counter", "Answers that were cut off.", [("", String(counters.incomplete))])
        metric("memory_hits_total", "counter", "Answers repeated from memory.", [("", String(counters.memoryHits))])
        metric("memory_bytes", "gauge", "Bytes of answers kept in memory.", [("", String(memoryBytes))])
        metric(
            "body_bytes_total",
            "counter",
            "Bytes of response bodies handed to connections.",
            [("", String(counters.bodyBytes))]
        )
        metric("connections_total", "counter", "Connections accepted.", [("", String(counters.connections))])
        metric("connections", "gauge", "Open connections.", [("", String(openConnections))])
        lines += histogram
        return lines.joined(separator: "\n") + "\n"
    }

    private var histogram: [String] {
        let name = "afcache_answer_seconds"
        var lines = ["# HELP \(name) Time from a request's head to the end of its answer.", "# TYPE \(name) histogram"]
        var sum = 0
        for (bound, count) in zip(Counters.bounds, counters.times) {
            sum += count
            lines.append("\(name)_bucket{le=\"\(Self.seconds(bound))\"} \(sum)")
        }
        sum += counters.times.last ?? 0
        lines.append("\(name)_bucket{le=\"+Inf\"} \(sum)")
        lines.append("\(name)_sum \(Self.seconds(counters.microseconds))")
        lines.append("\(name)_count \(sum)")
        return lines
    }

    /// Formats microseconds as seconds in decimals, without rounding errors.
    private static func seconds(_ microseconds: Int64) -> String {
        let digits = String(microseconds % 1_000_000)
        var fraction = String(repeating: "0", count: 6 - digits.count) + digits
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return fraction.isEmpty ? String(microseconds / 1_000_000) : "\(microseconds / 1_000_000).\(fraction)"
    }
}
