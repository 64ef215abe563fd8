import AFCURL
import Testing

@testable import AFCCrawlRules

/// Each event in each status of a URL in the window.
@Suite struct LaneTests {
    private static let events: [(String, Lane.Event)] = [
        ("postpone", .postpone), ("enqueue", .enqueue), ("scout", .scout), ("start", .start), ("answer", .answer),
        ("recall", .recall), ("refuse", .refuse(.depth)),
    ]

    /// Events that lead to a status, and the status after each event; nil if it can't happen.
    static let table: [(Lane.Status, [Lane.Event], [Lane.Status?])] = [
        (.held, [], [.deferred, .queued, .scouted, nil, .done, nil, .refused(.depth)]),
        (.deferred, [.postpone], [.deferred, .queued, .scouted, nil, .done, nil, .refused(.depth)]),
        (.queued, [.enqueue], [nil, nil, nil, .running, nil, nil, .refused(.depth)]),
        (.running, [.enqueue, .start], [nil, .queued, nil, nil, .done, nil, .refused(.depth)]),
        (.scouted, [.scout], [nil, nil, nil, nil, .done, nil, .refused(.depth)]),
        (.done, [.answer], [nil, nil, nil, nil, nil, .recalling, nil]),
        (.recalling, [.answer, .recall], [nil, .queued, nil, nil, .done, nil, nil]),
        (.refused(.robots), [.refuse(.robots)], [nil, nil, nil, nil, nil, nil, nil]),
    ]

    @Test func `each event leads from each status to the expected one, and answers are counted`() throws {
        let found = FoundURL(try WebURL("http://docs.example/"), role: .link)
        let item = CrawlItem(found, id: 1, redirects: 0, chain: 0, referrer: nil)
        for (status, before, expected) in Self.table {
            for ((name, event), next) in zip(Self.events, expected) {
                var lane = Lane()
                let number = lane.window.append(Lane.Slot(item: item))
                for event in before { lane.apply(event, to: number) }
                #expect(lane.window[number]?.status == status)
                #expect(status.after(event) == next, "\(name) in \(status)")
                lane.apply(event, to: number)
                let after = next ?? status
                #expect(lane.window[number]?.status == after)
                #expect(lane.answered == (after == .done || after == .recalling ? 1 : 0), "\(name) in \(status)")
                _ = lane.popFirst()
                #expect(lane.answered == 0)
            }
        }
    }
}
