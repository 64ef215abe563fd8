import AFCDiscovery
import AFCHTTP
import AFCURL
import TestSupport
import Testing

@testable import AFCCrawlRules

/// Which shard a host lies in, what shards hand over to each other, and the files that say so.
struct ShardTests {
    // The numbers are those of Python's hashlib.
    @Test(arguments: [
        ("http://a.example/x", [1, 2, 12, 740]), ("https://A.example:8080/", [1, 2, 12, 740]),
        ("http://docs.co.uk/", [1, 1, 5, 272]), ("http://www.docs.co.uk/", [1, 1, 5, 272]),
        ("http://127.0.0.1/", [1, 1, 2, 76]), ("http://localhost/", [1, 1, 5, 295]),
        ("http://bücher.example/", [1, 2, 10, 605]),
    ])
    func `a host lies where the hash of its registrable domain says`(url: String, numbers: [Int]) throws {
        let url = try WebURL(url)
        #expect([0, 1, 4, 10].map { CrawlShard.number(of: url, bits: $0) } == numbers)
        #expect(try #require(CrawlShard(numbers[2], bits: 4)).contains(url))
        #expect(try !#require(CrawlShard(numbers[2] % 16 + 1, bits: 4)).contains(url))
    }

    @Test func `a shard has a number from 1 to a power of two of at most 1,024`() {
        #expect(CrawlShard(1, bits: 0)?.count == 1)
        #expect(CrawlShard(1024, bits: 10)?.count == 1024)
        for (number, bits) in [(0, 4), (17, 4), (1, 11), (1, -1)] { #expect(CrawlShard(number, bits: bits) == nil) }
    }

    // MARK: Blocks

    private let whole = CrawlShard(1, bits: 0)

    private func handed(_ text: String, _ role: CrawlScope.Role = .link, depth: Int = 1) throws -> HandedURL {
        HandedURL(try WebURL(text), role: role, destination: .document, depth: depth)
    }

    private func urls() throws -> [HandedURL] {
        var urls = try [
            "http://a.example/", "http://a.example/page/1", "http://a.example/page/22", "http://b.example/",
        ]
        .map { try handed($0, depth: 300) }
        urls[1].role = .requisite
        urls[1].destination = .style
        urls[1].isOptional = true
        (urls[2].redirects, urls[2].chain, urls[2].isListed, urls[2].isPage) = (2, 7, true, true)
        return urls
    }

    @Test func `a block has what was handed over, in few bytes`() throws {
        let shard = try #require(whole)
        let bytes = HandoverBlock.bytes(of: try urls())
        #expect(try HandoverBlock.urls(in: bytes, for: shard) == urls())
        #expect(try HandoverBlock.urls(in: HandoverBlock.bytes(of: []), for: shard).isEmpty)
        // The text, the count; two lengths, what differs, and six bytes for each.
        #expect(bytes.count == 15 + 1 + (2 + 17 + 6) + (2 + 6 + 6) + (2 + 2 + 6) + (2 + 10 + 6))
    }

    private static let mark = "afcache-urls 1\n"
    private static let url = Array("http://a.example/".utf8)

    @Test(
        arguments: [
            ([], "it is not a block of URLs, or one of another version"),
            (Array("afcache-urls 2\n".utf8), "it is not a block of URLs, or one of another version"),
            (Array(mark.utf8), "it ends early"),
            (Array(mark.utf8) + [1], "it ends early"),
            (Array(mark.utf8) + [0, 0], "something follows its last URL"),
            // A count of 2³⁵, and more URLs than any block has.
            (Array(mark.utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], "it has a number that is too large"),
            (Array(mark.utf8) + [0xFF, 0xFF, 0xFF, 0x7F], "it has a number that is too large"),
            // The count is a lie.
            (Array(mark.utf8) + [0xFF, 0xFF, 0x03] + [0, 17] + url + [2, 0, 0, 0, 0], "it ends early"),
            // The first shares bytes with none.
            (Array(mark.utf8) + [1, 1, 16] + url, "it has a number that is too large"),
            (Array(mark.utf8) + [1, 0, 0x81, 0x40] + url, "it has a number that is too large"),
            (Array(mark.utf8) + [1, 0, 3] + Array("a/b".utf8), "it has a text that is not a URL to fetch"),
            (Array(mark.utf8) + [1, 0, 2, 0xC3, 0x28], "it has a text that is not a URL to fetch"),
            (Array(mark.utf8) + [1, 0, 10] + Array("file:///x/".utf8), "it has a text that is not a URL to fetch"),
            (
                Array(mark.utf8) + [1, 0, 17] + Array("http://A.example/".utf8),
                "it has a text that is not a URL to fetch"
            ),
            (
                Array(mark.utf8) + [1, 0, 17] + Array("http://u@a.exampl".utf8),
                "it has a text that is not a URL to fetch"
            ),
            (Array(mark.utf8) + [1, 0, 17] + url + [32, 0, 0, 0, 0], "it has a URL of an unknown kind"),
            (Array(mark.utf8) + [1, 0, 17] + url + [2, 99, 0, 0, 0], "it has a URL of an unknown kind"),
            (Array(mark.utf8) + [1, 0, 17] + url + [2, 0, 0x80, 0x80, 0x04], "it has a number that is too large"),
            (Array(mark.utf8) + [2, 0, 17] + url + [2, 0, 0, 0, 0, 17, 0], "its URLs aren't sorted"),
            (Array(mark.utf8) + [2, 0, 17] + url + [2, 0, 0, 0, 0, 0, 1] + [0x40], "its URLs aren't sorted"),
        ] as [([UInt8], String)]
    )
    func `a block that is none is refused`(bytes: [UInt8], message: String) throws {
        let shard = try #require(whole)
        #expect(throws: HandoverBlock.Problem(message)) { try HandoverBlock.urls(in: bytes, for: shard) }
    }

    @Test func `a URL of another shard is refused`() throws {
        let other = try #require(CrawlShard(1, bits: 4))
        #expect(throws: HandoverBlock.Problem("it has a URL of another shard")) {
            try HandoverBlock.urls(in: HandoverBlock.bytes(of: try urls()), for: other)
        }
    }

