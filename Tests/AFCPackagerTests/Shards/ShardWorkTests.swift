import AFCFiles
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// Attempts at a shard that run at once, fail, or find their folder changed, with real files and connections.
struct ShardWorkTests {
    private let scratch: TestSupport.Scratch

    init() throws { scratch = try TestSupport.Scratch() }

    /// Plans a crawl of one shard that starts at an origin.
    private func plan(_ origin: TestOrigin) throws -> SharedCrawl {
        try SharedCrawl.make(.ofOneShard(origin), in: CrawlFolder.make(scratch.path("root"))).0
    }

    private func work(_ crawl: SharedCrawl, interval: Duration = .seconds(300)) async throws -> ShardWork.Outcome {
        let shard = try #require(CrawlShard(1, bits: 0))
        let options = CrawlOptions(seeds: crawl.plan.seeds) { Timestamp(secondsSinceEpoch: 1_700_000_000) }
        let output = Packaging.Output(path: "", created: crawl.plan.created, generator: crawl.plan.generator)
        let work = ShardWork(crawl, shard, interval: interval)
        return try await work.run(options, fetching: HTTPFetcher.Options.patient(), output: output) { _ in }
    }

    private func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: scratch.path("root/" + folder)))?.sorted() ?? []
    }

    /// Waits until the first attempt has written a state with the answer that led to the second URL.
    private func waitForCheckpoint(_ origin: TestOrigin) async throws {
        func last() -> Int {
            names("round-1/shard-1/attempt-1").compactMap { $0.hasPrefix("checkpoint-") ? Int($0.dropFirst(11)) : nil }
                .max() ?? 0
        }
        try await waitUntil("the second URL is asked for") { origin.count(of: "/1") == 1 }
        let before = last()
        // The one that was being written may lack it.
        try await waitUntil("the state is written") { last() >= before + 3 }
    }

    private static func slow(_ text: String, _ delay: Duration) -> TestOrigin.Answer {
        var answer = TestOrigin.Answer.html(text)
        answer.delay = delay
        return answer
    }

    private static let page = TestOrigin.Answer.html("<link rel=icon href=data:,><a href=/1>1</a>")

    @Test(.timeLimit(.minutes(10)))
    func `a second attempt begins with what a live one has written, and one of them counts`() async throws {
        let routes = ["/": [Self.page], "/1": [Self.slow("1", .seconds(25))]]
        try await TestOrigin.withOrigin(routes) { origin in
            let crawl = try plan(origin)
            async let first = work(crawl, interval: .milliseconds(200))
            try await waitForCheckpoint(origin)
            let second = try await work(crawl)
            let outcomes = [try await first, second]
            #expect(outcomes.count { if case .done = $0 { true } else { false } } == 1, "\(outcomes)")
            #expect(outcomes.count { if case .late = $0 { true } else { false } } == 1, "\(outcomes)")
            #expect(origin.count(of: "/") == 1 && origin.count(of: "/1") == 2)
            #expect(names("round-1/shard-1").count == 2, "\(names("round-1/shard-1"))")
            #expect(try crawl.record(1, 1)?.resources == 2)
            guard case .nothing(let round) = try await work(crawl) else { throw Unexpected() }
            #expect(round.isLast)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a state that the machine has damaged is replaced by the one that was synced`() async throws {
        let routes = ["/": [Self.page], "/1": [Self.slow("1", .seconds(30))]]
        try await TestOrigin.withOrigin(routes) { origin in
            let crawl = try plan(origin)
            let first = Task { try await work(crawl, interval: .milliseconds(200)) }
            let attempt = "round-1/shard-1/attempt-1"
            try await waitForCheckpoint(origin)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            // What was stopped is no attempt without progress.
            #expect(names("round-1/shard-1") == ["attempt-1"])
            let damaged = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0xAA, count: 8176)
            try scratch.write(damaged, to: "root/\(attempt)/shard.crawl")
            origin.set("/1", .html("fast"))
            guard case .done(let record) = try await work(crawl) else { throw Unexpected() }
            #expect(record.attempt == 1 && record.resources == 2 && origin.count(of: "/") == 1)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `an attempt whose folder is removed ends with an error`() async throws {
        let routes = ["/": [Self.page], "/1": [Self.slow("1", .seconds(30))]]
        try await TestOrigin.withOrigin(routes) { origin in
            let crawl = try plan(origin)
            let first = Task { try await work(crawl) }
            try await waitUntil("it waits for the slow page") { origin.count(of: "/1") == 1 }
            try FileManager.default.removeItem(atPath: scratch.path("root"))
            let error = await #expect(throws: PackagingError.self) { try await first.value }
            #expect(
                error?.code == .sharedFolder && error?.message == "the crawl's folder was removed",
                "\(error as Any)"
            )
        }
    }

    @Test func `files have the permissions of the folder, and a folder that can't be shared is refused`() async throws {
        try await TestOrigin.withOrigin(["/": [.html("<link rel=icon href=data:,>")]]) { origin in
            let root = scratch.path("root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o775], ofItemAtPath: root)
            let crawl = try plan(origin)
            guard case .done = try await work(crawl) else { throw Unexpected() }
            let expected = [
                "plan.json": 0o664, "round-1": 0o775, "round-1/shard-1/done.json": 0o664,
                "round-1/shard-1/attempt-1": 0o775, "round-1/shard-1/attempt-1/package.zip": 0o664,
                "round-1/shard-1/attempt-1/shard.crawl": 0o644, "round-1/shard-1/attempt-1/shard.bodies": 0o644,
            ]
            for (name, mode) in expected {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
            }
            #expect(throws: PackagingError.self) { try CrawlFolder.make(root + "/plan.json") }
        }
    }

    struct Unexpected: Error {}
}

extension ShardPlan {
    /// The plan of a crawl of one shard that starts at an origin.
    static func ofOneShard(_ origin: TestOrigin) throws -> ShardPlan {
        ShardPlan(
            generator: "test",
            created: Timestamp(secondsSinceEpoch: 1_700_000_000),
            isPinned: true,
            bits: 0,
            name: "test",
            arguments: [],
            seeds: [try WebURL(origin.base + "/")]
        )
    }
}
