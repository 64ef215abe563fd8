import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// How what an update asks about is dealt out to workers.
struct ValidationTurnsTests {
    private let hosts = ["a", "a", "b", "a", "b"]

    private func turns(_ items: [Int], limit: Int) -> ValidationTurns {
        ValidationTurns(items, limit: limit) { hosts[$0] }
    }

    @Test func `a worker gets the items of its host in order, then those of another`() {
        var turns = turns([3, 0, 2, 1, 4], limit: 1)
        var order: [Int] = []
        var host: Int?
        while let turn = turns.next(after: host) {
            order.append(turn.item)
            host = turn.host
        }
        #expect(order == [3, 0, 1, 2, 4])
    }

    @Test(arguments: [(1, 2), (2, 4), (3, 5), (9, 5)])
    func `no host gets more requests at once than allowed`(limit: Int, width: Int) {
        var turns = turns([0, 1, 2, 3, 4], limit: limit)
        #expect(turns.width == width)
        var count = 0
        while turns.next(after: nil) != nil { count += 1 }
        #expect(count == width)
    }

    @Test func `a finished item lets the next one of its host begin`() {
        var turns = turns([0, 1, 2], limit: 1)
        let first = turns.next(after: nil)
        #expect(first?.item == 0)
        #expect(turns.next(after: nil)?.item == 2)
        #expect(turns.next(after: nil) == nil)
        #expect(turns.next(after: first?.host)?.item == 1)
    }

    @Test func `nothing is handed out after a stop`() {
        var turns = turns([0, 1, 2], limit: 2)
        let first = turns.next(after: nil)
        turns.stop()
        #expect(turns.next(after: first?.host) == nil)
        #expect(turns.next(after: nil) == nil)
    }
}
