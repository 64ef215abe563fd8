import AFCCaching
import AFCHTTP
import AFCURL
import Foundation
import Logging
import ServiceLifecycle
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct LiveServerTests {
    static let html = "<p>hello</p>"

    static func store() throws -> FakeCache {
        var store = try FakeCache()
        try store.add(
            "http://docs.example/x",
            html,
            [
                ("Content-Type", "text/html"), ("ETag", "\"5f\""), ("Cache-Control", "max-age=3600"),
                ("Date", "Sat, 21 Nov 2026 10:00:00 GMT"), ("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT"),
                ("Strict-Transport-Security", "max-age=1"),
            ]
        )
        try store.add(
            "https://secure.example/x",
            "secure",
            [("Content-Type", "text/plain"), ("Cache-Control", "max-age=9")]
        )
        try store.add("http://docs.example:8443/p", "port", [("Content-Type", "text/plain")])
        try store.add("http://docs.example/old", "", status: 301, [("Location", "http://other.example/new")])
        try store.add("http://up.example/", "", status: 301, [("Location", "https://up.example/")])
        try store.add("https://up.example/", "up", [("Content-Type", "text/plain")])
        try store.add("http://docs.example/strict", "s", [("Cache-Control", "max-age=1, must-revalidate")])
        return store
    }

    @Test(arguments: [
        ("http://docs.example/x", "other.example"), ("/x", "docs.example"), ("/x", "docs.example.localhost"),
        ("/docs.example/x", "localhost"), ("/docs.example/x", "127.0.0.1"), ("/docs.example/x", "[::1]"),
    ])
    func `every form of request finds the resource`(_ target: String, _ host: String) async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.get(port: port, target, host: host)
        }
        #expect(reply.status == 200)
        #expect(reply.text == Self.html)
        #expect(reply["content-type"] == "text/html")
        // The origin's Date stays (RFC 9110 §6.6.1), and Age tells how old it is (RFC 9111 §5.1).
        #expect(reply["date"] == "Sat, 21 Nov 2026 10:00:00 GMT")
        #expect(reply["age"] == "60")
        #expect(reply["cache-status"] == "afcache; hit; ttl=3540")
        #expect(reply["strict-transport-security"] == nil)
        #expect(reply["connection"] == nil)
    }

    @Test(arguments: [false, true])
    func `data is sent at once, also from a socket that was already listening`(_ isInherited: Bool) async throws {
        let listening: [Int32] = isInherited ? [try Sockets.listening()] : []
        let store = try Self.store()
        try await withServer(store, configure: { $0.sockets = listening }) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.reply().status == 200)
                // The server's end is in this process, too.
                let accepted = try #require(Sockets.end(of: client.localPort))
                #expect(Sockets.isWithoutDelay(accepted))
            }
        }
    }

    @Test func `https is found if http is missing, and ports by path`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            #expect(try await RawClient.get(port: port, "/secure.example/x").text == "secure")
            #expect(try await RawClient.get(port: port, "/x", host: "secure.example:\(port)").text == "secure")
            #expect(try await RawClient.get(port: port, "/docs.example:8443/p").text == "port")
            #expect(try await RawClient.get(port: port, "/p", host: "docs.example:8443").text == "port")
            // The absolute form is exact.
            #expect(try await RawClient.get(port: port, "http://secure.example/x").status == 504)
            #expect(try await RawClient.get(port: port, "https://secure.example/x").text == "secure")
        }
    }

    @Test func `redirects stay on the server, but for a proxy's client`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            let byPath = try await RawClient.get(port: port, "/docs.example/old")
            #expect(byPath.status == 301)
            #expect(byPath["location"] == "/other.example/new")
            let below = try await RawClient.get(port: port, "/old", host: "docs.example.localhost:\(port)")
            #expect(below["location"] == "http://other-example---80.localhost:\(port)/new")
            let proxied = try await RawClient.get(port: port, "http://docs.example/old")
            #expect(proxied["location"] == "http://other.example/new")
            // From http to https of the same URL would be a circle here.
            #expect(try await RawClient.get(port: port, "/up.example/").text == "up")
            #expect(try await RawClient.get(port: port, "http://up.example/")["location"] == "https://up.example/")
            let slash = try await RawClient.get(port: port, "/docs.example?a")
            #expect(slash.status == 308)
            #expect(slash["location"] == "/docs.example/?a")
        }
    }

    @Test(arguments: [
        ("http://docs.example/sw.js", "h"), ("/sw.js", "docs.example"), ("/sw.js", "docs.example.localhost"),
        ("/docs.example/sw.js", "localhost"),
    ])
    func `a script isn't served as a service worker, not even from memory`(_ target: String, _ host: String)
        async throws
    {
        var store = try FakeCache()
        try store.add(
            "http://docs.example/sw.js",
            "onfetch = null",
            [("Content-Type", "text/javascript; charset=utf-8"), ("Cache-Control", "max-age=3600"), ("Vary", "Accept")]
        )
        try await withServer(store) { port, _ async throws in
            for _ in 0..<3 {
                let script = try await RawClient.get(port: port, target, host: host)
                #expect(script.text == "onfetch = null")
                // What a browser has as a script answers no request for a service worker.
                let vary = script.fields.filter { $0.name == "Vary" && $0.value != "Origin" }.map(\.value)
                #expect(vary == ["Accept", "Service-Worker"])
                let worker = try await RawClient.get(
                    port: port,
                    target,
                    host: host,
                    method: "GET",
                    "Service-Worker: script"
                )
                #expect(worker.status == 403)
                #expect(worker["cache-status"] == "afcache; detail=service-worker")
            }
        }
    }

    @Test func `HEAD has the fields of GET and no body`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            let reply = try await RawClient.run(port: port) { client throws in
                try client.send("HEAD /docs.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return try client.receiveToEnd()
            }
            #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(reply.lowercased().contains("content-length: 12\r\n"))
            #expect(reply.hasSuffix("\r\n\r\n"))
            for target in ["/", "/gone.example/", "/favicon.ico"] {
                let get = try await RawClient.get(port: port, target)
                let head = try await RawClient.get(port: port, target, method: "HEAD")
                #expect(head.status == get.status)
                #expect(head["content-length"] == get["content-length"])
            }
        }
    }

    @Test(arguments: [
        ("Range: bytes=0-4", 206, "<p>he", "bytes 0-4/12"),
        ("Range: bytes=-4", 206, "</p>", "bytes 8-11/12"),
        ("Range: bytes=99-", 416, "", "bytes */12"),
        ("If-None-Match: \"5f\"", 304, "", nil),
        ("If-None-Match: *", 304, "", nil),
        ("If-Modified-Since: Fri, 20 Nov 2026 10:00:00 GMT", 304, "", nil),
        ("If-Match: \"other\"", 412, "", nil),
        ("If-None-Match: \"other\"", 200, html, nil),
    ])
    func `ranges and conditions are answered from the cache`(
        _ field: String,
        _ status: Int,
        _ body: String,
        _ range: String?
    ) async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.get(port: port, "/docs.example/x", host: "localhost", method: "GET", field)
        }
        #expect(reply.status == status)
        #expect(reply.text == body)
        #expect(reply["content-range"] == range)
        #expect(reply["cache-status"] == "afcache; hit; ttl=3540")
    }

    /// A cache that believes another length than that of the 200 stores it (RFC 9110 §8.6).
    @Test(arguments: ["If-None-Match: \"5f\"", "If-Modified-Since: Fri, 20 Nov 2026 10:00:00 GMT"])
    func `a 304 states no length, looked up or repeated, and the next answer follows it`(_ field: String) async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for method in ["GET", "HEAD", "GET", "HEAD"] {
                    try client.send("\(method) /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
                    let head = try client.head()
                    #expect(head.status == 304)
                    #expect(head["content-length"] == nil && head["transfer-encoding"] == nil, "\(method)")
                }
                try client.send("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.reply().text == Self.html)
            }
        }
    }

    @Test func `several ranges are sent in parts`() async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.get(
                port: port,
                "/docs.example/x",
                host: "localhost",
                method: "GET",
                "Range: bytes=0-1,8-9"
            )
        }
        #expect(reply.status == 206)
        let type = try #require(reply["content-type"])
        let boundary = try #require(type.components(separatedBy: "boundary=").last)
        let part = { (range: String, bytes: String) in
            "\r\n--\(boundary)\r\nContent-Type: text/html\r\nContent-Range: bytes \(range)/12\r\n\r\n\(bytes)"
        }
        #expect(reply.text == part("0-1", "<p") + part("8-9", "</") + "\r\n--\(boundary)--\r\n")
    }

    @Test func `a connection serves consecutive and pipelined requests`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for _ in 0..<3 {
                    try client.send("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try client.reply().text == Self.html)
                }
                let get = "GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let miss = "GET /gone.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let head = "HEAD /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
                try client.send(get + miss + head + get)
                #expect(try client.reply().text == Self.html)
                #expect(try client.reply().status == 504)
                #expect(try client.reply(hasBody: false)["content-length"] == "12")
                #expect(try client.reply().text == Self.html)
            }
        }
    }

    @Test func `an offer to upgrade is ignored`() async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                let fields = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
                try client.send("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
                return try client.reply()
            }
        }
        #expect(reply.status == 200)
        #expect(reply.text == Self.html)
    }

    @Test(arguments: [
        ("GET /docs.example/x HTTP/1.0\r\n\r\n", "close"),
        ("GET /docs.example/x HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n", "keep-alive"),
        ("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n", "close"),
        ("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", "close"),
    ])
    func `a connection closes if the client or a body requires it`(_ request: String, _ connection: String) async throws
    {
        let (reply, rest) = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send(request)
                let reply = try client.reply()
                client.shutdownWrite()
                return (reply, try client.receiveToEnd())
            }
        }
        #expect(reply.status == 200)
        #expect(reply["connection"] == connection)
        #expect(rest.isEmpty)
    }

    @Test func `a client that closes its side gets its answer`() async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET /docs.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.shutdownWrite()
                return try client.receiveToEnd()
            }
        }
        #expect(reply.hasSuffix(Self.html))
    }

    @Test(arguments: [
        "POST /docs.example/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
        "POST /x HTTP/1.1\r\nHost: docs.example\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
        "PUT http://docs.example/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "CONNECT docs.example:443 HTTP/1.1\r\nHost: docs.example:443\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "DELETE /x HTTP/1.1\r\nHost: docs.example\r\n\r\n",
    ])
    func `methods other than GET and HEAD are refused`(_ request: String) async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send(request)
                return try client.reply()
            }
        }
        #expect(reply.status == 405)
        #expect(reply["allow"] == "GET, HEAD")
        #expect(reply["cache-status"] == "afcache; detail=offline-method")
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400),
        ("GET ftp://docs.example/ HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
        ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "a", count: 20_000))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: a\r\n", count: 101))\r\n", 431),
        ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ])
    func `malformed requests are refused`(_ request: String, _ status: Int) async throws {
        let reply = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send(request)
                return try client.reply()
            }
        }
        #expect(reply.status == status)
        #expect(reply.text.hasSuffix("\n"), "a sentence says why")
        if status == 431 { #expect(reply.text.contains("16 KiB") && reply.text.contains("cookies")) }
    }

    @Test func `a miss says what is missing, as a page or as text`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            let target = "/docs.example/%3Cb%3E?a=1&b='%22"
            let page = try await RawClient.get(
                port: port,
                target,
                host: "localhost",
                method: "GET",
                "Accept: text/html,*/*"
            )
            #expect(page.status == 504)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(page["cache-control"] == "no-store")
            #expect(page["cache-status"] == "afcache; detail=offline-miss")
            #expect(page["content-security-policy"]?.hasPrefix("default-src 'none'; style-src 'unsafe-inline'") == true)
            #expect(page.text.contains("<code>http://docs.example/%3Cb%3E?a=1&amp;b=%27%22</code>"))
            #expect(page.text.contains("<li>docs &lt;1&gt;.zip</li>"))
            #expect(page.text.contains("href=\"/\""))
            let text = try await RawClient.get(port: port, "/a", host: "gone.example", method: "GET", "Accept: image/*")
            #expect(text.status == 504)
            #expect(text["content-type"] == "text/plain; charset=utf-8")
            #expect(
                text.text == """
                    Not available offline: http://gone.example/a
                    No loaded package contains this URL.
                    No loaded package has resources from gone.example.

                    """
            )
            // A page by its path linked to /guide/ of its own host.
            let path = try await RawClient.get(
                port: port,
                "/guide/",
                host: "localhost",
                method: "GET",
                "Accept: image/*"
            )
            #expect(path.status == 504)
            #expect(path.text.contains("No loaded package has resources from guide. In an address of this form, "))
            #expect(!text.text.contains("of this form"))
        }
    }

    @Test func `an expired response is served, refused or forbidden`() async throws {
        var store = try Self.store()
        try store.add("http://docs.example/unstated", "x", [("Content-Type", "text/plain")])
        let later = FakeCache.received + 7200
        let stale = try await withServer(store, at: later) { port, _ async throws in
            #expect(
                try await RawClient.get(port: port, "/docs.example/strict")["cache-status"]?.contains(
                    "origin-forbids-stale"
                ) == true
            )
            return try await RawClient.get(port: port, "/docs.example/x")
        }
        #expect(stale.status == 200)
        #expect(stale["cache-status"] == "afcache; hit; ttl=-3600; detail=offline")
        try await withServer(store, policy: OfflinePolicy(expired: .refuse), at: later) { port, _ async throws in
            for (name, title, state) in [
                ("x", "Expired", "has expired"),
                ("unstated", "Possibly expired", "doesn't state how long it is fresh"),
            ] {
                let refused = try await RawClient.get(port: port, "/docs.example/" + name)
                #expect(refused.status == 504)
                let words = "\(title): http://docs.example/\(name)\nIt is in a package, but \(state). "
                #expect(refused.text.hasPrefix(words), "\(refused.text)")
            }
        }
    }

    @Test func `the home page lists what is available offline`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(home.status == 200)
            #expect(home.text.contains("href=\"http://docs-example---80.localhost:\(port)/guide/?a=1&amp;b=2\""))
            #expect(home.text.contains("href=\"http://docs-example---s8443.localhost:\(port)/\""))
            #expect(home.text.contains("<td>docs &lt;1&gt;.zip</td>"))
            #expect(home.text.contains("35 kB"))
            #expect(home.text.contains("2026-11-21"))
            #expect(!home.text.contains("<script"))
            #expect(try await RawClient.get(port: port, "/.afcache/healthz").text == "ok\n")
            #expect(try await RawClient.get(port: port, "/favicon.ico").status == 404)
            // A name that an attacker points at this machine sees packages, never what is loaded.
            #expect(try await RawClient.get(port: port, "/", host: "rebound.example:\(port)").status == 504)
            #expect(try await RawClient.get(port: port, "/.afcache/healthz", host: "rebound.example").status == 504)
        }
    }

    @Test func `a failing cache is a 500, and a truncated body cuts the connection`() async throws {
        var store = try Self.store()
        store.fails = true
        let failed = try await withServer(store) { port, _ async throws in
            try await RawClient.get(port: port, "/docs.example/x")
        }
        #expect(failed.status == 500)
        #expect(failed["cache-status"] == "afcache; detail=store-failure")
        store.fails = false
        let file = store.folder.appending(path: "short")
        try Data(count: 200_000).write(to: file)
        try store.add("http://docs.example/short", file: file, size: 300_000)
        let (length, received) = try await withServer(store) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET /docs.example/short HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let head = try client.head()
                var count = 0
                while let bytes = try? client.receive(), !bytes.isEmpty { count += bytes.count }
                return (head["content-length"], count)
            }
        }
        #expect(length == "300000")
        #expect(received < 300_000)
    }

    @Test func `unusual fields and statuses are sent as stored`() async throws {
        var store = try Self.store()
        let fields = [("X-Note", "caf\u{E9}"), ("X-Tab", "a\tb"), ("X-Empty", "")]
        try store.add("http://docs.example/odd", "odd", status: 299, fields)
        try store.add("http://docs.example/empty", "", status: 204)
        try await withServer(store) { port, _ async throws in
            let odd = try await RawClient.get(port: port, "/docs.example/odd")
            #expect(odd.status == 299)
            #expect(odd.text == "odd")
            #expect(odd["x-note"] == "caf\u{E9}")
            #expect(odd["x-tab"] == "a\tb")
            #expect(odd["x-empty"] == "")
            let empty = try await RawClient.get(port: port, "/docs.example/empty")
            #expect(empty.status == 204)
            #expect(empty["content-length"] == nil)
        }
    }

    @Test(arguments: ["::1", "0.0.0.0", "localhost"])
    func `the server says where it listens`(_ host: String) async throws {
        let addresses = Box<Server.Address>()
        var configuration = Server.Configuration(now: wallClock)
        configuration.host = host
        let store = try Self.store()
        await withTaskGroup(of: Void.self) { tasks in
            let (ended, end) = AsyncStream<Void>.makeStream()
            let configuration = configuration
            tasks.addTask {
                let logger = Logger(label: "test")
                let responder = offline(store)
                let server = Server(responder: responder, configuration: configuration, logger: logger) {
                    addresses.append($0)
                    end.finish()
                }
                _ = try? await server.run()
                end.finish()
            }
            for await _ in ended {}
            tasks.cancelAll()
        }
        let address = try #require(addresses.values.first)
        #expect(address.port > 0)
        #expect(address.description.hasPrefix(host == "::1" ? "[::1]:" : host == "0.0.0.0" ? "0.0.0.0:" : ""))
    }

    @Test func `each answer is logged`() async throws {
        let records = Box<AccessRecord>()
        try await withServer(try Self.store(), configure: { $0.onAnswer = { records.append($0) } }) {
            port,
            _ async throws in
            _ = try await RawClient.get(port: port, "/docs.example/x")
            _ = try await RawClient.get(port: port, "/", host: "gone.example", method: "HEAD")
        }
        #expect(records.values.map(\.status) == [200, 504])
        #expect(records.values.map(\.method) == ["GET", "HEAD"])
        #expect(records.values.map(\.bytes) == [12, 0])
        #expect(records.values.first?.url?.description == "http://docs.example/x")
        #expect(records.values.map(\.isComplete) == [true, true])
    }
}