    @Test func `no change of a byte makes anything but URLs of the shard, or a refusal`() throws {
        let shard = try #require(CrawlShard(12, bits: 4))
        let good = HandoverBlock.bytes(of: try urls().filter { $0.url.host == "a.example" })
        #expect(try HandoverBlock.urls(in: good, for: shard).count == 3)
        var random = SeededGenerator(seed: 42)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0...Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: 15..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            do throws(HandoverBlock.Problem) {
                let urls = try HandoverBlock.urls(in: bytes, for: shard)
                #expect(urls.allSatisfy { shard.contains($0.url) && $0.url.isHTTP } && urls.count <= 3)
                #expect(urls.map(\.url) == Set(urls.map(\.url)).sorted())
            } catch {
                continue
            }
        }
    }

    @Test func `what several shards found is one URL, whatever their order`() throws {
        var (link, image) = (
            try handed("http://a.example/x", depth: 5), try handed("http://a.example/x", .requisite, depth: 7)
        )
        (image.destination, image.isOptional, image.redirects) = (.image, true, 1)
        link.isPage = true
        let before = try handed("http://a.example/")
        let merged = HandoverBlock.merged([[before, link], [], [image]])
        #expect(HandoverBlock.merged([[image], [before, link]]) == merged)
        var expected = image
        (expected.depth, expected.redirects, expected.isOptional, expected.isPage) = (5, 0, false, true)
        #expect(merged == [before, expected])
    }

    // MARK: Files

    private func plan() throws -> ShardPlan {
        ShardPlan(
            generator: "afcache/9.9",
            created: Timestamp(secondsSinceEpoch: 1_700_000_000),
            isPinned: true,
            bits: 6,
            name: "docs",
            arguments: ["--depth", "3"],
            seeds: [try WebURL("http://a.example/"), try WebURL("http://docs.co.uk/")]
        )
    }

    @Test func `a plan is read as it was written`() throws {
        let plan = try plan()
        #expect(try ShardPlan(plan.bytes) == plan)
        #expect(plan.count == 64 && plan.packageName(of: 7) == "docs-07")
        // 740 of 1,024 is 47 of 64, and 272 is 17.
        #expect(plan.firstShards == [47, 17])
    }

    @Test(arguments: [
        ("\"version\":1", "\"version\":2", "it is a plan of version 2, and this program reads only version 1"),
        ("\"version\":1", "\"version\":\"1\"", "it is not a crawl's plan, or it is damaged"),
        ("\"bits\":6", "\"bits\":11", "it is not a crawl's plan, or it is damaged"),
        ("\"name\":\"docs\"", "\"name\":\"../x\"", "it is not a crawl's plan, or it is damaged"),
        ("http://a.example/", "no URL", "it has a start URL that is none"),
        ("]}", "]", "it is not a crawl's plan, or it is damaged"),
    ])
    func `a plan that is none is refused`(part: String, change: String, message: String) throws {
        let text = String(decoding: try plan().bytes, as: UTF8.self).replacing(part, with: change)
        #expect(throws: ShardPlan.Problem(message)) { try ShardPlan(Array(text.utf8)) }
    }

    private func record() -> ShardRecord {
        var record = ShardRecord(plan: "p", round: 2, shard: 3, attempt: 4)
        (record.resources, record.bytes, record.failures, record.late) = (5, 6, 7, 8)
        record.blocks = [ShardRecord.Block(shard: 9, count: 10, digest: String(repeating: "ab", count: 32))]
        return record
    }

    @Test func `a record is read as it was written`() throws {
        let shard = try #require(CrawlShard(3, bits: 4))
        #expect(ShardRecord(record().fileBytes, round: 2, shard: shard) == record())
        #expect(ShardRecord(record().fileBytes, round: 1, shard: shard) == nil)
        #expect(ShardRecord(record().fileBytes, round: 2, shard: try #require(CrawlShard(4, bits: 4))) == nil)
    }

    @Test(arguments: [
        ("[9,10,", "[17,10,"), ("[9,10,", "[3,10,"), ("[9,10,", "[0,10,"), ("[9,10,", "[9,0,"), ("abab", "xxxx"),
        ("\"attempt\":4", "\"attempt\":-4"), ("\"bytes\":6", "\"bytes\":\"6\""), ("\"blocks\":[", "\"blocks\":[[],"),
    ])
    func `a record that is none is refused`(part: String, change: String) throws {
        let shard = try #require(CrawlShard(3, bits: 4))
        let text = String(decoding: record().fileBytes, as: UTF8.self).replacing(part, with: change, maxReplacements: 1)
        #expect(ShardRecord(Array(text.utf8), round: 2, shard: shard) == nil)
    }

    @Test func `a round ends when all of its shards are done, and the next has those that got URLs`() {
        var round = CrawlRound(2, shards: [3, 5, 7])
        round.done[3] = record()
        round.aside[5] = "it fails"
        #expect(round.waiting == [7] && !round.isDone)
        round.aside = [:]
        for shard in [5, 7] { round.done[shard] = ShardRecord(plan: "p", round: 2, shard: shard, attempt: 1) }
        #expect(round.isDone && !round.isLast && round.next == CrawlRound(3, shards: [9]))
        round.done[3]?.blocks = []
        #expect(round.next.isLast)
    }

    // MARK: Hosts

    @Test func `after a resumption, a host waits for its delay first`() {
        var gate = HostGate(Politeness())
        gate.isResumed = true
        gate.setDelay(.seconds(5), for: "a")
        gate.enqueue(0, host: "a")
        gate.enqueue(1, host: "b")
        #expect(gate.next(at: .zero) == .start(1))
        #expect(gate.next(at: .zero) == .wait(until: .seconds(5)))
        #expect(gate.next(at: .seconds(5)) == .start(0))
        // The delay of robots.txt may become known while URLs wait.
        gate.finish(host: "b", at: .seconds(6), .fine)
        gate.enqueue(2, host: "c")
        gate.setDelay(.seconds(9), for: "c")
        #expect(gate.next(at: .seconds(6)) == .wait(until: .seconds(9)))
    }

    @Test func `a pause that a host asked for goes on after a resumption`() {
        var gate = HostGate(Politeness())
        gate.enqueue(0, host: "a")
        gate.enqueue(1, host: "b")
        #expect(gate.next(at: .zero) == .start(0) && gate.next(at: .zero) == .start(1))
        gate.finish(host: "a", at: .seconds(1), .throttled(retryAfter: .seconds(60)))
        gate.finish(host: "b", at: .seconds(1), .fine)
        _ = gate.next(at: .seconds(21))
        #expect(gate.pauses.map(\.host) == ["a"] && gate.pauses.map(\.rest) == [.seconds(40)])
        var next = HostGate(Politeness())
        next.restorePause(of: "a", for: .seconds(40))
        next.enqueue(0, host: "a")
        #expect(next.next(at: .zero) == .wait(until: .seconds(40)) && next.next(at: .seconds(40)) == .start(0))
        next.finish(host: "a", at: .seconds(41), .fine)
        #expect(next.next(at: .seconds(41)) == .idle && next.hostCount == 0)
    }
}
