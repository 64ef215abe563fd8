import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct HostGateTests {
    private func gate(_ change: (inout Politeness) -> Void = { _ in }) -> HostGate {
        var politeness = Politeness()
        change(&politeness)
        return HostGate(politeness)
    }

    @Test func `hosts take turns, and none gets more requests at once than allowed`() {
        var gate = gate { $0.connectionsPerHost = 2 }
        for (item, host) in ["a", "a", "a", "b"].enumerated() { gate.enqueue(item, host: host) }
        #expect(gate.next(at: .zero) == .start(0))
        #expect(gate.next(at: .zero) == .start(3))
        #expect(gate.next(at: .zero) == .start(1))
        #expect(gate.next(at: .zero) == .busy)
        #expect((gate.waiting, gate.running) == (1, 3))
        gate.finish(host: "a", at: .zero, .fine)
        #expect(gate.next(at: .zero) == .start(2))
        for host in ["a", "a", "b"] { gate.finish(host: host, at: .zero, .fine) }
        #expect(gate.next(at: .zero) == .idle)
        #expect(gate.hostCount == 0)
    }

    @Test func `no more requests run at once than the total`() {
        var gate = gate { $0.connections = 1 }
        gate.enqueue(0, host: "a")
        gate.enqueue(1, host: "b")
        #expect(gate.next(at: .zero) == .start(0))
        #expect(gate.next(at: .zero) == .busy)
        gate.finish(host: "a", at: .zero, .fine)
        #expect(gate.next(at: .zero) == .start(1))
    }

    @Test func `a host with a Crawl-delay gets one request at a time, with the delay between them`() {
        var gate = gate()
        gate.setDelay(.seconds(2), for: "a")
        for (item, host) in ["a", "a", "b"].enumerated() { gate.enqueue(item, host: host) }
        #expect(gate.next(at: .zero) == .start(0))
        #expect(gate.next(at: .zero) == .start(2))
        #expect(gate.next(at: .seconds(3)) == .busy)
        gate.finish(host: "a", at: .seconds(1), .fine)
        #expect(gate.next(at: .seconds(1)) == .wait(until: .seconds(2)))
        #expect(gate.next(at: .seconds(2)) == .start(1))
        gate.finish(host: "a", at: .seconds(3), .fine)
        // Also where nothing waited in between.
        gate.enqueue(3, host: "a")
        #expect(gate.next(at: .seconds(3)) == .wait(until: .seconds(4)))
    }

    @Test func `a Crawl-delay that is learned late counts from the last start, up to the maximum`() {
        var gate = gate { $0.longestCrawlDelay = .seconds(5) }
        gate.enqueue(0, host: "a")
        gate.enqueue(1, host: "a")
        #expect(gate.next(at: .seconds(1)) == .start(0))
        gate.setDelay(.seconds(3600), for: "a")
        #expect(gate.limit(of: "a") == 1)
        gate.finish(host: "a", at: .seconds(2), .fine)
        #expect(gate.next(at: .seconds(2)) == .wait(until: .seconds(6)))
        #expect(gate.next(at: .seconds(6)) == .start(1))
    }

    @Test func `the longer of the user's and the host's delay counts`() {
        for (own, asked, expected) in [(2, 1, 2), (1, 2, 2), (1, 0, 1)] {
            var gate = gate { $0.delay = .seconds(own) }
            gate.setDelay(.seconds(asked), for: "a")
            gate.enqueue(0, host: "a")
            gate.enqueue(1, host: "a")
            #expect(gate.next(at: .zero) == .start(0))
            gate.finish(host: "a", at: .zero, .fine)
            #expect(gate.next(at: .zero) == .wait(until: .seconds(expected)))
        }
    }

    @Test func `a retry comes first once its time has come`() {
        var gate = gate { $0.connectionsPerHost = 1 }
        for item in 0..<3 { gate.enqueue(item, host: "a") }
        #expect(gate.next(at: .zero) == .start(0))
        gate.retry(0, host: "a", notBefore: .seconds(1))
        gate.finish(host: "a", at: .zero, .failed)
        #expect(gate.waiting == 3)
        #expect(gate.next(at: .zero) == .start(1))
        gate.finish(host: "a", at: .seconds(1), .fine)
        #expect(gate.next(at: .seconds(1)) == .start(0))
        gate.finish(host: "a", at: .seconds(1), .fine)
        #expect(gate.next(at: .seconds(1)) == .start(2))
        gate.finish(host: "a", at: .seconds(1), .fine)
        gate.retry(2, host: "a", notBefore: .seconds(9))
        #expect(gate.next(at: .seconds(1)) == .wait(until: .seconds(9)))
        #expect(gate.next(at: .seconds(9)) == .start(2))
    }

    // MARK: Backoff

    /// Runs one request after the other with these answers, and gives when each started.
    private func starts(
        _ answers: [HostGate.Feedback],
        _ change: (inout Politeness) -> Void = { _ in }
    ) -> [Duration] {
        var gate = gate(change)
        var now = Duration.zero
        var starts: [Duration] = []
        for (item, answer) in answers.enumerated() {
            gate.enqueue(item, host: "a")
            while true {
                switch gate.next(at: now) {
                case .start:
                    starts.append(now)
                    gate.finish(host: "a", at: now, answer)
                case .wait(let time):
                    now = time
                    continue
                case .busy, .idle: return starts
                }
                break
            }
        }
        return starts
    }

    @Test func `pauses double up to the longest`() {
        let starts = starts(Array(repeating: .throttled(retryAfter: nil), count: 9))
        #expect(starts == [0, 1, 3, 7, 15, 31, 63, 123, 183].map { .seconds($0) })
    }

    @Test func `Retry-After overrides the pause, from the first pause to its limit`() {
        let asked: [Duration?] = [.seconds(10), .zero, .seconds(-5), .seconds(86_400)]
        let starts = starts(asked.map { .throttled(retryAfter: $0) } + [.fine])
        #expect(starts == [0, 10, 11, 12, 312].map { .seconds($0) })
    }

    @Test func `a burst of refusals counts once`() {
        var gate = gate()
        for item in 0..<20 { gate.enqueue(item, host: "a") }
        for item in 0..<8 { #expect(gate.next(at: .zero) == .start(item)) }
        for _ in 0..<7 { gate.finish(host: "a", at: .zero, .throttled(retryAfter: nil)) }
        #expect(gate.limit(of: "a") == 4)
        #expect(gate.next(at: .zero) == .wait(until: .seconds(1)))
        // One of the same burst knows better how long.
        gate.finish(host: "a", at: .zero, .throttled(retryAfter: .seconds(3)))
        #expect(gate.limit(of: "a") == 4)
        #expect(gate.next(at: .seconds(1)) == .wait(until: .seconds(3)))
        for item in 8..<12 { #expect(gate.next(at: .seconds(3)) == .start(item)) }
        #expect(gate.next(at: .seconds(3)) == .busy)
    }

    @Test func `a host that refuses again gets fewer requests, then slower ones, then gradually more`() {
        var gate = gate { $0.connectionsPerHost = 4 }
        var now = Duration.zero
        var item = 0
        func ask(_ feedback: HostGate.Feedback) {
            gate.enqueue(item, host: "a")
            item += 1
            while case .wait(let time) = gate.next(at: now) { now = time }
            gate.finish(host: "a", at: now, feedback)
        }
        ask(.throttled(retryAfter: nil))
        #expect(gate.limit(of: "a") == 2)
        ask(.throttled(retryAfter: nil))
        #expect(gate.limit(of: "a") == 1)
        ask(.throttled(retryAfter: nil))
        ask(.fine)
        let before = now
        ask(.fine)
        #expect(now - before == .milliseconds(100))
        // 16 fine answers a step: the distance first, then one more at once each time.
        for _ in 0..<14 { ask(.fine) }
        #expect(gate.limit(of: "a") == 1)
        for _ in 0..<16 { ask(.fine) }
        #expect(gate.limit(of: "a") == 2)
        for _ in 0..<32 { ask(.fine) }
        #expect(gate.limit(of: "a") == 4)
        let end = now
        ask(.fine)
        #expect(now == end)
    }

    @Test func `three failures in a row slow a host down, fewer don't`() {
        var gate = gate()
        for item in 0..<9 { gate.enqueue(item, host: "a") }
        for _ in 0..<8 { _ = gate.next(at: .zero) }
        for feedback in [HostGate.Feedback.failed, .failed, .fine, .failed, .failed] {
            gate.finish(host: "a", at: .zero, feedback)
        }
        #expect(gate.limit(of: "a") == 8)
        gate.finish(host: "a", at: .zero, .failed)
        #expect(gate.limit(of: "a") == 4)
        #expect(gate.next(at: .zero) == .wait(until: .seconds(1)))
    }

    @Test func `a host's refusals are remembered for a while`() {
        var gate = gate()
        gate.enqueue(0, host: "a")
        _ = gate.next(at: .zero)
        gate.finish(host: "a", at: .zero, .throttled(retryAfter: nil))
        #expect(gate.next(at: .seconds(599)) == .idle)
        #expect((gate.hostCount, gate.limit(of: "a")) == (1, 4))
        #expect(gate.next(at: .seconds(600)) == .idle)
        #expect((gate.hostCount, gate.limit(of: "a")) == (0, 8))
    }
}
