import AFCCrawlRules
import AFCURL
import Testing

@testable import AFCProgram

struct ProgressLineTests {
    private func url(_ path: String = "") throws -> WebURL { try WebURL("http://d.example/" + path) }

    /// So many resources of so many bytes, evenly from one second to another.
    private func fetch(
        _ line: inout ProgressLine,
        _ count: Int,
        bytes: Int64 = 1000,
        from start: Double,
        to end: Double
    ) throws {
        for index in 1...count {
            let time = start + (end - start) * Double(index) / Double(count)
            line.note(.fetched(try url("\(index)"), bytes: bytes), at: .seconds(time))
        }
    }

    @Test func `no rates are shown during the first second`() throws {
        var line = ProgressLine()
        #expect(line.text(at: .zero, width: 80) == "0 resources, 0 B")
        try fetch(&line, 1, from: 0, to: 0.5)
        #expect(line.text(at: .seconds(0.5), width: 80) == "1 resource, 1.0 kB")
    }

    @Test func `rates are those of the last seconds, and fall while nothing comes`() throws {
        var line = ProgressLine()
        try fetch(&line, 100, from: 0, to: 10)
        try fetch(&line, 500, from: 10, to: 20)
        #expect(line.text(at: .seconds(20), width: 80) == "600 resources, 600 kB, 50/s, 50 kB/s")
        #expect(line.text(at: .seconds(25), width: 80) == "600 resources, 600 kB, 0.0/s, 0 B/s")
    }

    @Test func `the progress shows known and finished URLs, with failures and redirects`() throws {
        var line = ProgressLine()
        try fetch(&line, 2, from: 0, to: 0.2)
        line.note(.redirected(try url("r"), status: 301), at: .seconds(0.3))
        line.note(.failed(.init(url: try url("f"), reason: .timeout, referrer: nil)), at: .seconds(0.4))
        line.note(.retrying(try url("f"), .timeout, wait: .seconds(1)), at: .seconds(0.4))
        line.note(.queue(known: 10, waiting: 6), at: .seconds(0.5))
        #expect(line.text(at: .seconds(0.5), width: 80) == "4 of 10, 2.0 kB, 1 failed, 1 retry")
    }

    @Test func `the remaining time is shown when no new URLs are found`() throws {
        var line = ProgressLine()
        line.note(.queue(known: 1000, waiting: 1000), at: .seconds(1))
        try fetch(&line, 40, from: 1, to: 5)
        line.note(.queue(known: 1000, waiting: 960), at: .seconds(5))
        #expect(line.text(at: .seconds(5), width: 80) == "40 of 1000, 40 kB, 8.0/s, 8.0 kB/s")
        try fetch(&line, 60, from: 5, to: 11)
        line.note(.queue(known: 1000, waiting: 900), at: .seconds(11))
        #expect(line.text(at: .seconds(11), width: 80) == "100 of 1000, 100 kB, 10/s, 10 kB/s, 1:30 left")
    }

    @Test func `the awaited host is named until something arrives`() throws {
        var line = ProgressLine()
        line.note(.waiting(host: "d.example", .seconds(10)), at: .zero)
        #expect(line.text(at: .milliseconds(500), width: 80) == "0 resources, 0 B, waiting 10 s for d.example")
        #expect(line.text(at: .seconds(10), width: 80) == "0 resources, 0 B, 0.0/s, 0 B/s")
        line.note(.waiting(host: "d.example", .seconds(10)), at: .seconds(10))
        try fetch(&line, 1, from: 10, to: 11)
        #expect(!line.text(at: .seconds(11), width: 80).contains("waiting"))
    }

    @Test(
        arguments: [
            (80, "601 of 9000, 600 kB, 60/s, 60 kB/s, 1 failed, 1 retry, 2:20 left"),
            (64, "601 of 9000, 600 kB, 60/s, 60 kB/s, 1 failed, 2:20 left"),
            (50, "601 of 9000, 600 kB, 60/s, 1 failed, 2:20 left"), (41, "601 of 9000, 600 kB, 1 failed, 2:20 left"),
            (36, "601 of 9000, 1 failed, 2:20 left"), (32, "601 of 9000, 1 failed"), (12, "601 of 9000"), (5, "601 "),
            (1, ""), (0, ""),
        ] as [(Int, String)]
    ) func `what doesn't fit is omitted, the least important first`(width: Int, expected: String) throws {
        var line = ProgressLine()
        line.note(.retrying(try url("f"), .timeout, wait: .seconds(1)), at: .zero)
        line.note(.queue(known: 9000, waiting: 9000), at: .zero)
        try fetch(&line, 600, from: 0, to: 10)
        line.note(.queue(known: 9000, waiting: 8400), at: .seconds(10))
        line.note(.failed(.init(url: try url("f"), reason: .timeout, referrer: nil)), at: .seconds(10))
        let text = line.text(at: .seconds(10), width: width)
        #expect(text == expected)
        #expect(text.count < max(1, width))
    }

    @Test func `packing is a percentage`() throws {
        var line = ProgressLine()
        try fetch(&line, 3, from: 0, to: 1)
        line.note(.packing(done: 0, of: 3), at: .seconds(1))
        #expect(line.text(at: .seconds(1), width: 80) == "packing: 0 % of 3 resources")
        line.note(.packing(done: 2, of: 3), at: .seconds(2))
        #expect(line.text(at: .seconds(2), width: 80) == "packing: 66 % of 3 resources")
        line.note(.packing(done: 0, of: 0), at: .seconds(3))
        #expect(line.text(at: .seconds(3), width: 10) == "packing: ")
    }

    @Test func `progress before an interruption counts, but not as speed`() throws {
        var line = ProgressLine()
        line.note(.started(resources: 5000, bytes: 9_000_000), at: .zero)
        try fetch(&line, 20, bytes: 0, from: 0, to: 2)
        #expect(line.text(at: .seconds(2), width: 80) == "5020 resources, 9.0 MB, 10/s, 0 B/s")
        line.note(.queue(known: 6000, waiting: 900), at: .seconds(2))
        #expect(line.text(at: .seconds(2), width: 80) == "5100 of 6000, 9.0 MB, 10/s, 0 B/s")
    }

    @Test func `nothing of a hostile name reaches the terminal`() {
        var line = ProgressLine()
        line.note(.waiting(host: "a\u{1B}[2J\u{202E}\r\n" + String(repeating: "x", count: 100), .seconds(9)), at: .zero)
        let text = line.text(at: .zero, width: 200)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E || $0.value == 0x7F })
        #expect(text.count < 80)
    }

    @Test func `without a terminal, a line a minute is due`() {
        var pace = ProgressPace()
        let due = stride(from: 0, through: 240, by: 25).filter { pace.isDue(at: .seconds($0)) }
        #expect(due == [75, 150, 225])
    }
}
