import AFCHTTP
import Foundation
import Testing

/// Every date of Fixtures/dates.json, with the answer of each parser.
struct DateTests {
    struct Case: Decodable, Sendable {
        var s: String
        var strict: String?
        var lenient: String?
        var why: String
    }

    struct Table: Decodable { var cases: [Case] }

    static func cases() throws -> [Case] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("Fixtures/dates.json"))
        return try JSONDecoder().decode(Table.self, from: data).cases
    }

    static let now = Timestamp(secondsSinceEpoch: 1_790_000_000)

    @Test func `headers are read strictly and manifests leniently`() throws {
        let cases = try Self.cases()
        #expect(cases.count > 30)
        for item in cases {
            #expect(HTTPDate.parse(item.s, now: Self.now)?.iso8601 == item.strict, "strict '\(item.s)': \(item.why)")
            #expect(LenientDate.parse(item.s)?.timestamp.iso8601 == item.lenient, "lenient '\(item.s)': \(item.why)")
        }
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `a time is written as IMF-fixdate and read back`(seconds: Int64, text: String) {
        let time = Timestamp(secondsSinceEpoch: seconds)
        #expect(HTTPDate.format(time) == text)
        #expect(HTTPDate.parse(text) == time)
    }

    @Test func `every day of 800 years is written and read back`() {
        var day = Timestamp(secondsSinceEpoch: -11_676_096_000)
        while day.secondsSinceEpoch < 13_569_465_600 {
            #expect(HTTPDate.parse(HTTPDate.format(day)) == day)
            day = day + 86400 * 7 + 3671
        }
    }

    @Test func `a wrong weekday is detected and ignored`() throws {
        let reading = try #require(LenientDate.parse("Mon, 06 Nov 1994 08:49:37 GMT"))
        #expect(reading.hasWrongWeekday)
        #expect(reading.timestamp.secondsSinceEpoch == 784_111_777)
    }
}
