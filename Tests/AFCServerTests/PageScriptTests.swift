import AFCCache
import AFCCaching
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/rewriting.md, "What scripts do" and "Links that lead out", as a browser meets them.
struct PageScriptTests {
    private static let page = "<!DOCTYPE html><p>a<script>fetch('https://site.example/x')</script>"
    private static let link = "<!DOCTYPE html><a href='https://live.example/'>live</a>"

    private func served(
        _ external: ExternalLinks = .ask,
        configure: @escaping @Sendable (inout Server.Configuration) -> Void = { _ in },
        extra: [(String, String)] = [],
        _ body: @escaping @Sendable (UInt16) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let store = try await RealStoreTests.store(
            in: scratch.path,
            bodies: [
                ("https://site.example/", Self.page), ("https://site.example/link", Self.link),
                ("https://site.example/plain", "<p>plain <a href='/'>home</a>"), ("http://old.example/", "<p>old"),
            ] + extra,
            type: "text/html; charset=utf-8"
        )
        var responder = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        responder.external = external
        try await withServer(responder: responder, configure: configure) { port, _ async throws in try await body(port)
        }
    }

    @Test func `a page with scripts gets the server's first, whatever else it names`() async throws {
        try await served { port in
            let named = "site-example.localhost:\(port)"
            let shown = try await RawClient.get(port: port, "/", host: named, method: "GET", "Accept: text/html")
            let element = PageScript.element(site: nil)
            // The other origin is in the same package.
            let other = "\"http://old.example/\":\"http://old-example---80.localhost:\(port)/\""
            let map = "{\"imports\":{\"https://site.example/\":\"/\",\(other)}}"
            #expect(
                shown.text == "<!DOCTYPE html>\(element)<script type=\"importmap\">\(map)</script>"
                    + Self.page.dropFirst("<!DOCTYPE html>".count)
            )
            let script = try await RawClient.get(port: port, PageScript.path, host: named)
            #expect(script.status == 200 && script.text == PageScript.text)
            #expect(script["content-type"]?.hasPrefix("text/javascript") ?? false)
            #expect(script["cross-origin-resource-policy"] == "same-origin")
            #expect(script["cache-control"] == "public, max-age=31536000, immutable")
            #expect(try await RawClient.get(port: port, PageScript.path, host: "other.example").status == 504)
            // By path and for a proxy's client, a page is left alone.
            let byPath = try await RawClient.get(port: port, "/site.example/", host: "localhost:\(port)")
            #expect(byPath.text == Self.page)
            #expect(try await RawClient.get(port: port, "https://site.example/", host: "h").text == Self.page)
        }
    }

    @Test func `a page without scripts stays to the byte, and gets the script only for links that lead out`()
        async throws
    {
        for (external, hasScript) in [(ExternalLinks.ask, true), (.block, true), (.open, false)] {
            try await served(external) { port in
                let named = "site-example.localhost:\(port)"
                let plain = try await RawClient.get(port: port, "/plain", host: named)
                #expect(plain.text == "<p>plain <a href='/'>home</a>" && plain["last-modified"] != nil)
                let link = try await RawClient.get(port: port, "/link", host: named)
                #expect(link.text.contains(PageScript.element(site: nil)) == hasScript)
                #expect(link.text.contains("<a href='https://live.example/'>"))
            }
        }
    }

    @Test func `the one site's script knows the site`() async throws {
        let site = try WebURL("https://site.example/")
        try await served(configure: { $0.site = site }) { port in
            let shown = try await RawClient.get(port: port, "/", host: "kiosk.lan")
            #expect(shown.text.contains(PageScript.element(site: "https://site.example")))
            #expect(try await RawClient.get(port: port, PageScript.path, host: "kiosk.lan").text == PageScript.text)
        }
    }

    @Test func `a page that is kept in memory is for one address of the server, and one setting`() async throws {
        let meta = "<meta http-equiv=content-security-policy content=\"script-src 'unsafe-inline'"
        let policy = ("https://site.example/policy", "\(meta)\"><script>1</script>")
        try await served(extra: [policy]) { port in
            for host in ["localhost", "localhost.", "localhost", "localhost."].map({ "site-example.\($0):\(port)" }) {
                let shown = try await RawClient.get(port: port, "/policy", host: host)
                #expect(shown.text.contains("\(meta) http://\(host)\(PageScript.path)\">"), "\(shown.text)")
            }
        }
        let site = try WebURL("https://site.example/")
        try await served(configure: { $0.site = site }, extra: [policy]) { port in
            // Another server in front may have another host than it passes on.
            let shown = try await RawClient.get(port: port, "/policy", host: "one.lan")
            #expect(shown.text.contains("\(meta) 'self'\">"), "\(shown.text)")
        }
        let scratch = try Scratch()
        let page = ("https://site.example/", Self.link)
        let store = try await RealStoreTests.store(in: scratch.path, bodies: [page], type: "text/html")
        // Copies share the memory.
        let asking = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        for (external, hasScript) in [(ExternalLinks.ask, true), (.open, false), (.ask, true)] {
            var responder = asking
            responder.external = external
            try await withServer(responder: responder) { port, _ async throws in
                // One is read, the next comes from memory; the name has no port, which would tell the servers apart.
                for _ in 0..<2 {
                    let shown = try await RawClient.get(port: port, "/", host: "site-example.localhost")
                    #expect(shown.text.contains(PageScript.path) == hasScript)
                }
            }
        }
    }

    @Test func `a page grows by less than a kibibyte with 2,000 origins`() async throws {
        let extra = (0..<2_000).map { ("https://h\($0).example/", "<p>x") }
        try await served(extra: extra) { port in
            let shown = try await RawClient.get(port: port, "/", host: "site-example.localhost:\(port)")
            let growth = shown.text.utf8.count - Self.page.utf8.count
            #expect((1..<1024).contains(growth), "\(growth)")
        }
        let site = try WebURL("https://site.example/")
        try await served(configure: { $0.site = site }, extra: extra) { port in
            let shown = try await RawClient.get(port: port, "/", host: "kiosk.lan")
            let growth = shown.text.utf8.count - Self.page.utf8.count
            #expect((1024..<2048).contains(growth), "\(growth)")
        }
    }

    @Test(arguments: [
        ("https%3A%2F%2Fsite.example%2Fplain%23a", 307, "http://site-example.localhost:PORT/plain#a"),
        ("http%3A%2F%2Fsite.example%2Fplain", 307, "http://site-example.localhost:PORT/plain"),
        ("https%3A%2F%2Fold.example%2F", 307, "http://old-example---80.localhost:PORT/"),
        ("https%3A%2F%2Fu%3Ap%40live.example%2F%3Fa%3D%22%3E%3Cb%3E", 200, nil), ("javascript%3Aalert(1)", 404, nil),
        ("%2Fplain", 404, nil), ("data%3Atext%2Fhtml%2Cx", 404, nil), ("%FF", 404, nil),
        ("https%3A%2F%2Fsite.example%3A444%2F", 200, nil),
    ])
    func `the server says where a reader goes`(query: String, status: Int, location: String?) async throws {
        try await served { port in
            let named = "site-example.localhost:\(port)"
            let shown = try await RawClient.get(
                port: port,
                "/.afcache/to?\(query)",
                host: named,
                method: "GET",
                "Accept: text/html"
            )
            #expect(shown.status == status)
            #expect(shown["location"] == location?.replacing("PORT", with: "\(port)"))
            #expect(shown["referrer-policy"] == "no-referrer")
            // Nothing of the query is markup.
            #expect(!shown.text.contains("<b>") && !shown.text.contains("u:p@"))
        }
    }

    @Test func `what a script requests tells nothing about what is packaged`() async throws {
        try await served { port in
            for (host, name) in [("site.example", "site-example"), ("live.example", "live-example")] {
                let answer = try await RawClient.get(
                    port: port,
                    "/.afcache/to?https%3A%2F%2F\(host)%2Fa",
                    host: "old-example---80.localhost:\(port)",
                    method: "GET",
                    "Sec-Fetch-Mode: cors"
                )
                #expect(answer.status == 307 && answer["location"] == "http://\(name).localhost:\(port)/a")
            }
        }
    }

    @Test(
        arguments: [
            (ExternalLinks.ask, "same-origin", 200, true, nil), (.block, "same-origin", 403, false, nil),
            (.open, "same-origin", 307, false, "https://live.example/a"),
            // A website's link to this server doesn't lead further.
            (.open, "cross-site", 200, true, nil), (.open, nil, 200, true, nil),
        ] as [(ExternalLinks, String?, Int, Bool, String?)]
    )
    func `a link that leads out is asked about, followed or blocked`(
        external: ExternalLinks,
        site: String?,
        status: Int,
        hasLink: Bool,
        location: String?
    ) async throws {
        try await served(external) { port in
            let shown = try await RawClient.get(
                port: port,
                "/.afcache/to?https%3A%2F%2Flive.example%2Fa",
                host: "site-example.localhost:\(port)",
                method: "GET",
                "Accept: text/html",
                site.map { "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: \($0)" } ?? "Referer: https://other.example/"
            )
            #expect(shown.status == status && shown["location"] == location)
            #expect(shown.text.contains("<a href=\"https://live.example/a\"") == hasLink)
        }
    }
}
