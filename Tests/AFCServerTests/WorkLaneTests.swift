import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct WorkLaneTests {
    @Test(arguments: [1, 2])
    func `no more work than the limit runs at a time, and all of it in order`(limit: Int) async throws {
        let lane = WorkLane(limit: limit)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let running = Mutex((now: 0, most: 0))
        let started = Box<Int>()
        let ended = Box<Int>()
        for number in 0..<40 {
            lane.submit(to: loop) {
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                started.append(number)
                defer { running.withLock { $0.now -= 1 } }
                if number == 5 { throw FakeCache.Failure() }
                return number
            } then: { result in
                ended.append((try? result.get()) ?? -1)
            }
        }
        try await waitUntil("all work has ended") { ended.values.count == 40 }
        #expect(running.withLock { $0.most } <= limit)
        if limit == 1 { #expect(started.values == Array(0..<40)) }
        #expect(Set(ended.values) == Set(0..<40).subtracting([5]).union([-1]))
    }
}
