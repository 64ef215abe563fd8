import AFCFiles
import AFCHTTP
import AFCURL
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// A store in memory, with places to go wrong.
private final class MemoryStore: CrawlStore {
    struct State {
        var files: [String: [UInt8]] = [:]
        var obeysConditions = true
        /// The beginning of a name whose next file is created, but reported as there.
        var lost: String?
        /// How many files are created before an error; nil for no error.
        var left: Int?
    }

    struct Failure: Error {}

    let address = "s3://docs/night"
    let state = Mutex(State())

    var all: [String] { state.withLock { $0.files.keys.sorted() } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func names(below prefix: String) async throws -> [String] { all.filter { $0.hasPrefix(prefix) } }
    func folders(below prefix: String) async throws -> [String] {
        Set(all.filter { $0.hasPrefix(prefix) }.map { String($0.prefix { $0 != "/" }) }).sorted()
    }
    func read(_ name: String, limit: Int) async throws -> [UInt8]? { state.withLock { $0.files[name] } }
    func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool {
        try state.withLock { state in
            if let left = state.left {
                guard left > 0 else { throw Failure() }
                state.left = left - 1
            }
            guard state.files[name] == nil || !state.obeysConditions else { return false }
            state.files[name] = bytes
            guard let lost = state.lost, name.hasPrefix(lost) else { return true }
            state.lost = nil
            return false
        }
    }
    func remove(_ names: [String]) async throws {
        state.withLock { state in for name in names { state.files[name] = nil } }
    }
}

/// Attempts at a shard that share a store instead of a folder, with real connections.
struct StoredCrawlTests {
    private let scratch: TestSupport.Scratch
    private let store = MemoryStore()

    private struct Unexpected: Error {}

    init() throws { scratch = try TestSupport.Scratch() }

    private func plan(_ origin: TestOrigin) async throws -> ShardPlan {
        let plan = try ShardPlan.ofOneShard(origin)
        _ = try await StoredCrawl(store, folder: folder("plan")).plan(plan)
        return plan
    }

    private func folder(_ name: String) throws -> CrawlFolder { try CrawlFolder.make(scratch.path(name)) }

    /// Works on the only shard, as a process of its own.
    private func work(_ name: String, interval: Duration = .seconds(300)) async throws -> ShardWork.Outcome {
        let stored = StoredCrawl(store, folder: try folder(name))
        try await stored.pullPlan()
        try await stored.pull(shard: 1)
        let crawl = try SharedCrawl(stored.folder)
        let shard = try #require(CrawlShard(1, bits: 0))
        let options = CrawlOptions(seeds: crawl.plan.seeds) { Timestamp(secondsSinceEpoch: 1_700_000_000) }
        let output = Packaging.Output(path: "", created: crawl.plan.created, generator: crawl.plan.generator)
        let work = ShardWork(crawl, shard, stored: stored, interval: interval)
        return try await work.run(options, fetching: HTTPFetcher.Options.patient(), output: output) { _ in }
    }

