import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import AFCServer

/// Versions by time (RFC 7089).
@Suite(.timeLimit(.minutes(10)))
struct VersionTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    // MARK: Targets

    @Test(
        arguments: [
            ("2023", "20231231235959"), ("202302", "20230228235959"), ("202402", "20240229235959"),
            ("2023-04", "20230430235959"), ("20231114", "20231114235959"), ("2023-11-14", "20231114235959"),
            ("2023111422", "20231114225959"), ("202311142213", "20231114221359"), ("20231114221320", "20231114221320"),
            ("2023-11-14T22:13:20Z", "20231114221320"), ("2023-11-14T22:13", "20231114221359"),
            ("202", nil), ("20231", nil), ("202313", nil), ("20230230", nil), ("202311142", nil),
            ("20231114221360", nil),
            ("202311142213201", nil), ("x", nil), ("", nil), ("2023-11-14 22:13:20", nil), ("d.example", nil),
            ("２０２３", nil), ("-2023", nil),
        ] as [(String, String?)]
    )
    func `a moment is the last second of what was written`(text: String, digits: String?) {
        let moment = Moment(text)
        #expect(moment?.description == digits)
        #expect(moment.map { $0.isExact } ?? false == (digits != nil && text.filter(\.isNumber).count == 14))
        if let moment { #expect(Moment(moment.description)?.time == moment.time) }
    }

    @Test func `targets name versions`() throws {
        let url = try WebURL("https://d.example/a?b=/c")
        let moment = try #require(Moment("2023"))
        let exact = try #require(Moment("20231231235959"))
        func target(_ text: String) throws -> PastTarget? { try PastTarget(text) }
        #expect(try target("/.afcache/at/2023/https://d.example/a?b=/c") == .resource(moment, [url]))
        #expect(try target("/.afcache/at/2023/https:/d.example/a?b=/c") == .resource(moment, [url]), "merged slashes")
        #expect(try target("/.afcache/at/https://user@d.example/a?b=/c") == .resource(nil, [url]))
        #expect(try target("/.afcache/timemap/https://d.example/a?b=/c") == .versions([url]))
        #expect(
            try target("/.afcache/compare/2023/20231231235959/https://d.example/a?b=/c")
                == .comparison(moment, exact, [url])
        )
        guard case .resource(moment, let urls)? = try target("/.afcache/at/2023/d.example") else {
            Issue.record("no resource")
            return
        }
        #expect(urls.map(\.description) == ["http://d.example/", "https://d.example/", "afcpkg://d.example/"])
        #expect(try target("/d.example/") == nil)
        for text in [
            "at/", "at/20230230/d.example/", "at/2023", "at/2023/", "timemap/", "compare/2023/https://d.example/",
            "compare/x/y/z",
            "at/2023/https://",
        ] {
            #expect(throws: RequestTarget.Fault.self, "\(text)") { try target("/.afcache/" + text) }
        }
    }

    @Test(arguments: ["http://d.example/", "https://d.example:8443/a%20b?c=d&e", "http://[::1]/x"])
    func `paths lead back`(text: String) throws {
        let url = try WebURL(text)
        let moment = try #require(Moment("20231114221320"))
        #expect(try PastTarget(PastTarget.link(to: url, at: moment)) == .resource(moment, [url]))
        #expect(try PastTarget(PastTarget.gate(of: url)) == .resource(nil, [url]))
        #expect(try PastTarget(PastTarget.list(of: url)) == .versions([url]))
        #expect(try PastTarget(PastTarget.comparison(of: url, moment, moment)) == .comparison(moment, moment, [url]))
    }

    // MARK: Answers

    /// A cache with three versions of a page, ten seconds apart, the second one with another page.
    private static func cache(_ scratch: Scratch, keeps retention: PackageSettings.Retention? = .versions(9))
        async throws
        -> DiskCache
    {
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<3 {
            let time = now + Int64(10 * number)
            let page = """
                <title>T</title><p>Edition \(number) &lt;b>.</p><p>The same.</p><a href="/b.html">b</a><a href="http://q.example/">q</a>
                """
            var pages = ["a.html": page, "style.css": "p { color: #00\(number) }"]
            if number == 1 { pages["b.html"] = "<p>Only once</p>" }
            let resources = try pages.map { path, text in
                let url = try WebURL("http://d.example/" + path)
                let type = path.hasSuffix("css") ? "text/css" : "text/html"
                var record = ResourceRecord(url: url, fetched: time)
                if path == "a.html" { record.pageUsage = UsagePreferences(text: "noai") }
                return PackageWriter.Resource(
                    record: record,
                    entry: ManifestEntry(url: url, lastModified: time, expires: time + 5, mediaType: type),
                    body: .bytes(Array(text.utf8)),
                    isCompressible: true
                )
            }
            let path = scratch.path("p.zip")
            _ = try await PackageWriter.write(resources, to: path, options: .init(created: time, generator: "t/1"))
            _ = try await cache.install(path, now: time)
            var change = PackageSettings.Change()
            change.retention = .some(retention)
            if number == 0 { _ = try await cache.update("p", change) }
        }
        return cache
    }

    private static func answer(
        _ cache: any OfflineAnswering,
        _ target: String,
        _ fields: [String: String] = [:],
        host: String = "localhost:8080",
        method: String = "GET",
        expired: OfflinePolicy.Expired = .refuse,
        matching: QueryMatching = .exact
    ) throws -> ServerAnswer {
        var request = ServerRequest(
            method: method,
            target: target,
            hosts: [host],
            server: ServerIdentity(port: 8080)
        )
        for (name, value) in fields { request.fields[try #require(HTTPField.Name(name))] = value }
        let responder = CacheResponder(
            store: cache,
            policy: OfflinePolicy(expired: expired),
            matching: matching,
            now: { now + 100 }
        )
        if let known = responder.lookUpAtOnce(request) { return known }
        return try #require(try responder.lookUp(request))
    }

    private static func text(_ answer: ServerAnswer) throws -> String {
        switch answer.body {
        case .bytes(let bytes): return String(buffer: bytes)
        case .stored(var stream):
            var text = ""
            while let piece = try stream.next() { text += String(buffer: piece) }
            return text
        default: return ""
        }
    }

    private static let first = "/.afcache/at/20231114221320/http://d.example/a.html"

    @Test func `a version has its time, its links and its own references`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let answer = try Self.answer(cache, Self.first)
        #expect(answer.status == .ok, "an expired version is shown")
        #expect(answer.fields[.mementoDatetime] == "Tue, 14 Nov 2023 22:13:20 GMT")
        let link = answer.fields[.link] ?? ""
        #expect(link.contains(#"<http://d.example/a.html>; rel="original""#))
        #expect(link.contains(#"<http://localhost:8080/.afcache/at/http://d.example/a.html>; rel="timegate""#))
        #expect(link.contains(#"<http://localhost:8080/.afcache/timemap/http://d.example/a.html>; rel="timemap""#))
        let text = try Self.text(answer)
        #expect(
            text.contains("Edition 0") && text.contains(#"href="/.afcache/at/20231114221320/http://d.example/b.html""#)
        )
        #expect(text.contains(#"href="http://q.example/""#) && !text.contains("<afcache-versions>"))
        #expect(answer.fields[values: .contentSecurityPolicy].contains { $0.hasPrefix("sandbox ") })
        // What wasn't there yet is looked for at other times.
        let later = try Self.answer(cache, "/.afcache/at/20231114221320/http://d.example/b.html")
        #expect(later.status == .found)
        #expect(later.fields[.location] == "http://localhost:8080/.afcache/at/20231114221330/http://d.example/b.html")
        #expect(try Self.answer(cache, "/.afcache/at/20231114221320/http://d.example/c.html").status == .notFound)
        #expect(try Self.answer(cache, Self.first, method: "POST").status == .methodNotAllowed)
    }

    @Test(
        arguments: [
            ("at/2020/", nil, 20), ("at/2023-11-14/", nil, 40), ("at/20231114221335/", nil, 30), ("at/2099/", nil, 40),
            ("at/", nil, 40), ("at/", "Tue, 14 Nov 2023 22:13:29 GMT", 20),
            ("at/", "Tue, 14 Nov 2023 22:13:30 GMT", 30),
            ("at/", "Mon, 01 Jan 1990 00:00:00 GMT", 20), ("at/", "Fri, 01 Jan 2100 00:00:00 GMT", 40),
        ] as [(String, String?, Int)]
    )
    func `§4_5: a gate leads to the version of a time`(path: String, wish: String?, second: Int) async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let fields = wish.map { ["Accept-Datetime": $0] } ?? [:]
        let answer = try Self.answer(cache, "/.afcache/\(path)http://d.example/a.html", fields)
        #expect(answer.status == .found && answer.fields[.mementoDatetime] == nil)
        let target = "http://localhost:8080/.afcache/at/202311142213\(second)/http://d.example/a.html"
        #expect(answer.fields[.location] == target && answer.fields[values: .vary] == ["Accept-Datetime"])
    }

    @Test func `Accept-Datetime is heeded in each form`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let wish = ["Accept-Datetime": "Tue, 14 Nov 2023 22:13:25 GMT"]
        for (target, host) in [
            ("http://d.example/a.html", "d.example"), ("/a.html", "d.example"),
            ("/a.html", "d-example---80.localhost:8080"),
        ] {
            let answer = try Self.answer(cache, target, wish, host: host)
            #expect(
                answer.status == .ok && answer.fields[.mementoDatetime] == "Tue, 14 Nov 2023 22:13:20 GMT",
                "\(host)"
            )
            #expect(try Self.text(answer).contains("Edition 0"))
            #expect(
                answer.fields[values: .vary].contains("Accept-Datetime")
                    && answer.repetition?.isForAllPlainRequests != true
            )
        }
        let path = try Self.answer(cache, "/d.example/a.html", wish)
        #expect(path.status == .found && path.fields[.location] == "http://localhost:8080" + Self.first)
        for wrong in ["yesterday", "", "Tue, 14 Nov 2023 22:13:25 GMT, Tue, 14 Nov 2023 22:13:25 GMT"] {
            let answer = try Self.answer(
                cache,
                "http://d.example/a.html",
                ["Accept-Datetime": wrong],
                host: "d.example"
            )
            #expect(answer.status == .badRequest, "\(wrong)")
        }
        let unknown = try Self.answer(cache, "http://d.example/c.html", wish, host: "d.example")
        #expect(unknown.status == .gatewayTimeout)
    }

    @Test func `a current response says that there are versions`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        for (target, host) in [("/d.example/a.html", "localhost:8080"), ("http://d.example/a.html", "d.example")] {
            let answer = try Self.answer(cache, target, host: host, expired: .serve)
            #expect(answer.fields[values: .vary].first == "Accept-Datetime")
            #expect(answer.fields[.link]?.contains(#"rel="timegate""#) ?? false)
        }
        let style = try Self.answer(cache, "/d.example/style.css", expired: .serve)
        #expect(style.fields[values: .vary] == ["Accept-Datetime"] && style.fields[.link] == nil)
        #expect(style.repetition?.isForAllPlainRequests == true)
    }

    @Test func `after a rollback, the version that is served is the current one`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        _ = try await cache.rollBack("p")
        let page = try Self.text(Self.answer(cache, "/d.example/a.html", ["Accept": "text/html"], expired: .serve))
        #expect(page.contains("Edition 1") && page.contains("Current version of 2023-11-14 22:13:30 UTC"))
        #expect(page.contains(">earlier<") && page.contains(">later<"))
        let gate = try Self.answer(cache, "/.afcache/at/http://d.example/a.html")
        #expect(gate.fields[.location]?.contains("/20231114221330/") ?? false)
        // A page that isn't in the current version is no current version.
        _ = try await cache.rollBack("p")
        let old = try Self.text(
            Self.answer(cache, "/.afcache/at/20231114221330/http://d.example/b.html", ["Accept": "text/html"])
        )
        #expect(old.contains("<b>Version of 2023-11-14 22:13:30 UTC</b>") && !old.contains(">current<"))
    }

    @Test func `a page of the site for what it doesn't have is no version`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<2 {
            let time = Self.now + Int64(10 * number)
            let paths = number == 0 ? ["/", "/gone.html"] : ["/", "/404.html"]
            let resources = try paths.map { path in
                let url = try WebURL("http://d.example" + path)
                return PackageWriter.Resource(
                    record: ResourceRecord(url: url, fetched: time),
                    entry: ManifestEntry(url: url, lastModified: time, expires: nil, mediaType: "text/html"),
                    body: .bytes(Array("page \(path)".utf8)),
                    isCompressible: true
                )
            }
            var options = PackageWriter.Options(created: time, generator: "t/1")
            if number == 1 {
                options.fallback = try FallbackRules(
                    base: WebURL("http://d.example/"),
                    application: nil,
                    missing: WebURL("http://d.example/404.html")
                )
            }
            _ = try await PackageWriter.write(resources, to: scratch.path("p.zip"), options: options)
            _ = try await cache.install(scratch.path("p.zip"), now: time)
        }
        let answer = try Self.answer(cache, "/.afcache/at/20231114221330/http://d.example/gone.html", matching: .query)
        #expect(answer.status == .found && answer.fields[.location]?.contains("/20231114221320/") ?? false)
    }

    @Test func `a query makes no difference where it makes none for the current page`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let wish = ["Accept-Datetime": "Tue, 14 Nov 2023 22:13:25 GMT"]
        for (matching, status) in [(QueryMatching.query, 302), (.exact, 404)] {
            let answer = try Self.answer(
                cache,
                "/.afcache/at/2023/http://d.example/a.html?q=1",
                wish,
                matching: matching
            )
            #expect(answer.status.code == status, "\(matching)")
        }
    }

    @Test func `§5: the list names each version`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let answer = try Self.answer(cache, "/.afcache/timemap/d.example/a.html")
        #expect(answer.fields[.contentType] == "application/link-format")
        let lines = try Self.text(answer).split(separator: ",\n")
        #expect(lines.count == 6 && lines[1].contains(#"until="Tue, 14 Nov 2023 22:13:40 GMT""#))
        #expect(
            lines[3]
                == #"<http://localhost:8080\#(Self.first)>; rel="first memento"; datetime="Tue, 14 Nov 2023 22:13:20 GMT""#
        )
        let page = try Self.text(Self.answer(cache, "/.afcache/timemap/d.example/a.html", ["Accept": "text/html"]))
        #expect(page.contains("/.afcache/compare/20231114221330/20231114221340/http://d.example/a.html"))
        #expect(
            try Self.text(Self.answer(cache, "/.afcache/timemap/d.example/b.html")).contains(
                #"rel="first last memento""#
            )
        )
        #expect(try Self.answer(cache, "/.afcache/timemap/d.example/c.html").status == .notFound)
    }

    @Test func `two versions are shown side by side`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let target = "/.afcache/compare/20231114221320/2099/http://d.example/"
        let page = try Self.text(Self.answer(cache, target + "a.html"))
        #expect(page.contains("<del>Edition 0 &lt;b&gt;.</del></td><td><ins>Edition 2 &lt;b&gt;.</ins>"), "\(page)")
        #expect(page.contains("<td>The same.</td><td>The same.</td>"))
        #expect(try Self.text(Self.answer(cache, target + "b.html")).contains("Both have the same body."))
        #expect(try Self.text(Self.answer(cache, target + "style.css")).contains("<del>p { color: #000 }</del>"))
    }

    @Test func `a reader gets a bar if versions are to be kept`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(scratch)
        let reader = ["Accept": "text/html,*/*"]
        for (target, host, words) in [
            ("/d.example/a.html", "localhost:8080", "Current version of 2023-11-14 22:13:40 UTC"),
            ("/a.html", "d-example---80.localhost:8080", "Current version of"),
            (Self.first, "localhost:8080", "<b>Version of 2023-11-14 22:13:20 UTC</b>"),
        ] {
            let page = try Self.answer(cache, target, reader, host: host, expired: .serve)
            let text = try Self.text(page)
            #expect(text.contains(words) && text.contains("/.afcache/timemap/http://d.example/a.html"), "\(host)")
            #expect(text.utf8.count(where: { $0 >= 0x80 }) == 0)
            #expect(text.contains("<summary>about</summary><ul><li>packed 2023-11-14</li>"), "\(text)")
            #expect(text.contains("<li>noai</li>"), "\(text)")
            #expect(page.fields[values: .vary].contains("Accept, Sec-Fetch-Dest"))
            var framed = reader
            framed["Sec-Fetch-Dest"] = "iframe"
            #expect(
                try !Self.text(Self.answer(cache, target, framed, host: host, expired: .serve)).contains(
                    "<afcache-versions>"
                )
            )
        }
        for (target, host) in [("http://d.example/a.html", "d.example"), ("/d.example/style.css", "localhost:8080")] {
            let text = try Self.text(Self.answer(cache, target, reader, host: host, expired: .serve))
            #expect(!text.contains("<afcache-versions>"), "\(target)")
        }
        let plain = try Scratch()
        let usual = try await Self.cache(plain, keeps: nil)
        let asked = ["Accept-Datetime": "Tue, 14 Nov 2023 22:13:25 GMT"]
        let current = try Self.answer(usual, "http://d.example/a.html", asked, host: "d.example", expired: .serve)
        #expect(current.fields[.mementoDatetime] == nil && current.fields[.vary] == nil, "nobody wants versions")
        #expect(
            try !Self.text(Self.answer(usual, "/d.example/a.html", reader, expired: .serve)).contains(
                "<afcache-versions>"
            )
        )
        #expect(try Self.text(Self.answer(usual, "/.afcache/at/2020/d.example/a.html")).contains("20231114221330"))
    }

    @Test(
        arguments: [
            ("text/html", "", true), ("text/html; charset=iso-8859-1", "", true),
            ("text/html;charset=UTF-16LE", "", false),
            ("text/html", "\u{FEFF}", true), ("application/xhtml+xml", "", false), ("text/plain", "", false),
            ("text/html", "a<PlainText>b", false),
        ]
    )
    func `the bar fits pages that extend ASCII`(type: String, text: String, fits: Bool) {
        #expect(VersionBar.fits(Array(text.utf8), type) == fits)
        #expect(!VersionBar.fits([0xFF, 0xFE, 0x3C, 0x00], "text/html"))
    }

    @Test func `mounted packages have no versions`() async throws {
        let scratch = try Scratch()
        _ = try await Self.cache(scratch)
        let mounted = try MountedPackages([scratch.path("p.zip")], now: Self.now)
        #expect(try Self.answer(mounted, Self.first).status == .notFound)
        let request = ServerRequest(
            method: "GET",
            target: Self.first,
            hosts: ["localhost:8080"],
            server: ServerIdentity(port: 8080)
        )
        #expect(OwnPages.page(request, keepsVersions: false) == .nothing)
        #expect(OwnPages.page(request, keepsVersions: true) == nil)
    }
}
