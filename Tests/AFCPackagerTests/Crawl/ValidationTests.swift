import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import AFCZip
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// An update asks about all that it knows before it reads anything; where all is as it was, that is all.
struct ValidationTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    private func page(_ text: String, tag: String? = nil, status: Int = 200) -> TestOrigin.Answer {
        let tags = tag.map { [("ETag", $0)] } ?? []
        return TestOrigin.Answer(status, [("Content-Type", "text/html")] + tags, body: Array(text.utf8))
    }

    /// A site with a page that can't be validated, a redirect, a link that leads nowhere, one that robots.txt forbids, and one
    /// to elsewhere.
    private var site: [String: [TestOrigin.Answer]] {
        [
            "/": [
                page(
                    "<a href=a>a</a><a href=b>b</a><a href=r>r</a><a href=gone>g</a><a href=secret>s</a>",
                    tag: "\"1\""
                )
            ],
            "/a": [page("<img src=i.png><a href='http://elsewhere.example/'>e</a>", tag: "\"a\"")],
            "/b": [page("never the same tag, always the same text")],
            "/i.png": [.text(String(repeating: "image", count: 500), type: "image/png")],
            "/r": [.redirect("/a")], "/robots.txt": [.text("User-agent: *\nDisallow: /secret\n")],
        ]
    }

    private func options(_ origin: TestOrigin) throws -> CrawlOptions {
        let now = now
        var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
        options.tellsPlaces = false
        options.retries.retries = 0
        return options
    }

    private func pack(
        _ origin: TestOrigin,
        to path: String,
        isUpdate: Bool = true,
        _ change: (inout CrawlOptions) -> Void = { _ in },
        onEvent: @escaping @Sendable (CrawlEvent) -> Void = { _ in }
    ) async throws -> (summary: PackageWriter.Summary?, report: CrawlReport) {
        var options = try options(origin)
        options.updates = isUpdate ? path : nil
        change(&options)
        let output = Packaging.Output(path: path, created: now, generator: "test")
        return try await Packaging.pack(options, fetching: .patient(), to: output, onEvent: onEvent)
    }

    /// Packs the site, makes its tagged pages answer with 304, and gives what was asked before.
    private func withPackage(
        _ site: [String: [TestOrigin.Answer]],
        _ body: (_ origin: TestOrigin, _ path: String, _ asked: Int) async throws -> Void
    ) async throws {
        try await TestOrigin.withOrigin(site) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path, isUpdate: false)
                origin.set("/", TestOrigin.Answer(304, [("ETag", "\"1\"")]))
                origin.set("/a", TestOrigin.Answer(304, [("ETag", "\"a\"")]))
                try await body(origin, path, origin.requests.count)
            }
        }
    }

    private func paths(_ path: String) throws -> [String] {
        try PackageReader(path: path).index.resources.map(\.url.path)
    }

    @Test func `the digest of options equals that in earlier packages`() throws {
        let now = now
        var options = CrawlOptions(seeds: [try WebURL("http://127.0.0.1:18731/")], now: { now })
        options.asksForIcons = true
        // The first packages were made without recipes.
        let digest = options.digest(generator: "afcache/0.1.0")
        options.usesRecipes = false
        #expect(options.digest(generator: "afcache/0.1.0") != digest)
        // Python's hashlib, of the text that the first version made of these options.
        let expected = "c0a595ebceb5f6ed747250655ed8a12c159f9865dd40456db28c1502903e9a95"
        #expect(options.digest(generator: "afcache/0.1.0") == expected)
    }

    @Test func `every limit but the time decides on the digest`() throws {
        let now = now
        let seed = try WebURL("http://127.0.0.1:18731/")
        var changes: [(inout CrawlLimits) -> Void] = [
            { $0.bytes = 9 }, { $0.bodyBytes = 9 }, { $0.redirects = 9 }, { $0.requisiteChain = 9 }, { $0.urls = 9 },
        ]
        // The kinds are one property; the time is the one that doesn't decide.
        #expect(Mirror(reflecting: CrawlLimits()).children.count == changes.count + 2)
        changes += CrawlLimits.Kind.allCases.map { kind in { $0[kind] = 9 } }
        var digests: Set<String> = [CrawlOptions(seeds: [seed], now: { now }).digest(generator: "test")]
        for change in changes {
            var options = CrawlOptions(seeds: [seed], now: { now })
            change(&options.limits)
            #expect(digests.insert(options.digest(generator: "test")).inserted)
        }
    }

    @Test func `a package says which crawl made it`() async throws {
        try await withPackage(site) { origin, path, _ in
            let provenance = try #require(try PackageReader(path: path).provenance)
            #expect(
                provenance.options
                    == (try options(origin)).digest(generator: "test")
            )
            // printf 'User-agent: *\nDisallow: /secret\n' | sha256sum
            #expect(
                provenance.robots == [origin.base: "9bc05ee1528927db844e2f5bd5dd31b189c0b5e858ab2716d0831da711aca94b"]
            )
            let failure = CrawlProvenance.Failure(
                url: try WebURL(origin.base + "/gone"),
                status: 404,
                foundOn: try WebURL(origin.base + "/")
            )
            #expect(provenance.failed == [failure])
            #expect(provenance.skipped == ["robots": 1, "scope": 1])
        }
    }

    @Test func `if nothing changed, each URL is requested once, and no page is read`() async throws {
        try await withPackage(site) { origin, path, before in
            let file = try OpenFile.State(path: path)
            let (summary, report) = try await pack(origin, to: path)
            #expect(summary?.isUntouched == true)
            #expect(try OpenFile.State(path: path) == file)
            let asked = origin.requests[before...].map(\.target).sorted()
            #expect(asked == ["/", "/a", "/b", "/gone", "/i.png", "/r", "/robots.txt"])
            #expect(report.depths.isEmpty)
            #expect(report.fetched == 4)
            #expect(report.redirects == 1)
            #expect(report.requests == 7)
            #expect(report.failures.map(\.url.path) == ["/gone"])
            #expect(report.failures.first?.referrer?.path == "/")
            #expect(skips(report) == [.robots: 1, .scope: 1])
            #expect(report.changes?[.unchanged]?.count == 5)
            #expect(!isThere(path + ".crawl"))
        }
    }

    @Test func `an untouched update reports places if they are requested`() async throws {
        try await withPackage(site) { origin, path, _ in
            let (summary, report) = try await pack(origin, to: path) { $0.tellsPlaces = true }
            #expect(summary?.isUntouched == true)
            #expect(report.depths == [1, 3])
        }
    }

    /// What the origin has changed, and what the package then has besides what it had.
    @Test(
        arguments: [
            ("/b", "another text", 200, []), ("/b", "<a href=new>n</a>", 200, ["/new"]),
            ("/gone", "there", 200, ["/gone"]),
            ("/robots.txt", "User-agent: *\nAllow: /\n", 200, ["/secret"]), ("/robots.txt", "", 404, ["/secret"]),
            ("/r", "no redirect any more", 200, []), ("/i.png", "another image", 200, []),
        ] as [(String, String, Int, [String])]
    )
    func `any difference makes a new package`(path: String, text: String, status: Int, new: [String])
        async throws
    {
        try await withPackage(site) { origin, package, _ in
            origin.set("/new", page("new"))
            origin.set("/secret", page("secret"))
            origin.set(path, page(text, status: status))
            let (summary, report) = try await pack(origin, to: package)
            #expect(summary?.isUntouched == false)
            #expect(report.depths.first == 1)
            #expect(try paths(package) == (["/", "/a", "/b", "/i.png", "/r"] + new).sorted())
            _ = try run("unzip", "-tqq", package)
        }
    }

    @Test(arguments: ["/gone", "/b"])
    func `a new failure is reported`(path: String) async throws {
        try await withPackage(site) { origin, package, _ in
            origin.set(path, TestOrigin.Answer(500))
            let report = try await pack(origin, to: package).report
            #expect(Set(report.failures.map(\.url.path)) == ["/gone", path])
            #expect(try paths(package) == ["/", "/a", "/b", "/i.png", "/r"])
        }
    }

    @Test func `an answered request isn't repeated`() async throws {
        var site = site
        let names = (0..<40).map { "/p\($0)" }
        site["/"] = [page(names.map { "<a href=\($0)>p</a>" }.joined(), tag: "\"1\"")]
        for name in names { site[name] = [page(name, tag: "\"p\"")] }
        try await withPackage(site) { origin, path, before in
            for name in names { origin.set(name, TestOrigin.Answer(304, [("ETag", "\"p\"")])) }
            origin.set("/p39", page("changed", tag: "\"2\""))
            let told = Counter()
            let report = try await pack(origin, to: path) {
                $0.politeness.connectionsPerHost = 2
            } onEvent: { event in
                if case .fetched(let url, _) = event { told.add(url.path) }
            }.report
            #expect(told.words.sorted() == (["/"] + names).sorted())
            #expect(report.changes?[.changed]?.urls.map(\.path) == ["/p39"])
            #expect(report.changes?[.unchanged]?.count == 40)
            // Besides what differs, and what the other connection was just told.
            let twice = Dictionary(origin.requests[before...].map { ($0.target, 1) }, uniquingKeysWith: +).filter {
                $1 > 1
            }
            #expect(twice.keys.contains("/p39"))
            #expect(twice.count <= 2)
            #expect(report.requests == origin.requests.count - before)
        }
    }

    /// What keeps an update from asking beforehand.
    private static let obstacles: [(String, @Sendable (inout CrawlOptions) -> Void)] = [
        ("another rule", { $0.traps.depthLimit = 31 }), ("a delay", { $0.politeness.delay = .milliseconds(1) }),
        ("a package that is to be written", { $0.rewrites = true }),
    ]

    @Test(arguments: obstacles)
    func `a crawl that may differ fetches the pages`(what: String, change: @Sendable (inout CrawlOptions) -> Void)
        async throws
    {
        try await withPackage(site) { origin, path, before in
            let report = try await pack(origin, to: path, change).report
            #expect(!report.depths.isEmpty, "\(what)")
            #expect(report.changes?[.unchanged]?.count == 5, "\(what)")
            #expect(report.requests == origin.requests.count - before, "\(what)")
        }
    }

    @Test func `a host with a Crawl-delay gets each request once`() async throws {
        var site = site
        site["/robots.txt"] = [.text("User-agent: *\nCrawl-delay: 0.01\n")]
        try await withPackage(site) { origin, path, before in
            let report = try await pack(origin, to: path).report
            #expect(!report.depths.isEmpty)
            let asked = origin.requests[before...].map(\.target)
            #expect(Set(asked).count == asked.count)
        }
    }

    @Test func `a crawl that hit a limit or had failures writes no provenance`() async throws {
        try await TestOrigin.withOrigin(site) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path, isUpdate: false) { $0.limits.bytes = 2600 }
                #expect(try PackageReader(path: path).provenance == nil)
                origin.set("/b", TestOrigin.Answer(500))
                _ = try await pack(origin, to: path, isUpdate: false)
                #expect(try PackageReader(path: path).provenance == nil)
            }
        }
    }

    @Test func `an interrupted validation leaves the package unchanged, and so does the next one`() async throws {
        try await withPackage(site) { origin, path, _ in
            let file = try OpenFile.State(path: path)
            origin.set("/b", TestOrigin.Answer(200, delay: .seconds(3600)))
            let update = Task { [origin] in try await pack(origin, to: path) }
            try await waitUntil("the origin is asked again") { origin.count(of: "/b") == 2 }
            update.cancel()
            await #expect(throws: CancellationError.self) { _ = try await update.value }
            #expect(isThere(path + ".crawl"))
            origin.set("/b", page("never the same tag, always the same text"))
            #expect(try await pack(origin, to: path).summary?.isUntouched == true)
            #expect(try OpenFile.State(path: path) == file)
            #expect(!isThere(path + ".crawl"))
        }
    }

    /// What a package claims that its crawl asked for, besides the site; `ORIGIN` stands for the site.
    @Test(
        arguments: [
            ("\"failed\":[", "\"failed\":[{\"url\":\"http://elsewhere.example/x\",\"status\":404},"),
            ("\"failed\":[", "\"failed\":[{\"url\":\"ORIGIN/secret\",\"status\":404},"),
            ("\"robots\":{", "\"robots\":{\"http://elsewhere.example\":\"none\","),
            ("\"robots\":{", "\"robots\":{\"http://127.0.0.1:1\":\"none\","),
        ]
    )
    func `no package makes an update fetch what its crawl wouldn't`(text: String, lie: String) async throws {
        try await withPackage(site) { origin, path, before in
            let folder = Durable.folder(of: path)
            let member = String(decoding: try run("unzip", "-p", path, ".afcache/crawl.json"), as: UTF8.self)
                .replacing("\": ", with: "\":")
            #expect(member.contains(text))
            _ = try run("mkdir", "-p", folder + "/.afcache")
            try write(
                member.replacing(text, with: lie.replacing("ORIGIN", with: origin.base)),
                to: folder + "/.afcache/crawl.json"
            )
            _ = try run("sh", "-c", "cd '\(folder)' && zip -q 1.zip .afcache/crawl.json")
            #expect(try PackageReader(path: path).provenance != nil)
            let (summary, report) = try await pack(origin, to: path)
            #expect(summary?.isUntouched == true)
            #expect(!report.depths.isEmpty)
            #expect(report.failures.map(\.url.path) == ["/gone"])
            #expect(origin.count(of: "/secret") == 0)
            #expect(report.requests == origin.requests.count - before)
        }
    }

    @Test func `a seed that redirects to another host of the site is followed there`() async throws {
        try await TestOrigin.withOrigin([
            "/": [page("<a href=/a>a</a>", tag: "\"1\"")], "/a": [page("a", tag: "\"a\"")],
        ]) {
            origin in
            let moved = ["/": [TestOrigin.Answer.redirect(origin.base + "/")]]
            try await TestOrigin.withOrigin(moved) { old in
                try await withScratchFolder { folder in
                    let path = folder + "/1.zip"
                    _ = try await pack(old, to: path, isUpdate: false)
                    #expect(try PackageReader(path: path).index.resources.count == 3)
                    origin.set("/", TestOrigin.Answer(304))
                    let report = try await pack(old, to: path).report
                    #expect(report.depths.isEmpty)
                    #expect(report.changes?[.unchanged]?.count == 3)
                }
            }
        }
    }

    @Test func `an edited package is repaired`() async throws {
        try await withPackage(site) { origin, path, _ in
            // Without the entry of '/b', its record and its body.
            let host = origin.base.dropFirst("http://".count).replacing(":", with: "+")
            for (name, text) in [("manifest.afcache", "/b ;"), (".afcache/resources.jsonl", "/b\"")] {
                let lines = String(decoding: try run("unzip", "-p", path, name), as: UTF8.self)
                let kept = lines.split(separator: "\n").filter { !$0.contains(text) }.joined(separator: "\n") + "\n"
                let folder = Durable.folder(of: path)
                _ = try run("mkdir", "-p", folder + "/.afcache")
                try write(kept, to: folder + "/" + name)
                _ = try run("sh", "-c", "cd '\(folder)' && zip -q 1.zip '\(name)'")
            }
            _ = try run("zip", "-qd", path, "\(host)/b")
            #expect(try paths(path) == ["/", "/a", "/i.png", "/r"])
            let report = try await pack(origin, to: path).report
            #expect(report.changes?[.added]?.urls.map(\.path) == ["/b"])
            #expect(try paths(path) == ["/", "/a", "/b", "/i.png", "/r"])
        }
    }
}