    private func package(_ record: ShardRecord) async throws -> [UInt8] {
        let path = try await StoredCrawl(store, folder: folder("package")).pullPackage(record)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static let page = TestOrigin.Answer.html("<link rel=icon href=data:,><a href=/1>1</a>")

    private static func slow(_ delay: Duration) -> TestOrigin.Answer {
        var answer = TestOrigin.Answer.html("1")
        answer.delay = delay
        return answer
    }

    @Test(.timeLimit(.minutes(10)))
    func `a shard in a store has the package of one in a folder, and nothing else is left`() async throws {
        try await TestOrigin.withOrigin(["/": [Self.page], "/1": [.html("1")]]) { origin in
            let plan = try await plan(origin)
            guard case .done(let record) = try await work("a") else { throw Unexpected() }
            let (crawl, _) = try SharedCrawl.make(plan, in: folder("root"))
            let shard = try #require(CrawlShard(1, bits: 0))
            let options = CrawlOptions(seeds: plan.seeds) { Timestamp(secondsSinceEpoch: 1_700_000_000) }
            let output = Packaging.Output(path: "", created: plan.created, generator: plan.generator)
            _ = try await ShardWork(crawl, shard)
                .run(options, fetching: HTTPFetcher.Options.patient(), output: output) { _ in }
            let alone = try Data(contentsOf: URL(fileURLWithPath: crawl.packagePath(record)))
            #expect(try await package(record) == Array(alone))
            // On a busy machine, the state is stored more than once; what the last checkpoint doesn't list is removed.
            let attempt = "round-1/shard-1/attempt-1/"
            let checkpoint = try #require(
                try await StoredCrawl(store, folder: folder("look")).checkpoint(
                    of: String(attempt.dropLast()),
                    plan: record.plan
                )
            )
            let parts = (checkpoint.state + checkpoint.bodies).map(\.name)
            let others = [attempt + "checkpoint-\(checkpoint.number)", attempt + "package-1"]
            #expect(store.all == (parts + others + ["plan.json", "round-1/shard-1/done.json"]).sorted())
            guard case .nothing(let round) = try await work("b") else { throw Unexpected() }
            #expect(round.isLast)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `an attempt elsewhere begins with what a stopped one has stored`() async throws {
        try await TestOrigin.withOrigin(["/": [Self.page], "/1": [Self.slow(.seconds(30)), .html("1")]]) { origin in
            _ = try await plan(origin)
            let first = Task { try await work("a", interval: .milliseconds(100)) }
            try await waitUntil("the second URL is asked for") { origin.count(of: "/1") == 1 }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(!store.all.contains { $0.contains("try-") })
            guard case .done(let record) = try await work("b") else { throw Unexpected() }
            #expect(record.attempt == 2 && record.resources == 2)
            #expect(origin.count(of: "/") == 1 && origin.count(of: "/1") == 2)
            // The bodies of the first are those of the second.
            let first1 = store.all.filter { $0.hasPrefix("round-1/shard-1/attempt-1/") }
            #expect(first1.allSatisfy { $0.contains("/bodies-") }, "\(first1)")
            #expect(try await !package(record).isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `what is damaged in the store is fetched again`() async throws {
        try await TestOrigin.withOrigin(["/": [Self.page], "/1": [Self.slow(.seconds(30)), .html("1")]]) { origin in
            _ = try await plan(origin)
            let first = Task { try await work("a", interval: .milliseconds(100)) }
            try await waitUntil("the second URL is asked for") { origin.count(of: "/1") == 1 }
            first.cancel()
            _ = await first.result
            store.change { state in
                for name in state.files.keys where name.contains("/bodies-") { state.files[name] = [1, 2, 3] }
            }
            guard case .done(let record) = try await work("b") else { throw Unexpected() }
            #expect(record.resources == 2 && origin.count(of: "/") == 2)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `of two attempts at once one counts, and the other leaves nothing`() async throws {
        try await TestOrigin.withOrigin(["/": [Self.page], "/1": [Self.slow(.seconds(1))]]) { origin in
            _ = try await plan(origin)
            async let first = work("a")
            let outcomes = [try await work("b"), try await first]
            #expect(outcomes.count { if case .done = $0 { true } else { false } } == 1, "\(outcomes)")
            #expect(outcomes.count { if case .late = $0 { true } else { false } } == 1, "\(outcomes)")
            #expect(Set(store.all.filter { $0.contains("/attempt-") }.map { $0.split(separator: "/")[2] }).count == 1)
            #expect(!store.all.contains { $0.contains("try-") || $0.contains("error-") })
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a record whose answer was lost counts`() async throws {
        try await TestOrigin.withOrigin(["/": [Self.page], "/1": [.html("1")]]) { origin in
            _ = try await plan(origin)
            store.change { $0.lost = "round-1/shard-1/done.json" }
            guard case .done = try await work("a") else { throw Unexpected() }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `three attempts that fail at the same place set the shard aside`() async throws {
        try await TestOrigin.withOrigin(["/": [Self.page], "/1": [.html("1")]]) { origin in
            _ = try await plan(origin)
            store.change { state in
                for number in 1...3 {
                    state.files["round-1/shard-1/try-\(number)"] = Array("0".utf8)
                    state.files["round-1/shard-1/error-\(number)"] = Array("broken \(number)".utf8)
                }
            }
            guard case .aside(let reason) = try await work("a") else { throw Unexpected() }
            #expect(reason == "broken 3")
            #expect(store.all.contains("round-1/shard-1/aside.txt") && !store.all.contains { $0.contains("try-") })
            guard case .aside = try await work("b") else { throw Unexpected() }
        }
    }

    @Test func `a store that ignores conditions is refused`() async throws {
        store.change { $0.obeysConditions = false }
        try await TestOrigin.withOrigin([:]) { origin in
            await #expect { _ = try await plan(origin) } throws: { "\($0)".contains("If-None-Match") }
            #expect(store.all.isEmpty)
        }
    }

    @Test func `bodies that a state doesn't know are left out, and new ones come after them`() async throws {
        let stored = StoredCrawl(store, folder: try folder("a"))
        let attempt = StoredAttempt(stored, "round-1/shard-1/attempt-1", plan: "p")
        let bodies = scratch.path("bodies")
        try Data("0123456789".utf8).write(to: URL(fileURLWithPath: bodies))
        try Data("state".utf8).write(to: URL(fileURLWithPath: scratch.path("state")))
        try await attempt.store(state: scratch.path("state"), bodies: bodies, size: 10)
        attempt.keepBodies(4)
        try Data("0123abc".utf8).write(to: URL(fileURLWithPath: bodies))
        try await attempt.store(state: scratch.path("state"), bodies: bodies, size: 7)
        let checkpoint = try #require(try await stored.checkpoint(of: "round-1/shard-1/attempt-1", plan: "p"))
        #expect(checkpoint.bodies.map(\.used) == [4, 3] && checkpoint.bodyBytes == 7)
        try FileManager.default.createDirectory(atPath: scratch.path("a/x"), withIntermediateDirectories: true)
        try await stored.pull(checkpoint, to: "x/own")
        #expect(try String(contentsOfFile: scratch.path("a/x/own.bodies"), encoding: .utf8) == "0123abc")
        #expect(try String(contentsOfFile: scratch.path("a/x/own.crawl"), encoding: .utf8) == "state")
        #expect(try await stored.checkpoint(of: "round-1/shard-1/attempt-2", plan: "p") == nil)
        await #expect(throws: PackagingError.self) {
            try await stored.checkpoint(of: "round-1/shard-1/attempt-1", plan: "another")
        }
    }

    @Test func `what was stored when a checkpoint was interrupted doesn't stop the next one`() async throws {
        let stored = StoredCrawl(store, folder: try folder("a"))
        let attempt = StoredAttempt(stored, "round-1/shard-1/attempt-1", plan: "p")
        let (bodies, state) = (scratch.path("bodies"), scratch.path("state"))
        try Data("01234".utf8).write(to: URL(fileURLWithPath: bodies))
        try Data("state".utf8).write(to: URL(fileURLWithPath: state))
        for count in 0..<3 {
            store.change { $0.left = count }
            await #expect(throws: MemoryStore.Failure.self) {
                try await attempt.store(state: state, bodies: bodies, size: 5)
            }
        }
        store.change { $0.left = nil }
        try Data("0123456789".utf8).write(to: URL(fileURLWithPath: bodies))
        try await attempt.store(state: state, bodies: bodies, size: 10)
        let checkpoint = try #require(try await stored.checkpoint(of: "round-1/shard-1/attempt-1", plan: "p"))
        #expect(checkpoint.bodyBytes == 10 && checkpoint.bodies.count == 1)
    }

    private static let names: [(String, Bool)] = [
        ("round-1/shard-2/done.json", true), ("round-1/shard-2/attempt-3/begun", true), ("round-1/shard-2/x", true),
        ("round-0/shard-2/done.json", false), ("round-1/shard-02/done.json", false), ("round-1/shard-2/../x", false),
        ("round-1/shard-2/attempt-3/../x", false), ("round-1/shard-2/.x", false), ("/round-1/shard-2/x", false),
        ("round-1/shard-2/", false), ("round-1/shard-2", false), ("round-1/x-2/done.json", false),
        ("round-1/shard-2/attempt-3/x/y", false), ("plan.json", false),
    ]

    @Test(arguments: names) func `only names that jobs write are read`(_ name: String, _ isOwn: Bool) {
        #expect((StoredName(name) != nil) == isOwn)
    }
}
