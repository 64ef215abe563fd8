import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import AFCZip
import HTTPTypes
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// The page that a site sends for URLs that it doesn't have, as a crawl finds it.
struct MissingPageTests {
    typealias Answer = TestOrigin.Answer
    private static let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
    private static let text = "<title>Missing</title><link rel=stylesheet href=/404.css><a href=/never>x</a>"
    private static let probes = ["/afcache-missing-page", "/afcache-missing/page.html"]

    private static func missing(_ text: String = text, _ fields: [(String, String)] = [], status: Int = 404) -> Answer {
        Answer(status, [("Content-Type", "text/html; charset=utf-8")] + fields, body: Array(text.utf8))
    }

    private static var site: [String: [Answer]] {
        [
            "/": [.html("<link rel=icon href=data:,><a href=/a>a</a><a href=/gone>g</a>")], "/a": [.html("a")],
            "/404.css": [.text("p { }", type: "text/css")], "/robots.txt": [Answer(404)],
            "*": [missing(text, [("Cache-Control", "no-store"), ("ETag", "\"x\"")])],
        ]
    }

    private static func pack(
        _ origin: TestOrigin,
        to path: String,
        updating: Bool = false,
        at seeds: [String] = ["/"],
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> (summary: PackageWriter.Summary?, report: CrawlReport) {
        let now = now
        var options = CrawlOptions(seeds: try seeds.map { try WebURL(origin.base + $0) }, now: { now })
        options.asksForMissingPage = true
        options.tellsPlaces = false
        options.retries.retries = 0
        options.updates = updating ? path : nil
        change(&options)
        let output = Packaging.Output(path: path, created: now, generator: "test")
        return try await Packaging.pack(options, fetching: .patient(), to: output)
    }

    /// Packs a site, and returns its page for missing URLs, and what was requested.
    private static func found(
        _ site: [String: [Answer]],
        at seeds: [String] = ["/"],
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> (fallback: FallbackRules?, targets: [String], report: CrawlReport) {
        try await TestOrigin.withOrigin(site) { origin in
            try await withScratchFolder { folder in
                let report = try await pack(origin, to: folder + "/p.zip", at: seeds, change).report
                return (try PackageReader(path: folder + "/p.zip").index.fallback, origin.targets, report)
            }
        }
    }

    @Test(
        arguments: [
            (["http://d.example/"], "http://d.example/"), (["http://d.example/a/b.html"], "http://d.example/a/"),
            (["http://d.example/a/b/", "http://d.example/a/c/d"], "http://d.example/a/"),
            (["http://d.example/a/", "http://d.example/ab/"], "http://d.example/"),
            (["http://d.example:81/x?q=1"], "http://d.example:81/"),
            (["http://d.example/a//b"], "http://d.example/a//"),
            ([], nil), (["http://d.example/", "http://e.example/"], nil),
            (["http://d.example/", "https://d.example/"], nil), (["data:text/html,a"], nil),
        ] as [([String], String?)]
    )
    func `the base is the folder that all start pages have in common`(_ pages: [String], _ base: String?) throws {
        let rules = MissingPageRules(startPages: try pages.map { try WebURL($0) })
        #expect(rules?.base.description == base)
        #expect(rules?.probes.map(\.description) == base.map { base in Self.probes.map { base + $0.dropFirst() } })
        #expect(rules?.probes.map(MissingPageRules.isProbe) == base.map { _ in [true, false] })
    }

    @Test func `a site's own page answers for what is missing, with what it needs`() async throws {
        try await TestOrigin.withOrigin(Self.site) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/p.zip"
                let report = try await Self.pack(origin, to: path).report
                let reader = try PackageReader(path: path)
                try reader.requireLoadable()
                let fallback = try #require(reader.index.fallback)
                #expect(fallback.base.description == origin.base + "/" && fallback.application == nil)
                let page = try #require(fallback.missing)
                #expect(page.path == Self.probes[0])
                let resource = try #require(reader.index.resource(for: page))
                #expect(resource.record?.status == 200 && resource.entry?.mediaType == "text/html; charset=utf-8")
                #expect(resource.record?.fields[.cacheControl] == nil && resource.record?.fields[.eTag] == nil)
                let member = try #require(resource.member)
                #expect(try reader.archive.read(reader.archive.members[member], maxBytes: 999) == Array(Self.text.utf8))
                // The style sheet is taken, the link isn't followed, and the two requests come last.
                #expect(origin.targets.suffix(3) == Self.probes + ["/404.css"])
                #expect(reader.index.resources.map(\.url.path).sorted() == ["/", "/404.css", "/a", Self.probes[0]])
                #expect(report.failures.map(\.url.path) == ["/gone"] && report.absentGuesses == 0)
            }
        }
    }

