import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/serve.md, "One site under any host": what is below `/.afcache/at/`.
struct NeighborTests {
    private static let site = "https://site.example/"
    private static let page = """
        <!DOCTYPE html><base href="https://cdn.example/lib/"><link rel=stylesheet href="a.css" integrity="sha256-x">
        <img src="/i.svg"><script src="//cdn.example/x.js"></script><script type=module src="m.js"></script>
        <a href="https://site.example/b">b</a><a href="https://cdn.example/page">page</a>
        <img src="https://bank.example/logo.svg">
        """
    /// What a package has: URL, media type, body, and the value of Access-Control-Allow-Origin.
    private typealias Row = (url: String, type: String, body: String, allowed: String?)

    private static let own: [Row] = [
        (site, "text/html", page, nil), ("https://site.example/b", "text/html", "<p>b", nil),
        ("https://site.example/out", "text/html", "<script>1</script>", nil),
        ("https://cdn.example/lib/a.css", "text/css", "a{b:url(/i.svg)url(i.png)url(../../../../u)}", nil),
        ("https://cdn.example/page", "text/html", "<a href='/x'>x</a><a href='https://site.example/b'>b</a>", nil),
        ("https://cdn.example/i.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>", nil),
        ("https://cdn.example/d.json", "application/json", "{}", nil),
        ("https://cdn.example/d.pdf", "application/pdf", "%PDF-1.7", nil),
        ("https://cdn.example//double", "text/plain", "double", nil),
        ("http://plain.example:8080/t", "text/plain", "plain", nil),
    ]
    private static let other: [Row] = [
        ("https://bank.example/", "text/html", "<p>bank", nil),
        ("https://cdn.example/account", "text/plain", "account", nil),
        ("https://cdn.example/named", "text/plain", "named", "https://else.example"),
        ("https://cdn.example/font", "text/plain", "font", "*"),
        ("https://cdn.example/for-site", "text/plain", "for site", "https://site.example"),
    ]

