import AFCFiles
import AFCMemory
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AFCache

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MemoryTests {
    @Test func `a table keeps to its limit`() {
        var table = CostTable<Int, String>(limit: 100, prefersNew: true)
        for key in 0..<50 { table.insert("\(key)", for: key, cost: 10) }
        #expect(table.cost <= 100)
        #expect(table.count == 10)
        let isKept = table.insert("large", for: 99, cost: 101)
        #expect(!isKept)
        #expect(table.value(for: 99) == nil)
        table.setLimit(35)
        #expect(table.count == 3)
        table.shrink(to: 0)
        #expect(table.count == 0)
        #expect(table.cost == 0)
    }

    @Test func `a replaced value counts once, and one that no longer fits is gone`() {
        var table = CostTable<String, Int>(limit: 100)
        table.insert(1, for: "a", cost: 60)
        table.insert(2, for: "a", cost: 80)
        #expect(table.cost == 80)
        let known = table.use("a")
        #expect(known == 2)
        let isKept = table.insert(3, for: "a", cost: 200)
        #expect(!isKept)
        #expect(table.value(for: "a") == nil)
        #expect(table.cost == 0)
    }

    @Test(arguments: [false, true]) func `values that are used often survive a scan`(_ prefersNew: Bool) {
        var table = CostTable<Int, Int>(limit: 100, prefersNew: prefersNew)
        for key in 0..<10 {
            table.insert(key, for: key, cost: 5)
            for _ in 0..<8 { _ = table.use(key) }
        }
        for key in 100..<2000 {
            if table.use(key) == nil { table.insert(key, for: key, cost: 5) }
        }
        let survivors = (0..<10).count { table.value(for: $0) != nil }
        #expect(survivors == 10)
    }

    @Test(
        arguments: [
            ("high 0\nmax 0\noom 0\noom_kill 0\n", "some avg10=0.00 avg60=0.00\n", nil),
            ("high 1\nmax 0\n", "some avg10=0.00\n", AFCache.MemoryPressure.warning),
            ("high 0\nmax 2\n", "", .critical), ("oom_kill 1\n", "", .critical),
            ("", "some avg10=12.50 avg60=1 avg300=0 total=1\nfull avg10=99.0\n", .warning),
            ("", "some avg10=55.00\n", .critical),
            ("high x\nmax\n", "some avg10=nan\n", nil), ("low 7\n", "full avg10=50\n", nil),
        ] as [(String, String, AFCache.MemoryPressure?)]
    )
    func `events and stalls of a control group mean pressure`(
        _ events: String,
        _ stalls: String,
        _ expected: AFCache.MemoryPressure?
    ) {
        #expect(GroupPressure(events: events, pressure: stalls).level(since: GroupPressure()) == expected)
    }

    #if os(Linux)
    @Test func `a change in the group's files is reported once`() async throws {
        let scratch = try Scratch()
        let files = GroupPressureFiles(folder: scratch.path)
        try scratch.write(Array("high 3\nmax 1\n".utf8), to: "memory.events")
        var levels = AFCache.SystemMemoryPressure.levels(every: .milliseconds(1), from: files).makeAsyncIterator()
        try scratch.write(Array("high 4\nmax 1\n".utf8), to: "memory.events")
        #expect(await levels.next() == .warning)
        try scratch.write(Array("high 4\nmax 2\n".utf8), to: "memory.events")
        #expect(await levels.next() == .critical)
    }

    @Test func `the files of this process's group can be named`() {
        let files = GroupPressureFiles.ofThisProcess()
        #expect(files.events.hasPrefix("/sys/fs/cgroup"))
        #expect(files.pressure.hasSuffix("memory"))
        _ = files.read()
    }
    #endif

    @Test func `sessions with the same settings share a class, and those that are gone keep nothing`() throws {
        func protocols(_ bench: AppBench, _ options: AFCache.LoadOptions = AFCache.LoadOptions()) -> ObjectIdentifier? {
            let configuration = URLSessionConfiguration.default
            bench.cache.configure(configuration, options: options)
            return configuration.protocolClasses?.first.map { ObjectIdentifier($0) }
        }
        let (one, two) = (try AppBench(), try AppBench())
        let classes = Set((0..<100).map { _ in protocols(one) })
        #expect(classes.count == 1)
        #expect(protocols(two) != classes.first)
        #expect(protocols(one, AFCache.LoadOptions(lifetime: 60)) != classes.first)
        let before = ProtocolSlots.count
        // Each has cookies of its own.
        for _ in 0..<100 { one.cache.configure(.ephemeral) }
        // Others may configure sessions meanwhile.
        #expect(ProtocolSlots.count < before + 50)
        withExtendedLifetime((one, two)) {}
    }

    /// Counts what shared work does.
    private final class Runs: Sendable {
        private let state = Mutex((begun: 0, ended: 0))
        var begun: Int { state.withLock { $0.begun } }
        var ended: Int { state.withLock { $0.ended } }
        func begin() { state.withLock { $0.begun += 1 } }
        func end() { state.withLock { $0.ended += 1 } }
    }

    @Test func `shared work is done once, and ends when nobody waits`() async throws {
        let work = SharedWork<String, Int>()
        let runs = Runs()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let callers = (0..<20).map { _ in
            Task {
                try await work.value(for: "a") {
                    runs.begin()
                    for await _ in gate { break }
                    return 7
                }
            }
        }
        // Those that come after its end would start it again.
        try await waitUntil("all wait") { work.waiting(for: "a") == 20 }
        open.yield()
        for caller in callers { #expect(try await caller.value == 7) }
        #expect(runs.begun == 1)

        let waiting = Task {
            try await work.value(for: "b") {
                defer { runs.end() }
                try await Task.sleep(for: .seconds(3600))
                return 1
            }
        }
        try await waitUntil("one waits") { work.waiting(for: "b") == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await waitUntil("the work has ended") { runs.ended == 1 }
    }
}