    @Test(arguments: [(true, ["/docs/near.js"]), (false, ["/own.css", "/own.js"])])
    func `a page that was written for the root of a host needs nothing outside the site's folder`(
        isDisplaced: Bool,
        requested: [String]
    ) async throws {
        let styles = isDisplaced ? "<link rel=stylesheet href=own.css>" : ""
        let found = try await Self.found(
            [
                "/docs/": [.html("<link rel=icon href=data:,>" + styles)], "/robots.txt": [Answer(404)],
                "/docs/own.css": [.text("p { }", type: "text/css")],
                "*": [
                    Self.missing(
                        "<title>Missing</title><link rel=stylesheet href=/own.css><script src=/own.js></script>"
                            + "<script src=/docs/near.js></script>"
                    )
                ],
            ],
            at: ["/docs/"]
        )
        let needed = found.targets.drop { !$0.hasSuffix("/page.html") }.dropFirst()
        #expect(needed.sorted() == requested)
    }

    /// A page whose styles and scripts are in a folder.
    private static func needy(_ folder: String) -> Answer {
        let scripts = (0..<9).map { "<script src=\(folder)\($0).js></script>" }.joined()
        return missing("<title>Missing</title><link rel=stylesheet href=/own.css>" + scripts)
    }

    @Test(
        arguments: [
            ([], false, ["/own.css", "/x/0.js"]), (["/x/0.js"], false, ["/own.css"] + (0..<9).map { "/x/\($0).js" }),
            ([], true, ["/x/0.js", "/x/1.js"]),
        ] as [([String], Bool, [String])]
    )
    func `what the page needs is left out if the crawl has less than half of it, and two are missing`(
        there: [String],
        isShared: Bool,
        requested: [String]
    ) async throws {
        var site = Self.site
        site["*"] = [Self.needy("/x/")]
        site["/404.css"] = nil
        for path in there { site[path] = [.text("", type: "text/javascript")] }
        if isShared {
            site["/"] = [.html("<link rel=icon href=data:,><link rel=stylesheet href=/own.css>")]
            site["/own.css"] = [.text("p { }", type: "text/css")]
        }
        let found = try await Self.found(site)
        #expect(Set(found.targets.drop { $0 != Self.probes[1] }.dropFirst()) == Set(requested))
        #expect(found.fallback != nil && found.report.absentGuesses == requested.count - there.count)
    }

    @Test(
        arguments: [
            // A page that servers make, and pages that differ, are private, or no HTML with status 404.
            ["*": [missing("<html><center><h1>404 Not Found</h1></center><hr>nginx</html>")]],
            [probes[1]: [missing(text + "2")]], ["*": [missing(text, status: 200)]],
            ["*": [missing(text, status: 410)]],
            [probes[0]: [missing(text, [("Cache-Control", "max-age=0, private")])]],
            [probes[0]: [Answer(404, [("Content-Type", "text/plain")], body: Array(text.utf8))]],
            ["*": [missing("")]], [probes[1]: [.redirect("/")]], [probes[1]: [.reset]],
            ["*": [missing(String(repeating: "<a href=/x>x</a>", count: (4 << 20) / 16 + 1))]],
        ] as [[String: [Answer]]]
    )
    func `other answers are no page, and no failure`(_ changes: [String: [Answer]]) async throws {
        let found = try await Self.found(Self.site.merging(changes) { $1 })
        #expect(found.fallback == nil)
        // A page with status 200 is one of the site's, but nothing is requested for the answers to the probes.
        let probe = try #require(found.targets.firstIndex(of: Self.probes[0]))
        #expect(!found.targets[probe...].contains("/404.css"))
        #expect(!found.report.failures.contains { Self.probes.contains($0.url.path) })
    }

    @Test func `a server's error in place of the page isn't asked for again`() async throws {
        let found = try await Self.found(Self.site.merging([Self.probes[0]: [Answer(503)]]) { $1 }) { options in
            options.retries.retries = 2
            options.retries.backoff = .milliseconds(1)
        }
        #expect(found.fallback == nil)
        #expect(found.targets.count { $0 == Self.probes[0] } == 1)
    }

    @Test func `a page with a script alone is the site's own`() async throws {
        let found = try await Self.found(Self.site.merging(["*": [Self.missing("<SCRIPT>go()</SCRIPT>")]]) { $1 })
        #expect(found.fallback != nil)
    }

    @Test(arguments: ["scope", "pages", "depth", "excluded", "off"])
    func `a crawl that may have left out pages doesn't look for it`(_ name: String) async throws {
        let found = try await Self.found(Self.site) { options in
            switch name {
            case "scope": options.scope.extent = .page
            case "pages": options.limits[.pages] = 1
            case "depth": options.scope.depth = 0
            case "excluded": options.scope.exclude = [try? URLPattern("*/a")].compactMap(\.self)
            default: options.asksForMissingPage = false
            }
        }
        #expect(found.fallback == nil && !found.targets.contains(Self.probes[0]))
    }