    private static func store(in folder: String) async throws -> DiskCache {
        let now = FakeCache.received
        let cache = try DiskCache(path: folder + "/store", access: .readWrite)
        for (name, rows) in [("site", own), ("other", other)] {
            let resources = try rows.map { row in
                let (url, bytes) = (try WebURL(row.url), Array(row.body.utf8))
                var fields = HTTPFields()
                fields[.accessControlAllowOrigin] = row.allowed
                return PackageWriter.Resource(
                    record: ResourceRecord(url: url, fields: fields, fetched: now, size: Int64(bytes.count)),
                    entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: row.type),
                    body: .bytes(bytes),
                    isCompressible: true
                )
            }
            let path = "\(folder)/\(name).zip"
            _ = try await PackageWriter.write(resources, to: path, options: .init(created: now, generator: "test/1"))
            _ = try await cache.install(path, now: now)
        }
        return try DiskCache(path: folder + "/store", access: .readOnly)
    }

    private func served(
        _ external: ExternalLinks = .ask,
        stopped: StoppedRequests? = nil,
        _ body: @escaping @Sendable (UInt16) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let site = try WebURL(Self.site)
        let store = try await Self.store(in: scratch.path)
        var responder = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        responder.external = external
        let configure = { (configuration: inout Server.Configuration) in
            configuration.site = site
            configuration.stopped = stopped
        }
        try await withServer(responder: responder, configure: configure) { port, _ async throws in try await body(port)
        }
    }

    private static func get(_ port: UInt16, _ target: String, _ fields: String...) async throws -> RawClient.Reply {
        try await RawClient.get(port: port, target, host: "kiosk.lan", method: "GET", fields.joined(separator: "\r\n"))
    }

    @Test func `references lead to the neighbors of the site, by paths`() async throws {
        try await served { port in
            for _ in 0..<3 {
                let page = try await Self.get(port, "/").text
                let lib = "/.afcache/at/cdn-example"
                #expect(page.contains("<base href=\"\(lib)/lib/\">"), "\(page)")
                #expect(page.contains("<link rel=stylesheet href=\"a.css\" >"))
                #expect(page.contains("<img src=\"\(lib)/i.svg\">") && page.contains("<script src=\"\(lib)/x.js\">"))
                #expect(page.contains("src=\"m.js\"") && page.contains("<a href=\"/b\">"))
                #expect(page.contains("<a href=\"\(lib)/page\">"))
                #expect(page.contains("<img src=\"https://bank.example/logo.svg\">"), "another package's origin")
                #expect(page.contains("{\"imports\":{\"https://site.example/\":\"/\","))
                #expect(page.contains("\"https://cdn.example/\":\"\(lib)/\""))
                #expect(page.contains("\"\(lib)/\":{\"/\":\"\(lib)/\",\"/.afcache/\":\"/.afcache/\"}"))
                #expect(!page.contains("kiosk.lan"))
                let style = try await Self.get(port, "\(lib)/lib/a.css").text
                #expect(style == "a{b:url(\(lib)/i.svg)url(i.png)url(\(lib)/u)}")
                let other = try await Self.get(port, "\(lib)/page").text
                #expect(other == "<a href='\(lib)/x'>x</a><a href='/b'>b</a>")
            }
        }
    }

    @Test func `every response beside the site is sandboxed, except PDF`() async throws {
        try await served { port in
            for path in ["page", "i.svg", "d.json", "lib/a.css", "d.pdf"] {
                for field in ["X-Plain: 1", "Range: bytes=0-1", "Accept: text/html", "Accept: text/html"] {
                    let reply = try await Self.get(port, "/.afcache/at/cdn-example/\(path)", field)
                    #expect(reply.status == 200 || reply.status == 206)
                    let policies = reply.fields.filter { $0.name.lowercased() == "content-security-policy" }
                    let sandbox = policies.filter { $0.value.hasPrefix("sandbox ") }
                    #expect(sandbox.count == (path == "d.pdf" ? 0 : 1), "\(path)")
                    #expect(!policies.contains { $0.value.contains("allow-same-origin") })
                    #expect(reply["access-control-allow-origin"] == nil)
                }
            }
            let own = try await Self.get(port, "/b")
            #expect(own.fields.allSatisfy { !$0.value.hasPrefix("sandbox") })
        }
    }

    @Test(arguments: [
        // Another package's origin, and one that no package has.
        ("bank-example/", 504), ("live-example/x", 504),
        // The same origin in another package, with and without the origin's consent.
        ("cdn-example/account", 504), ("cdn-example/named", 504), ("cdn-example/font", 200),
        ("cdn-example/for-site", 200), ("cdn-example/none", 504),
        // Other ways to write a neighbor, which lead nowhere.
        ("cdn.example/page", 404), ("CDN-example/page", 404), ("cdn%2Dexample/page", 404), ("cdn-example%2Fpage", 404),
        ("cdn-example\\page", 404), ("", 404), ("/cdn-example/page", 404), ("cdn-example:443/page", 404),
        ("a@cdn-example/page", 404), ("..", 404), ("%2e%2e/b", 404), ("o---\(String(repeating: "0", count: 40))/", 404),
        // Ways to write a path, which stay in the neighbor's folder.
        ("cdn-example/../../../../b", 504), ("cdn-example/%2e%2e/%2e%2e/b", 504), ("cdn-example/..%2f..%2fb", 504),
        ("cdn-example/lib/../page", 200), ("cdn-example/%70age", 200), ("cdn-example//double", 200),
        ("cdn-example/@bank.example/", 504), ("plain-example---8080/t", 200), ("plain-example/t", 504),
    ])
    func `only neighbors are answered, however a path is written`(path: String, status: Int) async throws {
        try await served { port in
            for _ in 0..<2 {
                let reply = try await Self.get(port, "/.afcache/at/\(path)", "Sec-Fetch-Mode: cors")
                #expect(reply.status == status, "\(reply.text)")
                let words = ["bank", "account", "named", "<p>b"]
                if status != 200 {
                    // No package is named, nor anything in one.
                    let shown = reply.text.replacing("bank.example", with: "")
                    #expect(!shown.contains("other.zip") && !shown.contains("site.zip"))
                    #expect(words.allSatisfy { !shown.contains($0) || path.contains($0) }, "\(reply.text)")
                }
            }
        }
    }

    @Test(arguments: [
        "/x/../.afcache/at/cdn-example/page", "/.afcache/%61t/cdn-example/page", "//.afcache/at/cdn-example/page",
    ])
    func `no other path leads to a neighbor`(target: String) async throws {
        try await served { port in
            let reply = try await Self.get(port, target)
            #expect(reply.status == 504)
        }
    }

    @Test func `a reader who follows a link is led, and asked outside the packages`() async throws {
        try await served { port in
            func location(_ target: String, _ mode: String = "navigate") async throws -> String? {
                try await Self.get(port, target, "Accept: text/html", "Sec-Fetch-Mode: \(mode)")["location"]
            }
            let at = "/.afcache/at/cdn-example"
            #expect(try await location("/.afcache/to?https%3A%2F%2Fcdn.example%2Fpage%23a") == "\(at)/page#a")
            #expect(try await location("/.afcache/to?https%3A%2F%2Fcdn.example%2Fpage", "cors") == "\(at)/page")
            #expect(try await location("/.afcache/to?https%3A%2F%2Fbank.example%2F", "cors") == nil)
            #expect(try await location("/.afcache/at/cdn-example?a") == "\(at)/?a")
            #expect(try await location("/.afcache/at/cdn-example---80/page") == "\(at)/page", "the other scheme's name")
            #expect(try await location("/.afcache/at/site-example/b") == "/b", "the site itself")
            for path in ["bank-example/", "live-example/x", "cdn-example/account"] {
                let asked = try await Self.get(port, "/.afcache/at/\(path)", "Accept: text/html")
                #expect(asked.status == 200 && asked.text.contains("Leave the packages?"), "\(path)")
            }
        }
        try await served(.block) { port in
            let blocked = try await Self.get(port, "/.afcache/at/live-example/", "Accept: text/html")
            #expect(blocked.status == 403)
        }
    }

    @Test func `what a script requests outside the packages is counted`() async throws {
        let stopped = StoppedRequests()
        try await served(stopped: stopped) { port in
            for path in ["live-example/x?q", "bank-example/", "cdn-example/none"] {
                let reply = try await Self.get(port, "/.afcache/at/\(path)", "Sec-Fetch-Mode: cors")
                #expect(reply.status == 504)
            }
        }
        #expect(stopped.result.entries.map(\.url.description) == ["https://bank.example/", "https://live.example/x"])
    }

    @Test func `policies allow neighbors by the site's own host`() throws {
        let origins = try [Self.site, "https://cdn.example/"].compactMap { PackagedOrigin(try WebURL($0)) }
        var form = LinkForm(.site, port: nil)
        form.site = try WebURL(Self.site)
        let rewriting = PageRewriting(form: form, origins: Set(origins), scriptSource: "'self'")
        for (old, new) in [
            ("img-src https://cdn.example", "img-src https://cdn.example 'self'"),
            ("img-src 'self' https://cdn.example", "img-src 'self' https://cdn.example"),
            ("script-src cdn.example site.example", "script-src cdn.example site.example 'self'"),
            ("script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'self'"),
            ("img-src https://live.example", "img-src https://live.example"),
        ] {
            var fields = HTTPFields()
            fields[.contentSecurityPolicy] = old
            rewriting.adapt(&fields, admitting: .init(hasScript: true))
            #expect(fields[.contentSecurityPolicy] == new)
        }
    }
}
