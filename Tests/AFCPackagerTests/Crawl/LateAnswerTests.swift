import AFCCaching
import AFCHTTP
import AFCOrigin
import AFCSQLite
import AFCURL
import Foundation
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// One slow answer blocks no other, and nothing that arrived meanwhile is lost.
@Suite(.timeLimit(.minutes(10))) struct LateAnswerTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    /// How many pages there are in a row, with an image each, besides the start, the late one, and what that leads to.
    private static let count = 60

    private func routes(late: TestOrigin.Answer) -> [String: [TestOrigin.Answer]] {
        var routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<link rel=icon href=/i0><a href=/late>l</a><a href=/p0>p</a>")], "/late": [late],
            "/last": [.html("last")],
        ]
        for number in 0..<Self.count {
            routes["/p\(number)"] = [.html("<img src=/i\(number)><a href=/p\(number + 1)>n</a>")]
            routes["/i\(number)"] = [.text("image \(number)", type: "image/png")]
        }
        routes["/p\(Self.count)"] = [.html("end")]
        return routes
    }

    private var prompt: TestOrigin.Answer { .html("<a href=/last>x</a>") }

    /// An answer that comes when the test is long over.
    private var never: TestOrigin.Answer {
        var answer = prompt
        answer.delay = .seconds(3600)
        return answer
    }

    private func options(_ origin: TestOrigin) throws -> CrawlOptions {
        let now = now
        var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
        options.pinnedTime = now
        options.stateInterval = .milliseconds(10)
        return options
    }

    private func output(_ folder: String, _ name: String) -> Packaging.Output {
        Packaging.Output(path: folder + "/" + name, created: now, generator: "test")
    }

    /// The start, the pages and their images.
    private var prompts: Int { 2 * Self.count + 2 }

    @Test func `responses that arrive during a late one are kept and not requested again`() async throws {
        try await TestOrigin.withOrigin(routes(late: prompt)) { origin in
            try await withScratchFolder { folder in
                let options = try options(origin)
                let whole = try await Packaging.pack(options, fetching: .patient(), to: output(folder, "whole.zip"))
                    .report
                #expect(whole.fetched == prompts + 2)

                origin.set("/late", never)
                let (events, continuation) = AsyncStream.makeStream(of: CrawlEvent.self)
                let output = output(folder, "a.zip")
                let crawl = Task {
                    _ = try await Packaging.pack(options, fetching: .patient(), to: output) { continuation.yield($0) }
                }
                var fetched = 0
                var last = CrawlReport()
                for await event in events {
                    if case .fetched = event { fetched += 1 }
                    if fetched == prompts { crawl.cancel() }
                    if case .ended(let report) = event {
                        last = report
                        break
                    }
                }
                await #expect(throws: CancellationError.self) { try await crawl.value }
                #expect(last.fetched + last.redirects + last.early == prompts)

                origin.set("/late", prompt)
                let asked = origin.requests.count
                let report = try await Packaging.pack(options, fetching: .patient(), to: output).report
                #expect(report.fetched == whole.fetched)
                #expect(Set(origin.targets[asked...]) == ["/robots.txt", "/late", "/last"])
                #expect(
                    FileManager.default.contentsEqual(atPath: folder + "/whole.zip", andPath: folder + "/a.zip")
                )
            }
        }
    }

    @Test func `results reach the state file even if nothing else happens`() async throws {
        try await TestOrigin.withOrigin(routes(late: never)) { origin in
            try await withScratchFolder { folder in
                let options = try options(origin)
                var fetching = HTTPFetcher.Options.patient()
                fetching.access.allowsPrivate = true
                try await HTTPFetcher.withFetcher(options: fetching) { network in
                    let workspace = try CrawlWorkspace.open(for: output(folder, "a.zip"), options)
                    let crawler = Crawler(
                        options: options,
                        network: network,
                        workspace: workspace,
                        level: 6,
                        onEvent: { _ in }
                    )
                    let crawl = Task { _ = try await crawler.run() }
                    let sql = "SELECT (SELECT count(*) FROM result) + (SELECT count(*) FROM early)"
                    // SQLite tells nobody of a commit.
                    try await waitUntil("all prompt answers are in the state's file") {
                        try workspace.state.database.use { try $0.first(sql) } == prompts
                    }
                    crawl.cancel()
                    await #expect(throws: CancellationError.self) { try await crawl.value }
                    workspace.remove()
                }
            }
        }
    }
}
