import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// Whole crawls on simulated time, with random answers that are the same each run.
struct HostGateSimulationTests {

    private struct Start { var item: Int; var host: Int; var time: Duration; var end: Duration }

    /// Runs items until nothing is left, each as long as the answer says.
    private func run(
        _ gate: inout HostGate,
        hosts: [Int],
        answer: (_ item: Int, _ now: Duration) -> (Duration, HostGate.Feedback)
    ) -> [Start] {
        var starts: [Start] = []
        var running = DueQueue<(host: Int, feedback: HostGate.Feedback)>()
        var now = Duration.zero
        for (item, host) in hosts.enumerated() { gate.enqueue(item, host: "h\(host)") }
        while true {
            while let done = running.pop(dueAt: now) { gate.finish(host: "h\(done.host)", at: now, done.feedback) }
            switch gate.next(at: now) {
            case .start(let item):
                let (length, feedback) = answer(item, now)
                starts.append(Start(item: item, host: hosts[item], time: now, end: now + length))
                running.insert((hosts[item], feedback), at: now + length)
            case .wait(let time): now = min(time, running.firstTime ?? time)
            case .busy:
                guard let first = running.firstTime else { return starts }
                now = first
            case .idle: return starts
            }
        }
    }

    private func mostAtOnce(_ starts: [Start]) -> Int {
        var ends = DueQueue<Void>()
        var most = 0
        for start in starts {
            while ends.pop(dueAt: start.time) != nil {}
            ends.insert((), at: start.end)
            most = max(most, ends.count)
        }
        return most
    }

    @Test(arguments: 1...20) func `no host ever gets more requests than allowed, and nothing starves`(seed: Int) throws
    {
        var random = SeededGenerator(seed: UInt64(seed))
        var politeness = Politeness()
        politeness.connectionsPerHost = Int.random(in: 1...6, using: &random)
        politeness.connections = Int.random(in: 1...20, using: &random)
        politeness.delay = seed % 5 == 0 ? .milliseconds(40) : nil
        var gate = HostGate(politeness)
        gate.setDelay(.milliseconds(300), for: "h1")
        let hosts = (0..<600).map { _ in Int.random(in: 0..<12, using: &random) }
        var wholeRun = random
        let starts = run(&gate, hosts: hosts) { _, _ in
            let length = Duration.milliseconds(Int.random(in: 1...80, using: &wholeRun))
            return switch Int.random(in: 0..<20, using: &wholeRun) {
            case 0: (length, .throttled(retryAfter: nil))
            case 1: (length, .throttled(retryAfter: .seconds(2)))
            case 2: (length, .failed)
            default: (length, .fine)
            }
        }
        #expect(starts.map(\.item).sorted() == Array(0..<600))
        #expect((gate.waiting, gate.running) == (0, 0))
        #expect(mostAtOnce(starts) <= politeness.connections)
        for host in 0..<12 {
            let own = starts.filter { $0.host == host }
            #expect(own.map(\.item) == own.map(\.item).sorted())
            let delay = host == 1 ? Duration.milliseconds(300) : politeness.delay
            #expect(mostAtOnce(own) <= (delay == nil ? politeness.connectionsPerHost : 1))
            for (one, next) in zip(own, own.dropFirst()) { #expect(next.time - one.time >= delay ?? .zero) }
        }
    }

    @Test func `a busy host takes as long as its limit requires, and others don't wait for it`() {
        var gate = HostGate(Politeness())
        let hosts = Array(repeating: 0, count: 800) + Array(1...50)
        let starts = run(&gate, hosts: hosts) { _, _ in (.milliseconds(100), .fine) }
        // 800 requests, 8 at once, 100 ms each; while the others have their turns, it may have fewer.
        let end = starts.filter { $0.host == 0 }.map(\.end).max() ?? .zero
        #expect(Duration.seconds(10)...Duration.milliseconds(10_200) ~= end)
        // 24 places are left for 50 hosts: two rounds and a rest.
        #expect(starts.filter { $0.host != 0 }.map(\.end).max() ?? .zero <= .milliseconds(300))
    }

    @Test func `a host that allows five requests a second gets them all and rarely refuses`() {
        var gate = HostGate(Politeness())
        var times: [Duration] = []
        var refused = 0
        let starts = run(&gate, hosts: Array(repeating: 0, count: 1000)) { _, now in
            times.removeAll { now - $0 >= .seconds(1) }
            guard times.count < 5 else {
                refused += 1
                return (.milliseconds(10), .throttled(retryAfter: nil))
            }
            times.append(now)
            return (.milliseconds(10), .fine)
        }
        // Without limits of its own the gate would be refused nearly always.
        #expect(refused < 100)
        // 200 seconds are the least.
        #expect(starts.map(\.end).max() ?? .zero < .seconds(500))
    }

    @Test func `with 100,000 hosts and a million items no step scans them all`() {
        var gate = HostGate(Politeness())
        for host in stride(from: 0, to: 100_000, by: 100) { gate.setDelay(.seconds(1), for: "h\(host)") }
        let count = 200_000
        let starts = run(&gate, hosts: (0..<count).map { $0 * 7919 % 100_000 }) { _, _ in (.milliseconds(20), .fine) }
        #expect(starts.count == count)
        #expect(gate.hostCount < 2_000)
        _ = gate.next(at: .seconds(1_000_000))
        #expect(gate.hostCount == 0)
    }
}
