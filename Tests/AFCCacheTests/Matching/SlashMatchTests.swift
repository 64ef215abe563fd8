import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AFCCache

/// Redirects of navigations to the page that differs only in a slash, `.html` or `index.html`.
struct SlashMatchTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
    private static let navigation: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]

    /// A stored resource: its target on d.example, and what differs from a page.
    private struct Page {
        var target: String
        var body: String?
        var type = "text/html"
        var status = 200
        var fields = HTTPFields()
        var expires: Timestamp? = now + 3600
    }

    private static func load(
        as name: String = "p",
        _ pages: [Page],
        missing: String? = nil,
        into cache: DiskCache,
        _ scratch: Scratch
    ) async throws {
        let resources = try pages.sorted { $0.target < $1.target }.map { page in
            let url = try WebURL("http://d.example" + page.target)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, status: page.status, fields: page.fields, fetched: now),
                entry: page.status == 200
                    ? ManifestEntry(url: url, lastModified: nil, expires: page.expires, mediaType: page.type) : nil,
                body: page.status == 200 ? .bytes(Array((page.body ?? page.target).utf8)) : nil,
                isCompressible: true
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        options.fallback = try missing.map { path in
            try FallbackRules(
                base: WebURL("http://d.example/"),
                application: nil,
                missing: WebURL("http://d.example" + path)
            )
        }
        _ = try await PackageWriter.write(resources, to: scratch.path(name + ".zip"), options: options)
        _ = try await cache.install(scratch.path(name + ".zip"), now: now)
    }

    private static func ask(
        _ target: String,
        _ cache: some OfflineAnswering,
        _ fields: HTTPFields = navigation,
        _ matching: QueryMatching = .query,
        _ method: HTTPRequest.Method = .get
    ) throws -> CacheAnswer {
        let request = OfflineRequest(method: method, url: try WebURL("http://d.example" + target), fields: fields)
        return try cache.respond(to: request, now: now + 60, policy: OfflinePolicy(), matching: matching)
    }

    @Test(
        arguments: [
            ("/dir", ["/dir/ ./dir/", "/dir.html ./dir.html", "/dir/index.html ./dir/index.html"]),
            (
                "/a/b.c?q=1#f",
                [
                    "/a/b.c/?q=1 ./b.c/?q=1", "/a/b.c.html?q=1 ./b.c.html?q=1",
                    "/a/b.c/index.html?q=1 ./b.c/index.html?q=1",
                ]
            ),
            ("/a/dir/", ["/a/dir ../dir", "/a/dir/index.html ./index.html"]), ("/", ["/index.html ./index.html"]),
            ("/?q=a/b", ["/index.html?q=a/b ./index.html?q=a/b"]), ("/a/index.html?", ["/a/? ./?"]),
            ("/p.html", ["/p.html/ ./p.html/", "/p ./p", "/p.html/index.html ./p.html/index.html"]),
            ("/.html", ["/.html/ ./.html/", "/.html/index.html ./.html/index.html"]),
            ("/a//", ["/a//index.html ./index.html"]),
            ("/x:y", ["/x:y/ ./x:y/", "/x:y.html ./x:y.html", "/x:y/index.html ./x:y/index.html"]),
            (
                "/%2e%2e%2fa",
                [
                    "/%2e%2e%2fa/ ./%2e%2e%2fa/", "/%2e%2e%2fa.html ./%2e%2e%2fa.html",
                    "/%2e%2e%2fa/index.html ./%2e%2e%2fa/index.html",
                ]
            ),
        ]
    )
    func `the other spellings of a path, and where Location leads`(_ target: String, _ expected: [String]) throws {
        let url = try WebURL("http://d.example" + target)
        let spellings = SlashMatch.spellings(of: url)
        #expect(spellings.map { $0.url.requestTarget + " " + $0.location } == expected)
        for spelling in spellings { #expect(try WebURL(spelling.location, base: url) == spelling.url) }
    }

    @Test func `schemes without paths of a web server have no other spellings`() throws {
        #expect(SlashMatch.spellings(of: try WebURL("afcpkg://localhost/dir")).isEmpty)
        #expect(SlashMatch.spellings(of: try WebURL("data:text/html,a")).isEmpty)
    }

    @Test(
        arguments: [
            ("//a.js", "/a.js ../a.js"), ("/d//a.js?v=1", "/d/a.js?v=1 ../a.js?v=1"),
            ("/d//e///f/a.js", "/d/e/f/a.js ../../../../../e/f/a.js"), ("/d//", "/d/ ../"), ("///", "/ ../../"),
            ("//x:y", "/x:y ../x:y"), ("/d/a.js", nil), ("/", nil), ("/a?b=//c", nil),
        ] as [(String, String?)]
    )
    func `a path with doubled slashes without them, and where Location leads`(_ target: String, _ expected: String?)
        throws
    {
        let url = try WebURL("http://d.example" + target)
        let merged = DoubledSlash.merged(url)
        #expect(merged.map { $0.url.requestTarget + " " + $0.location } == expected)
        if let merged { #expect(try WebURL(merged.location, base: url) == merged.url) }
    }

    @Test func `a script at a path with doubled slashes is redirected to the one that is packaged`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        let type = "text/javascript"
        let pages = [
            Page(target: "/a.js", type: type), Page(target: "/d/b.js", type: type),
            Page(target: "/d//c.js", type: type),
            Page(target: "/p.js", type: type, fields: [.cacheControl: "private"]),
        ]
        try await Self.load(pages, into: cache, scratch)
        let script: HTTPFields = [.accept: "*/*", .secFetchMode: "no-cors"]
        for (target, status) in [
            ("//a.js", 308), ("/d//b.js", 308), ("//d//b.js", 308), ("/d//c.js", 200), ("//d//c.js", 504),
            ("//n.js", 504),
            ("//p.js", 504), ("//a.js?q=1", 504),
        ] {
            let answer = try Self.ask(target, cache, script)
            #expect(answer.resolution.status.code == status, "\(target)")
            let exact = try Self.ask(target, cache, script, .exact).resolution.status.code
            #expect(exact == (status == 308 ? 504 : status), "\(target)")
        }
        #expect(try Self.ask("//a.js", cache, script).resolution.fields[.location] == "../a.js")
        #expect(try Self.ask("//a.js", cache, script, .query, .post).resolution.status.code != 308)
    }

    @Test func `a navigation without the slash is redirected, and the answer says why`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(
            [Page(target: "/dir/"), Page(target: "/404.html")],
            missing: "/404.html",
            into: cache,
            scratch
        )
        for method in [HTTPRequest.Method.get, .head] {
            for extra: HTTPFields in [[:], [.range: "bytes=0-1"], [.ifNoneMatch: "*"], [.ifMatch: "\"x\""]] {
                let answer = try Self.ask("/dir", cache, Self.navigation + extra, .query, method)
                #expect(answer.resolution.status == .permanentRedirect && answer.body == nil)
                #expect(answer.redirectsToMatch && answer.fallback == nil && answer.resolution.body == .none)
                #expect(answer.matched?.description == "http://d.example/dir/")
                #expect(answer.resolution.fields[.location] == "./dir/")
                #expect(answer.resolution.fields[.vary] == "Sec-Fetch-Mode, Accept")
                #expect(answer.resolution.fields[.cacheControl] == "no-store")
                #expect(answer.resolution.fields[.contentLength] == "0")
                #expect(answer.resolution.fields[.contentType] == nil && answer.resolution.fields[.eTag] == nil)
                let status = try #require(answer.resolution.fields[.cacheStatus])
                #expect(status.hasSuffix(#"; key="http://d.example/dir/"; detail=slash-redirect"#), "\(status)")
            }
        }
        #expect(try Self.ask("/dir?q=1", cache).resolution.fields[.location] == "./dir/?q=1")
        // The page itself is a hit, with and without a query.
        #expect(try Self.ask("/dir/?q=1", cache).resolution.status == .ok)
        #expect(try Self.ask("/other", cache).fallback == .missing)
    }

    @Test(
        arguments: [
            // Requested, stored, Location or nil.
            ("/dir", ["/dir/"], "./dir/"), ("/dir", ["/dir.html"], "./dir.html"),
            ("/dir", ["/dir/index.html"], "./dir/index.html"), ("/dir/", ["/dir"], "../dir"),
            ("/dir/", ["/dir/index.html"], "./index.html"), ("/dir/index.html", ["/dir/"], "./"),
            ("/page.html", ["/page"], "./page"), ("/", ["/index.html"], "./index.html"),
            ("/dir", ["/dir/", "/dir.html"], nil), ("/dir/", ["/dir", "/dir/index.html"], nil),
            ("/dir/index.html", ["/dir"], nil), ("/dir", ["/dir/other.html"], nil), ("/dir", ["/Dir/"], nil),
            ("/k%C3%A4se", ["/k%c3%a4se/"], "./k%C3%A4se/"), ("/k%c3%a4se", ["/k%C3%A4se/"], "./k%c3%a4se/"),
            ("/dir?a=1", ["/dir/?a=1", "/dir/?a=2"], "./dir/?a=1"), ("/dir?a=3", ["/dir/?a=1", "/dir/?a=2"], nil),
            ("/dir", ["/dir/?a=1"], nil), ("/dir?utm_source=x", ["/dir/"], "./dir/?utm_source=x"),
        ] as [(String, [String], String?)]
    )
    func `exactly one page must fit`(_ target: String, _ stored: [String], _ location: String?) async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(stored.map { Page(target: $0) }, into: cache, scratch)
        let answer = try Self.ask(target, cache)
        #expect(answer.resolution.fields[.location] == location)
        #expect(answer.isUnknown == (location == nil))
        let mounted = try MountedPackages([scratch.path("p.zip")], now: Self.now)
        #expect(try Self.ask(target, mounted).resolution.fields[.location] == location)
        let index = try PackageReader(path: scratch.path("p.zip")).index
        let url = try WebURL("http://d.example" + target)
        #expect(SlashMatch.find(url, in: index, by: .query)?.location == location)
        // Where it leads is stored.
        guard let location else { return }
        let next = try WebURL(location, base: url).requestTarget
        #expect(try Self.ask(next, cache).resolution.status == .ok)
    }

    @Test func `a folder and its index page with the same body are one page`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(
            [Page(target: "/dir/", body: "same"), Page(target: "/dir/index.html", body: "same")],
            into: cache,
            scratch
        )
        #expect(try Self.ask("/dir", cache).resolution.fields[.location] == "./dir/")
        try await Self.load(as: "q", [Page(target: "/dir.html", body: "other")], into: cache, scratch)
        #expect(try Self.ask("/dir", cache).isUnknown)
    }

    @Test func `what is no page with status 200 that anybody may see is no target`() async throws {
        for page in [
            Page(target: "/dir/", type: "application/json"), Page(target: "/dir/", fields: [.cacheControl: "private"]),
            Page(target: "/dir/", status: 301, fields: [.location: "/elsewhere"]),
        ] {
            let (cache, scratch) = try MatchingCache.made()
            try await Self.load([page, Page(target: "/")], into: cache, scratch)
            #expect(try Self.ask("/dir", cache).isUnknown, "\(page)")
        }
    }

    @Test func `what is stored and another query come first, and only navigations are redirected`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        let pages = ["/a", "/a/", "/b.html", "/b.html/", "/c/"].map { Page(target: $0) }
        try await Self.load(pages, into: cache, scratch)
        #expect(try Self.ask("/a", cache).text() == "/a")
        #expect(try Self.ask("/b.html?q=1", cache).text() == "/b.html")
        for fields: HTTPFields in [
            [:], [.accept: "*/*"], [.accept: "image/*"], [.secFetchMode: "no-cors", .accept: "text/html"],
            [.accept: "text/html", .authorization: "Basic YTpi"],
        ] {
            #expect(try Self.ask("/c", cache, fields).isUnknown, "\(fields)")
        }
        #expect(try Self.ask("/c", cache, [.secFetchMode: "navigate"]).redirectsToMatch)
        #expect(try Self.ask("/c", cache, Self.navigation, .exact).isUnknown)
        #expect(try Self.ask("/c", cache, Self.navigation, .query, .post).resolution.status == .methodNotAllowed)
    }

    @Test func `a page that may not be served stale is refused, not hidden behind a redirect`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load([Page(target: "/dir/", expires: Self.now - 3600)], into: cache, scratch)
        #expect(try Self.ask("/dir", cache).resolution.status == .permanentRedirect)
        let fields = Self.navigation + [.cacheControl: "max-stale=0"]
        let answer = try Self.ask("/dir", cache, fields)
        #expect(answer.resolution.status == .gatewayTimeout && answer.resolution.verdict == .expiredRefused)
    }
}

private func + (one: HTTPFields, other: HTTPFields) -> HTTPFields {
    var fields = one
    fields.append(contentsOf: other)
    return fields
}
