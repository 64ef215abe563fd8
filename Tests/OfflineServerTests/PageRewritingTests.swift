import AFCCache
import AFCCaching
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCServer

/// docs/rewriting.md, as a browser without a proxy meets it.
struct PageRewritingTests {
    private static let page = """
        <!DOCTYPE html><link rel=stylesheet href="https://site.example/style.css" integrity="sha256-x">
        <a href="https://site.example/guide/">guide</a> <a href="https://live.example/">live</a>
        <script src="https://cdn.example/app.js"></script>
        """

    private static func store(in folder: String) async throws -> OfflineCache {
        try await RealStoreTests.store(
            in: folder,
            bodies: [
                ("https://site.example/", page), ("https://site.example/guide/", "<a href='/'>home</a>"),
                ("https://cdn.example/", "<p>nothing"),
            ],
            type: "text/html; charset=utf-8"
        )
    }

    @Test func `a page that names itself absolutely stays on the server, in each form of a browser`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.store(in: scratch.path)) { port, _ async throws in
            let named = "site-example.localhost:\(port)"
            for (target, host, style, guide, script) in [
                ("/", named, "/style.css", "/guide/", "http://cdn-example.localhost:\(port)/app.js"),
                (
                    "/site.example/", "localhost:\(port)", "/site.example/style.css", "/site.example/guide/",
                    "/cdn.example/app.js"
                ),
                (
                    "/site.example/", "203.0.113.7", "/site.example/style.css", "/site.example/guide/",
                    "/cdn.example/app.js"
                ),
            ] {
                for _ in 0..<3 {
                    let shown = try await RawClient.get(
                        port: port,
                        target,
                        host: host,
                        method: "GET",
                        "Accept: text/html"
                    )
                    #expect(shown.text.contains("<link rel=stylesheet href=\"\(style)\" >"), "\(shown.text)")
                    #expect(shown.text.contains("<a href=\"\(guide)\">") && shown.text.contains("src=\"\(script)\""))
                    #expect(shown.text.contains("<a href=\"https://live.example/\">"))
                    #expect(shown["last-modified"] == nil && shown["accept-ranges"] == nil)
                    #expect(shown["content-length"] == String(shown.text.utf8.count))
                    let tag = try #require(shown["etag"])
                    let again = try await RawClient.get(
                        port: port,
                        target,
                        host: host,
                        method: "GET",
                        "Accept: text/html",
                        "If-None-Match: \(tag)"
                    )
                    #expect(again.status == 304 && again.text.isEmpty)
                    let part = try await RawClient.get(
                        port: port,
                        target,
                        host: host,
                        method: "GET",
                        "Range: bytes=0-3"
                    )
                    #expect(part.status == 200, "another body's ranges would be wrong")
                    let head = try await RawClient.get(
                        port: port,
                        target,
                        host: host,
                        method: "HEAD",
                        "Accept: text/html"
                    )
                    #expect(head["content-length"] == shown["content-length"] && head.text.isEmpty)
                }
            }
            // A proxy's client and one with the real host get what is stored.
            for (target, host) in [("https://site.example/", "h"), ("/", "site.example")] {
                let stored = try await RawClient.get(port: port, target, host: host)
                #expect(stored.text == Self.page)
                #expect(stored["last-modified"] != nil)
            }
            // Nothing has to be replaced by name, and what begins with a slash by path.
            let guide = try await RawClient.get(port: port, "/guide/", host: named)
            #expect(guide.text == "<a href='/'>home</a>" && guide["last-modified"] != nil)
            #expect(
                try await RawClient.get(port: port, "/site.example/guide/").text == "<a href='/site.example/'>home</a>"
            )
        }
    }

    @Test func `one site under any host names no host`() async throws {
        let scratch = try Scratch()
        let site = try WebURL("https://site.example/")
        try await withServer(try await Self.store(in: scratch.path), configure: { $0.site = site }) {
            port,
            _ async throws in
            let shown = try await RawClient.get(port: port, "/", host: "kiosk.lan")
            #expect(shown.text.contains("href=\"/style.css\"") && shown.text.contains("<a href=\"/guide/\">"))
            #expect(shown.text.contains("https://cdn.example/app.js"), "only one site is shown")
        }
    }

    @Test func `links can be kept`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(in: scratch.path)
        var responder = OfflineResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        responder.rewrites = false
        try await withServer(responder: responder) { port, _ async throws in
            let kept = try await RawClient.get(port: port, "/", host: "site-example.localhost:\(port)")
            #expect(kept.text == Self.page)
        }
    }

    @Test func `a policy allows the names of what it allows`() throws {
        let origins = try ["https://site.example", "https://cdn.example", "http://plain.example"].map {
            PackagedOrigin(try WebURL($0 + "/"))
        }
        let rewriting = PageRewriting(form: LinkForm(.originName, port: 8080), origins: Set(origins.compactMap(\.self)))
        for (old, new) in [
            ("default-src 'self'", "default-src 'self'"),
            ("img-src https://cdn.example", "img-src https://cdn.example http://cdn-example.localhost:8080"),
            ("img-src cdn.example/a/b", "img-src cdn.example/a/b http://cdn-example.localhost:8080"),
            ("img-src https:", "img-src https: http:"), ("img-src data: blob:", "img-src data: blob:"),
            (
                "script-src *.example; img-src 'none'",
                "script-src *.example http://plain-example---80.localhost:8080 http://cdn-example.localhost:8080 http://site-example.localhost:8080; img-src 'none'"
            ),
            ("img-src https://plain.example", "img-src https://plain.example"),
            (
                "frame-ancestors https://site.example",
                "frame-ancestors https://site.example http://site-example.localhost:8080"
            ),
            ("sandbox allow-scripts", "sandbox allow-scripts"),
            ("img-src https://cdn.example:444", "img-src https://cdn.example:444"),
        ] {
            var fields = HTTPFields()
            fields[.contentSecurityPolicy] = old
            rewriting.adapt(&fields)
            #expect(fields[.contentSecurityPolicy] == new)
        }
    }
}
