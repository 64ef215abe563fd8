import AFCFiles
import Synchronization
import Testing

/// Work on several threads whose results are taken in order.
struct ParallelWorkTests {
    private struct Failure: Error, Equatable { var item: Int }

    @Test(arguments: [(0, 2), (1, 4), (7, 1), (5_000, 1), (5_000, 2), (5_000, 5)])
    func `results come in the order of the items`(_ count: Int, _ workers: Int) {
        var results: [Int] = []
        ParallelWork.forEach(Array(0..<count), workers: workers, cost: { _ in 1 }) { item in
            // Some take longer than those after them.
            (0..<(item % 97 == 0 ? 20_000 : 10)).reduce(item) { $0 ^ $1 ^ $1 }
        } take: {
            results.append($0)
        }
        #expect(results == Array(0..<count))
    }

    @Test(arguments: [1, 2, 4])
    func `what began and wasn't taken stays below the limit`(_ workers: Int) {
        let inside = Mutex((cost: 0, count: 0, largest: 0))
        let items = (0..<400).map { Int64($0 % 50 == 7 ? 500 : $0 % 60) }
        ParallelWork.forEach(items, workers: workers, limit: 100, cost: { $0 }) { item in
            inside.withLock {
                $0.cost += Int(item)
                $0.count += 1
                // One item may be larger than the limit.
                if $0.count > 1 { $0.largest = max($0.largest, $0.cost) }
            }
            return item
        } take: { item in
            inside.withLock {
                $0.cost -= Int(item)
                $0.count -= 1
            }
        }
        // What is taken leaves the window before this test counts it.
        #expect(inside.withLock { $0.cost } == 0)
        #expect(inside.withLock { $0.largest } <= 100 + 500)
    }

    @Test(arguments: [0, 1, 250, 499])
    func `an error of the work ends it`(_ failing: Int) {
        var results: [Int] = []
        #expect(throws: Failure(item: failing)) {
            try ParallelWork.forEach(Array(0..<500), workers: 3, cost: { _ in 1 }) { item throws(Failure) in
                if item == failing { throw Failure(item: item) }
                return item
            } take: { (item: Int) throws(Failure) in
                results.append(item)
            }
        }
        #expect(results == Array(0..<failing))
    }

    @Test func `an error of who takes ends the work`() {
        let running = Mutex(0)
        #expect(throws: Failure(item: 100)) {
            try ParallelWork.forEach(Array(0..<100_000), workers: 3, limit: 10, cost: { _ in 1 }) {
                item throws(Failure) in
                running.withLock { $0 += 1 }
                return item
            } take: { (item: Int) throws(Failure) in
                if item == 100 { throw Failure(item: item) }
            }
        }
        #expect(running.withLock { $0 } <= 101 + 10)
    }
}
