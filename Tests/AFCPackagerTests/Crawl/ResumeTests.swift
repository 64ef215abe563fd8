import AFCCaching
import AFCFiles
import AFCHTTP
import AFCOrigin
import AFCPackageFile
import AFCPackageFormat
import AFCSQLite
import AFCText
import AFCURL
import AFCZip
import CDatabase
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// A crawl that is cut off goes on where its state says, and comes to the same package.
struct ResumeTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    /// Pages that link to one another, with an image each, a redirect and what isn't there.
    private func routes(_ count: Int) -> [String: [TestOrigin.Answer]] {
        var routes: [String: [TestOrigin.Answer]] = [:]
        for number in 0..<count {
            let children = (1...3).map { "<a href=\"/p\(number * 3 + $0)\">x</a>" }.joined()
            var page = TestOrigin.Answer.html(
                "\(children)<img src=\"/i\(number).png\"><a href=\"/r\(number % 7)\">r</a><a href=\"/gone\(number % 5)\">g</a>"
                    + "<script>fetch('/g\(number % 9).json')</script>"
            )
            page.delay = .milliseconds(number % 4)
            routes["/p\(number)"] = [page]
            routes["/i\(number).png"] = [.text(String(repeating: "\(number) ", count: 500), type: "image/png")]
        }
        // The other guesses are absent.
        for number in 0..<2 { routes["/g\(number).json"] = [.text("[]", type: "application/json")] }
        for number in 0..<7 { routes["/r\(number)"] = [.redirect("/p\(number * 5)")] }
        routes["/added"] = [.html("<a href=/p1>x</a><a href=/added2>y</a>")]
        routes["/added2"] = [.html("z")]
        let missing = Array("<title>Missing</title><a href=/p0>Start</a>".utf8)
        routes["*"] = [TestOrigin.Answer(404, [("Content-Type", "text/html")], body: missing)]
        return routes
    }

    private func options(_ origin: TestOrigin) throws -> CrawlOptions {
        let now = now
        var options = CrawlOptions(seeds: [try WebURL(origin.base + "/p0")], now: { now })
        options.pinnedTime = now
        options.stateInterval = .milliseconds(5)
        options.asksForMissingPage = true
        options.added = [
            CrawlOptions.AddedURL(try WebURL(origin.base + "/added"), isPage: true),
            CrawlOptions.AddedURL(try WebURL(origin.base + "/none.json"), isPage: false),
        ]
        return options
    }

    private func output(_ folder: String, _ name: String) -> Packaging.Output {
        Packaging.Output(path: folder + "/" + name, created: now, generator: "test")
    }

    /// What the state's file and the bodies are at an instant, as a process that is killed leaves them.
    private func copy(_ workspace: CrawlWorkspace, to path: String) throws {
        let copy = try LockedDatabase(path + ".crawl")
        try workspace.state.database.use { source in
            try copy.use { target in
                let backup = try #require(sqlite3_backup_init(target.connection, "main", source.connection, "main"))
                #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
                #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
            }
        }
        try copy.close()
        try FileManager.default.copyItem(atPath: workspace.files.spool.path, toPath: path + ".bodies")
    }

    @Test func `a crawl interrupted at any point resumes and makes the same bytes`() async throws {
        var routes = routes(120)
        // Images that are pages, which only later something links to.
        for number in 0..<3 {
            routes["/i\(number).png"] = [.html("<a href=\"/q\(number)\">q</a>")]
            routes["/q\(number)"] = [.html("q")]
        }
        for (page, image) in [("/p50", 0), ("/p51", 2), ("/q2", 1)] {
            routes[page]?[0].body += Array("<a href=\"/i\(image).png\">i</a>".utf8)
        }
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let options = try options(origin)
                let whole = output(folder, "whole.zip")
                let expected = try await Packaging.pack(options, fetching: .patient(), to: whole).report
                let page = try #require(try PackageReader(path: whole.path).index.fallback?.missing)
                #expect(page.path == "/afcache-missing-page")
                #expect(expected.fetched == 247 && expected.absentGuesses == 8 && expected.misplacedCount == 1)
                let moments = try await cutOff(options, folder, every: max(24 / Rounds.count(1), 1))
                #expect(moments > 8)
                let total = origin.requests.count
                for moment in 0..<moments {
                    let name = "\(moment).zip"
                    let report = try await Packaging.pack(options, fetching: .patient(), to: output(folder, name))
                        .report
                    #expect(report.resumed == 1)
                    #expect(report.fetched == expected.fetched)
                    #expect(report.redirects == expected.redirects)
                    #expect(report.failures == expected.failures)
                    #expect(report.skipped == expected.skipped)
                    #expect(report.absentGuesses == expected.absentGuesses)
                    #expect(report.misplaced == expected.misplaced)
                    let same = FileManager.default.contentsEqual(atPath: whole.path, andPath: folder + "/" + name)
                    #expect(same, "cut off at \(moment)")
                }
                let repeated = origin.requests.count - total
                #expect(repeated < moments * expected.requests)
            }
        }
    }

    @Test func `streams import the variables of playlists that were fetched before the interruption`() async throws {
        func playlist(_ lines: String...) -> [TestOrigin.Answer] {
            [.text((["#EXTM3U"] + lines).joined(separator: "\n"), type: "application/vnd.apple.mpegurl")]
        }
        let numbers = 0..<24
        let videos = numbers.map { "<video src=m\($0).m3u8></video>" }.joined()
        var routes: [String: [TestOrigin.Answer]] = ["/p0": [.html("<link rel=icon href=data:,>\(videos)")]]
        for number in numbers {
            routes["/m\(number).m3u8"] = playlist(
                "#EXT-X-DEFINE:NAME=\"p\",VALUE=\"x\(number)\"",
                "#EXT-X-STREAM-INF:BANDWIDTH=1",
                "s\(number).m3u8"
            )
            routes["/s\(number).m3u8"] = playlist(
                "#EXT-X-DEFINE:IMPORT=\"p\"",
                "#EXTINF:1,",
                "{$p}/0.ts",
                "#EXT-X-ENDLIST"
            )
            routes["/x\(number)/0.ts"] = [.text("\(number)", type: "video/mp2t")]
        }
        try await expectSame(routes, moments: 5) { report in
            #expect(report.fetched == 1 + 3 * numbers.count && report.cuts.isEmpty)
        }
    }

    @Test func `the second page that loads a script is a base after the interruption, too`() async throws {
        let icon = "<link rel=icon href=data:,>"
        let links = (1..<30).map { "<a href=/a\($0 % 3)/p\($0).html>x</a>" }.joined()
        var routes: [String: [TestOrigin.Answer]] = ["/p0": [.html(icon + links)]]
        for number in 1..<30 {
            let script = "<script src=/js/s\(number % 6).js></script>"
            routes["/a\(number % 3)/p\(number).html"] = [.html(icon + script + "<p>\(number)")]
        }
        // Pages of one folder load each script first; the data lies beside the page in the second folder.
        for number in 0..<6 {
            routes["/js/s\(number).js"] = [
                .text("fetch('d\(number)/list.json')", type: "text/javascript")
            ]
            routes["/b\(number)/p.html"] = [.html(icon + "<script src=/js/s\(number).js></script>")]
            routes["/b\(number)/d\(number)/list.json"] = [.text("[]", type: "application/json")]
            routes["/p0"]?[0].body += Array("<a href=/b\(number)/p.html>b</a>".utf8)
        }
        try await expectSame(routes, moments: 2) { report in
            // The start page, 29 and 6 pages, the scripts and their data.
            #expect(report.fetched == 1 + 29 + 6 + 6 + 6)
        }
    }

    /// Crawls a site, and resumes the crawl from several moments, which must make the same bytes.
    private func expectSame(
        _ routes: [String: [TestOrigin.Answer]],
        moments least: Int,
        _ check: (CrawlReport) -> Void
    ) async throws {
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                var options = try options(origin)
                options.added = []
                let whole = output(folder, "whole.zip")
                check(try await Packaging.pack(options, fetching: .patient(), to: whole).report)
                let moments = try await cutOff(options, folder)
                #expect(moments >= least)
                for moment in 0..<moments {
                    let report = try await Packaging.pack(
                        options,
                        fetching: .patient(),
                        to: output(folder, "\(moment).zip")
                    ).report
                    #expect(report.resumed == 1)
                    check(report)
                    let same = FileManager.default.contentsEqual(atPath: whole.path, andPath: folder + "/\(moment).zip")
                    #expect(same, "cut off at \(moment)")
                }
            }
        }
    }

    /// Crawls, and keeps what is there after every few answers.
    private func cutOff(_ options: CrawlOptions, _ folder: String, every interval: Int = 12) async throws -> Int {
        var fetching = HTTPFetcher.Options.patient()
        fetching.access.allowsPrivate = true
        let counter = Count()
        return try await HTTPFetcher.withFetcher(options: fetching) { network in
            let workspace = try CrawlWorkspace.open(for: output(folder, "cut.zip"), options)
            let crawler = Crawler(
                options: options,
                network: network,
                workspace: workspace,
                level: 6,
                onEvent: { event in
                    guard case .fetched = event, counter.count() % interval == 0 else { return }
                    do {
                        try copy(workspace, to: folder + "/\(counter.value / interval - 1).zip")
                    } catch {
                        Issue.record(error)
                    }
                }
            )
            _ = try await crawler.run()
            workspace.remove()
            return counter.value / interval
        }
    }

    /// The state and the bodies of a crawl that was cut off, as after another start of the machine.
    private func leave(_ options: CrawlOptions, _ folder: String) async throws -> Packaging.Output {
        #expect(try await cutOff(options, folder) > 2)
        let output = output(folder, "2.zip")
        let state = try LockedDatabase(output.path + ".crawl")
        try state.change { db in try db.execute("UPDATE fact SET value = 'another' WHERE name = 'system'") }
        try state.close()
        return output
    }

    @Test func `after a reboot intact files are trusted`() async throws {
        try await TestOrigin.withOrigin(routes(30)) { origin in
            try await withScratchFolder { folder in
                let options = try options(origin)
                let report = try await Packaging.pack(
                    options,
                    fetching: .patient(),
                    to: try await leave(options, folder)
                ).report
                #expect(report.resumed == 1)
                #expect(report.fetched == 64)
            }
        }
    }

    @Test func `after a reboot damage is reported with the remedy`() async throws {
        try await TestOrigin.withOrigin(routes(30)) { origin in
            try await withScratchFolder { folder in
                var options = try options(origin)
                let output = try await leave(options, folder)
                let bodies = try FileHandle(forUpdating: URL(fileURLWithPath: output.path + ".bodies"))
                try bodies.write(contentsOf: Data(repeating: 0, count: 64))
                try bodies.close()
                let asked = origin.requests.count
                let fixed = options
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await Packaging.pack(fixed, fetching: .patient(), to: output)
                }
                #expect(error?.remedy == .restart)
                #expect(origin.requests.count == asked)
                options.restarts = true
                #expect(try await Packaging.pack(options, fetching: .patient(), to: output).report.fetched == 64)
            }
        }
    }

    @Test func `an update isn't resumed with another older package`() async throws {
        try await TestOrigin.withOrigin(routes(30)) { origin in
            try await withScratchFolder { folder in
                var options = try options(origin)
                _ = try await Packaging.pack(options, fetching: .patient(), to: output(folder, "older.zip"))
                options.updates = folder + "/older.zip"
                #expect(try await cutOff(options, folder) > 2)
                let copy = try Data(contentsOf: URL(fileURLWithPath: folder + "/older.zip"))
                try copy.write(to: URL(fileURLWithPath: folder + "/older.zip"), options: .atomic)
                let fixed = options
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await Packaging.pack(fixed, fetching: .patient(), to: output(folder, "2.zip"))
                }
                #expect(error?.code == .otherCrawl)
            }
        }
    }

    @Test func `another crawl's state is refused, and discarded on request`() async throws {
        try await TestOrigin.withOrigin(routes(40)) { origin in
            try await withScratchFolder { folder in
                var options = try options(origin)
                #expect(try await cutOff(options, folder) > 1)
                let output = output(folder, "1.zip")
                options.limits[.pages] = 2
                let changed = options
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await Packaging.pack(changed, fetching: .patient(), to: output)
                }
                #expect(error?.code == .otherCrawl)
                options.restarts = true
                _ = try await Packaging.pack(options, fetching: .patient(), to: output)
                #expect(!FileManager.default.fileExists(atPath: output.path + ".crawl"))
            }
        }
    }

    @Test func `another crawl's state without an answer is replaced`() async throws {
        try await TestOrigin.withOrigin(routes(4)) { origin in
            try await withScratchFolder { folder in
                var options = try options(origin)
                let output = output(folder, "x.zip")
                let state = try CrawlState(
                    path: output.path + ".crawl",
                    fingerprint: options.fingerprint(generator: output.generator, level: output.level)
                )
                state.close()
                options.limits[.pages] = 2
                _ = try await Packaging.pack(options, fetching: .patient(), to: output)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["x.zip"])
            }
        }
    }

    @Test func `a damaged state is refused with the remedy, and kept`() async throws {
        try await TestOrigin.withOrigin(routes(1)) { origin in
            try await withScratchFolder { folder in
                let options = try options(origin)
                let output = output(folder, "x.zip")
                try write("SQLite format 3\0" + String(repeating: "damage ", count: 200), to: output.path + ".crawl")
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await Packaging.pack(options, fetching: .patient(), to: output)
                }
                #expect(error?.remedy == .restart)
                #expect(origin.requests.isEmpty)
            }
        }
    }
}

/// How often something happened.
private final class Count: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    func count() -> Int {
        state.withLock { state in
            state += 1
            return state
        }
    }
}
