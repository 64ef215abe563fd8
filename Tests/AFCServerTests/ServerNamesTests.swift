import AFCCache
import AFCCaching
import AFCURL
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/serve.md, "One site under any host" and "Other machines".
struct ServerNamesTests {
    private static func store(in folder: String) async throws -> DiskCache {
        try await RealStoreTests.store(
            in: folder,
            bodies: [
                ("https://site.example/", "start"), ("https://site.example/guide/", "guide"),
                ("https://other.example/", "other"), ("http://192.0.2.9/", "address"),
            ],
            type: "text/html"
        )
    }

    @Test func `one site answers under any host, and the server's own pages under none`() async throws {
        let scratch = try Scratch()
        let site = try WebURL("https://site.example/")
        try await withServer(try await Self.store(in: scratch.path), configure: { $0.site = site }) {
            port,
            _ async throws in
            for host in [
                "localhost:\(port)", "127.0.0.1", "kiosk.lan", "other.example", "other-example.localhost:\(port)",
                "[::1]",
                "192.0.2.9",
            ] {
                func get(_ path: String) async throws -> RawClient.Reply {
                    try await RawClient.get(port: port, path, host: host, method: "GET", "Accept: text/html")
                }
                #expect(try await get("/").text == "start", "\(host)")
                #expect(try await get("/guide/").text == "guide")
                #expect(try await get("/.afcache/healthz").text == "ok\n")
                for own in ["/.afcache/metrics", "/.afcache/search?q=a", "/other.example/", "/none"] {
                    let missing = try await get(own)
                    #expect(missing.status == 504, "\(own)")
                    #expect(!missing.text.contains("Home page"), "\(own)")
                }
            }
            // A proxy's client names the URL itself.
            #expect(try await RawClient.get(port: port, "https://other.example/", host: "h").text == "other")
        }
    }

    @Test func `the server's own pages have a host beside a site's`() async throws {
        let scratch = try Scratch()
        let site = try WebURL("https://site.example/guide/")
        try await withServer(
            try await Self.store(in: scratch.path),
            configure: {
                $0.site = site
                $0.ownPagesHost = "admin.lan"
            }
        ) { port, _ async throws in
            let metrics = try await RawClient.get(port: port, "/.afcache/metrics", host: "admin.lan")
            #expect(metrics.text.contains("afcache_answers_total"))
            #expect(try await RawClient.get(port: port, "/", host: "admin.lan").text.contains("Available offline"))
            #expect(try await RawClient.get(port: port, "/guide/", host: "kiosk.lan").text == "guide")
            #expect(try await RawClient.get(port: port, "/.afcache/metrics", host: "kiosk.lan").status == 504)
        }
    }

    @Test func `a site's own folder is its start`() async throws {
        let scratch = try Scratch()
        let store = try await RealStoreTests.store(
            in: scratch.path,
            bodies: [("https://site.example/guide/", "guide")],
            type: "text/html"
        )
        let site = try WebURL("https://site.example/guide/")
        try await withServer(store, configure: { $0.site = site }) { port, _ async throws in
            let root = try await RawClient.get(port: port, "/", host: "kiosk.lan", method: "GET", "Accept: text/html")
            #expect(root.status == 302)
            #expect(root["location"] == "/guide/")
        }
    }

    @Test func `an address that no package has is the server's own`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.store(in: scratch.path)) { port, _ async throws in
            for host in ["203.0.113.7", "203.0.113.7:8080", "[2001:db8::7]"] {
                let home = try await RawClient.get(port: port, "/", host: host)
                #expect(home.text.contains("Available offline"), "\(host)")
                #expect(
                    home.text.contains("href=\"/site.example/\""),
                    "a link by path, since nothing else is known to work"
                )
                #expect(try await RawClient.get(port: port, "/.afcache/healthz", host: host).text == "ok\n")
            }
            #expect(try await RawClient.get(port: port, "/", host: "192.0.2.9").text == "address")
            // A website can make its own name lead here, so names that nobody gave get nothing of the server.
            #expect(try await RawClient.get(port: port, "/", host: "evil.example").status == 504)
            #expect(try await RawClient.get(port: port, "/.afcache/metrics", host: "evil.example").status == 504)
        }
    }

    @Test func `sites have names below a name of the server`() async throws {
        let scratch = try Scratch()
        try await withServer(
            try await Self.store(in: scratch.path),
            configure: { $0.names = ["school.lan", "*.docs.lan"] }
        ) {
            port,
            _ async throws in
            for host in ["school.lan", "docs.lan", "school.lan:\(port)"] {
                let home = try await RawClient.get(port: port, "/", host: host)
                #expect(home.text.contains("Available offline"), "\(host)")
                #expect(home.text.contains("href=\"http://site-example.docs.lan"), "\(home.text)")
            }
            let page = try await RawClient.get(port: port, "/guide/", host: "site-example.docs.lan:\(port)")
            #expect(page.text == "guide")
            let miss = try await RawClient.get(
                port: port,
                "/none",
                host: "site-example.docs.lan:\(port)",
                method: "GET",
                "Accept: text/html"
            )
            #expect(miss.text.contains("<a href=\"http://docs.lan:\(port)/\">"), "\(miss.text)")
            let other = try await RawClient.get(port: port, "/", host: "site-example.school.lan")
            #expect(other.status == 504, "only names below '*.' lead here")
        }
    }

    @Test func `browsers get settings for the server as a proxy of packaged hosts`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(in: scratch.path)
        try await withServer(store) { port, _ async throws in
            let reply = try await RawClient.get(port: port, "/proxy.pac", host: "203.0.113.7:8080")
            #expect(reply["content-type"] == "application/x-ns-proxy-autoconfig")
            #expect(
                reply.text == """
                    var hosts = {"192.0.2.9": true};
                    function FindProxyForURL(url, host) {
                      return hosts.hasOwnProperty(host) && url.substring(0, 5) == "http:" ? "PROXY 203.0.113.7:8080" : "DIRECT";
                    }

                    """
            )
            #expect(try await RawClient.get(port: port, "/proxy.pac", host: "evil.example").status == 504)
        }
        var responder = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        responder.answersTunnels = true
        try await withServer(responder: responder) { port, _ async throws in
            let reply = try await RawClient.get(port: port, "/proxy.pac", host: "localhost:\(port)")
            #expect(reply.text.contains(#"{"192.0.2.9": true, "other.example": true, "site.example": true}"#))
            #expect(reply.text.contains("hasOwnProperty(host) ? \"PROXY localhost:\(port)\""))
        }
    }
}