    @Test func `a failure that says nothing about what exists prevents it, and so does robots.txt`() async throws {
        let failing = try await Self.found(Self.site.merging(["/a": [Answer(500)]]) { $1 })
        #expect(failing.fallback == nil && !failing.targets.contains(Self.probes[0]))
        let robots = Answer.text("User-agent: *\nDisallow: /afcache-missing/\n")
        let forbidden = try await Self.found(Self.site.merging(["/robots.txt": [robots]]) { $1 })
        #expect(forbidden.fallback == nil && !forbidden.targets.contains(Self.probes[1]))
    }

    @Test func `a seed that redirects leads to the folder of its target`() async throws {
        var site = Self.site
        site["/"] = [.redirect("/docs/index.html")]
        site["/docs/index.html"] = [.html("<link rel=icon href=data:,>docs")]
        let found = try await Self.found(site)
        #expect(found.fallback?.base.path == "/docs/")
        #expect(found.fallback?.missing?.path == "/docs" + Self.probes[0])
    }

    @Test func `an update keeps it, changes it, and adds it to a package that was made without it`() async throws {
        var site = Self.site
        let tag = "\"1\""
        for path in ["/", "/a", "/404.css"] { site[path]?[0].fields.append(("ETag", tag)) }
        try await TestOrigin.withOrigin(site) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/p.zip"
                _ = try await Self.pack(origin, to: path) { $0.asksForMissingPage = false }
                #expect(try PackageReader(path: path).index.fallback == nil)
                let added = try await Self.pack(origin, to: path, updating: true).report
                #expect(added.changes?[.added]?.urls.map(\.path).contains(Self.probes[0]) == true)
                #expect(try PackageReader(path: path).index.fallback != nil)
                let first = try FileState(path)
                // Nothing has changed: once by validation, once by reading the pages.
                for tells in [false, true] {
                    let again = try await Self.pack(origin, to: path, updating: true) { $0.tellsPlaces = tells }
                    #expect(again.summary?.isUntouched == true, "\(tells)")
                    #expect(try FileState(path) == first)
                }
                origin.set("*", Self.missing("<a href=/>other</a>"))
                let changed = try await Self.pack(origin, to: path, updating: true)
                #expect(changed.summary?.isUntouched == false)
                #expect(changed.report.changes?[.changed]?.urls.map(\.path) == [Self.probes[0]])
                origin.set("*", Answer(404))
                let removed = try await Self.pack(origin, to: path, updating: true)
                #expect(removed.report.changes?[.removed]?.urls.map(\.path).contains(Self.probes[0]) == true)
                #expect(try PackageReader(path: path).index.fallback == nil)
            }
        }
    }

    @Test func `what fails with 404 or 410 is listed, and an update follows it`() async throws {
        let tag = ("ETag", "\"1\"")
        let page = "<link rel=icon href=data:,><img src=/i.png><a href=/gone>g</a><a href=/b>b</a><a href=/no>n</a>"
        let site: [String: [Answer]] = [
            "/": [Answer(200, [("Content-Type", "text/html"), tag], body: Array(page.utf8))],
            "/gone": [Answer(410)], "/no": [Answer(403)], "/robots.txt": [Answer(404)],
            "/b": [Answer(200, [("Content-Type", "text/html"), tag], body: Array("b".utf8))],
        ]
        try await TestOrigin.withOrigin(site) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/p.zip"
                func absent() throws -> [String] {
                    let reader = try PackageReader(path: path)
                    try reader.requireLoadable()
                    return reader.index.absent?.entries.map { "\($0.status) \($0.url.path)" } ?? []
                }
                _ = try await Self.pack(origin, to: path)
                #expect(try absent() == ["410 /gone", "404 /i.png"])
                let first = try FileState(path)
                for tells in [false, true] {
                    let again = try await Self.pack(origin, to: path, updating: true) { $0.tellsPlaces = tells }
                    #expect(again.summary?.isUntouched == true, "\(tells)")
                    #expect(try FileState(path) == first)
                }
                // Only the list changes.
                origin.set("/gone", Answer(404))
                let changed = try await Self.pack(origin, to: path, updating: true)
                #expect(changed.summary?.isUntouched == false)
                #expect(try absent() == ["404 /gone", "404 /i.png"])
                origin.set("/i.png", .text("i", type: "image/png"))
                _ = try await Self.pack(origin, to: path, updating: true)
                #expect(try absent() == ["404 /gone"])
            }
        }
    }

    /// What tells one version of a file from another.
    private struct FileState: Equatable {
        var state: OpenFile.State

        init(_ path: String) throws { state = try OpenFile.State(path: path) }
    }
}
