import Testing

@testable import AFCOrigin

/// Each event in each phase of an exchange.
@Suite struct ExchangeLifeTests {
    enum Event: CaseIterable {
        case begin
        case end
        case take
        case send
        case fail
        case abandon
    }

    /// An exchange after events, and for each further event the action and the next phase.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var hasBody = true
        var isStream = false
        var events: [Event] = []
        var isRaw = false
        var isClosed = false
        /// In the order of ``Event``.
        var expected: [String]
        var testDescription: String { name }
    }

    private static func apply(_ event: Event, to life: inout ExchangeLife, hasBody: Bool) -> String {
        switch event {
        case .begin:
            do {
                try life.begin(2, hasBody: hasBody)
                return "keep"
            } catch {
                return "\(type(of: error))"
            }
        case .end: return "\(life.end(keepsConnection: true))"
        case .take: return "\(life.take())"
        case .send: return "\(life.send())"
        case .fail:
            life.fail()
            return "keep"
        case .abandon: return "\(life.abandon(1))"
        }
    }

    private static let free = ["keep receiving", "keep free", "keep free", "keep free", "keep free", "close free"]
    static let rows = [
        Row(name: "free", expected: free),
        Row(
            name: "free and closed",
            isClosed: true,
            expected: ["NotBegun free"] + free.dropFirst()
        ),
        Row(
            name: "free again",
            hasBody: false,
            events: [.begin, .end, .take],
            expected: free.dropLast() + ["keep free"]
        ),
        Row(
            name: "receiving",
            events: [.begin],
            expected: [
                "NotBegun receiving", "keep whole", "keep receiving", "keep receiving", "keep failed",
                "close receiving",
            ]
        ),
        Row(
            name: "receiving and sent",
            hasBody: false,
            events: [.begin],
            expected: [
                "NotBegun receiving", "keep whole", "keep receiving", "keep receiving", "keep failed",
                "close receiving",
            ]
        ),
        Row(
            name: "whole",
            events: [.begin, .end],
            expected: ["NotBegun whole", "keep whole", "keep taken", "keep whole", "keep whole", "close whole"]
        ),
        Row(
            name: "whole and sent",
            hasBody: false,
            events: [.begin, .end],
            expected: ["NotBegun whole", "keep whole", "free free", "keep whole", "keep whole", "free free"]
        ),
        Row(
            name: "whole, sent and closed",
            hasBody: false,
            events: [.begin, .end],
            isClosed: true,
            expected: ["NotBegun whole", "keep whole", "keep free", "keep whole", "keep whole", "keep free"]
        ),
        Row(
            name: "whole and raw",
            hasBody: false,
            events: [.begin, .end],
            isRaw: true,
            expected: ["NotBegun whole", "keep whole", "keep taken", "keep whole", "keep whole", "close whole"]
        ),
        Row(
            name: "whole stream",
            hasBody: false,
            isStream: true,
            events: [.begin, .end],
            expected: ["NotBegun whole", "keep whole", "keep free", "keep whole", "keep whole", "keep free"]
        ),
        Row(
            name: "taken",
            events: [.begin, .end, .take],
            expected: ["NotBegun taken", "keep taken", "keep taken", "close free", "keep taken", "close taken"]
        ),
        Row(
            name: "failed",
            events: [.begin, .fail],
            expected: ["NotBegun failed", "keep failed", "keep failed", "keep failed", "keep failed", "close failed"]
        ),
    ]

    @Test(arguments: rows) func `each event leads from each phase to the expected one`(row: Row) throws {
        for (event, expected) in zip(Event.allCases, row.expected) {
            var life = ExchangeLife(isStream: row.isStream)
            for event in row.events {
                if event == .begin {
                    try life.begin(1, hasBody: row.hasBody)
                } else {
                    _ = Self.apply(event, to: &life, hasBody: row.hasBody)
                }
            }
            if row.isRaw { life.becomeRaw() }
            if row.isClosed { life.close() }
            #expect("\(Self.apply(event, to: &life, hasBody: row.hasBody)) \(life.phase)" == expected, "\(event)")
        }
        #expect(row.expected.count == Event.allCases.count)
    }

    @Test func `an exchange that was abandoned before it begins never begins`() {
        var life = ExchangeLife(isStream: false)
        #expect(life.abandon(1) == .close)
        #expect(throws: CancellationError.self) { try life.begin(1, hasBody: false) }
        #expect(life.abandon(0) == .keep, "a late call doesn't affect the next exchange")
    }
}
