import AFCCache
import AFCCaching
import AFCDiscovery
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/rewriting.md, as a browser without a proxy meets it.
struct PageRewritingTests {
    private static let page = """
        <!DOCTYPE html><link rel=stylesheet href="https://site.example/style.css" integrity="sha256-x">
        <a href="https://site.example/guide/">guide</a> <a href="https://live.example/">live</a>
        <script src="https://cdn.example/app.js"></script>
        """

    private static func store(in folder: String) async throws -> DiskCache {
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
            #expect(shown.text.contains("src=\"/.afcache/at/cdn-example/app.js\""))
        }
    }

    @Test func `links can be kept`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(in: scratch.path)
        var responder = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
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
            rewriting.adapt(&fields, admitting: .init())
            #expect(fields[.contentSecurityPolicy] == new)
        }
    }

    @Test func `a body is replaced once for all requests, again after a change, and kept within a limit`() throws {
        let form = LinkForm(.originName, port: 8080)
        func key(_ path: String, _ changes: UInt64 = 1) throws -> RewrittenBodies.Key {
            let url = try WebURL("https://site.example/\(path)")
            return .init(url: url, type: "text/html", form: form, package: "p", path: path, changes: changes)
        }
        // Room for both bodies, each with the memory for what its policies have to admit.
        let bodies = RewrittenBodies(byteLimit: 12_000)
        var made = 0
        func make(_ size: Int) -> RewrittenBodies.Outcome {
            made += 1
            return .body(ByteBuffer(repeating: 1, count: size), digest: "\(made)", .init())
        }
        for _ in 0..<3 { _ = try bodies.outcome(try key("a"), isKept: true, size: 1) { make(5_000) } }
        #expect(made == 1)
        _ = try bodies.outcome(try key("a", 2), isKept: true, size: 1) { make(4_000) }
        #expect(made == 2)
        for _ in 0..<2 { _ = try bodies.outcome(try key("b"), isKept: false, size: 1) { make(10) } }
        #expect(made == 4, "what may differ isn't kept")
        for _ in 0..<2 { _ = try bodies.outcome(try key("c"), isKept: true, size: 1 << 30) { make(20_000) } }
        #expect(made == 6, "what is larger than the limit isn't kept")
        #expect(throws: CancellationError.self) {
            _ = try bodies.outcome(try key("d"), isKept: true, size: 1) { throw CancellationError() }
        }
        guard case .body = bodies.known(try key("a", 2)) else {
            Issue.record("not kept")
            return
        }
        #expect(bodies.known(try key("d")) == nil)
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    @Test func `requests that wait for a body share it`() async throws {
        let bodies = RewrittenBodies(byteLimit: 1 << 20)
        let url = try WebURL("https://site.example/")
        let key = RewrittenBodies.Key(
            url: url,
            type: "text/html",
            form: LinkForm(.path, port: 80),
            package: "p",
            path: "",
            changes: 1
        )
        let made = Count()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    _ = try? bodies.outcome(key, isKept: true, size: 1) {
                        made.value.withLock { $0 += 1 }
                        usleep(50_000)
                        return .unchanged
                    }
                }
            }
        }
        #expect(made.value.withLock { $0 } == 1)
    }

    @Test func `a large page is sent from memory until the cache changes`() async throws {
        let scratch = try Scratch()
        let rest = String(repeating: "<p>text", count: 20_000)
        @Sendable func page(_ word: String) -> String { "<a href='https://site.example/\(word)'>\(rest)" }
        let url = "https://site.example/"
        let store = try await RealStoreTests.store(in: scratch.path, bodies: [(url, page("a"))], type: "text/html")
        try await withServer(store) { port, _ async throws in
            let host = "site-example.localhost:\(port)"
            for _ in 0..<3 {
                #expect(try await RawClient.get(port: port, "/", host: host).text == "<a href='/a'>\(rest)")
            }
            _ = try await RealStoreTests.store(in: scratch.path, bodies: [(url, page("b"))], type: "text/html")
            #expect(try await RawClient.get(port: port, "/", host: host).text == "<a href='/b'>\(rest)")
        }
    }

    @Test func `a policy that admits a style admits what it becomes`() throws {
        let origins = try #require(PackagedOrigin(try WebURL("https://site.example/")))
        let rewriting = PageRewriting(form: LinkForm(.originName, port: 8080), origins: [origins])
        var fields = HTTPFields()
        fields[.contentType] = "text/html; charset=utf-8"
        // printf 'a{b:url(https://site.example/x)}' | openssl dgst -sha256 -binary | base64
        let (old, new) = (
            "'sha256-lHx2ayBPOR7m+3q/T9VIO+y+rz19bqXyoHFzm7ruK6E='",
            "'sha256-6/em9oG5wSHGQ0jx9Tpex3QYdHVqk5mDgnfrvVY7CKo='"
        )
        let policy = "style-src \(old)"
        fields[.contentSecurityPolicy] = policy + ", style-src 'self'"
        let page = """
            <meta http-equiv=content-security-policy content="\(policy)">\
            <style>a{b:url(https://site.example/x)}</style>
            """
        let outcome = rewriting.outcome(Array(page.utf8), fields, url: try WebURL("https://site.example/"))
        guard case .body(let body, _, let sources) = outcome else {
            Issue.record("unchanged")
            return
        }
        #expect(String(buffer: body).contains("content=\"\(policy) \(new)\"><style>a{b:url(/x)}</style>"))
        rewriting.adapt(&fields, admitting: sources)
        #expect(fields[.contentSecurityPolicy] == "\(policy) \(new), style-src 'self'")
        for (algorithm, value) in [
            ("sha384", "fPO5JoApigV76GxGHPQYFteSBAeNlzXso084/AWcwd9u18agXxJJe1pnGPcPGzuQ"),
            ("sha512", "wSW7sV5VjjQWauS5HDmIu9rX4oXF3pUrpATw46R0JCq6ghZgcKJiOL2A9dd8+Yco9LH+W+hHYnxg3coMRN++uA=="),
        ] {
            fields[.contentSecurityPolicy] = "style-src '\(algorithm)-x'"
            let outcome = rewriting.outcome(Array(page.utf8), fields, url: try WebURL("https://site.example/"))
            guard case .body(_, _, let sources) = outcome else {
                Issue.record("unchanged")
                return
            }
            #expect(sources.styles.values.first == ["\(algorithm)-\(value)"])
        }
        #expect(StyleDigests.of([], for: policy).isEmpty)
    }

    @Test func `a policy that admits scripts admits the page's script and its import map`() throws {
        let origin = try #require(PackagedOrigin(try WebURL("https://site.example/")))
        var rewriting = PageRewriting(form: LinkForm(.originName, port: 8080), origins: [origin])
        rewriting.scriptSource = "http://site-example.localhost:8080\(PageScript.path)"
        rewriting.importable = [origin]
        var fields = HTTPFields()
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] = "script-src 'nonce-x', script-src 'unsafe-inline'"
        let page = "<script nonce=x>1</script>"
        let outcome = rewriting.outcome(Array(page.utf8), fields, url: try WebURL("https://site.example/"))
        guard case .body(_, _, let sources) = outcome else {
            Issue.record("unchanged")
            return
        }
        // printf '{"imports":{"https://site.example/":"/"}}' | openssl dgst -sha256 -binary | base64
        let map = "sha256-7I+MEFAXfFybKDQ9vL7mzaCquT1tktzmb+1tqN/19AU="
        #expect(sources.importMap == map)
        let address = "http://site-example.localhost:8080\(PageScript.path)"
        rewriting.adapt(&fields, admitting: sources)
        #expect(
            fields[.contentSecurityPolicy]
                == "script-src 'nonce-x' '\(PageScript.digest)' '\(map)', script-src 'unsafe-inline' \(address)"
        )
    }

    @Test func `addresses in fields lead to the server`() throws {
        let origins = try ["https://site.example/", "https://cdn.example/"].compactMap {
            PackagedOrigin(try WebURL($0))
        }
        let url = try WebURL("https://site.example/guide/")
        for (form, link, location) in [
            (
                LinkForm(.originName, port: 8080),
                "<http://cdn-example.localhost:8080/a#b>; rel=preload, <https://live.example/>; rel=next",
                "http://site-example.localhost:8080/guide/x"
            ),
            (
                LinkForm(.path, port: 8080), "</cdn.example/a#b>; rel=preload, <https://live.example/>; rel=next",
                "/site.example/guide/x"
            ),
        ] {
            var fields = HTTPFields()
            fields[.link] = "<https://cdn.example/a#b>; rel=preload, <https://live.example/>; rel=next"
            fields[.contentLocation] = "x"
            PageRewriting(form: form, origins: Set(origins)).adaptAddresses(&fields, of: url)
            #expect(fields[.link] == link)
            #expect(fields[.contentLocation] == location)
        }
    }
}
