import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCURL
import NIOCore
import TestSupport
import Testing

@testable import AFCServer

/// From a package on disk to the bytes on the wire.
@Suite(.timeLimit(.minutes(10)))
struct RealStoreTests {
    static func store(
        in folder: String,
        bodies: [(String, String)],
        type: String? = "text/plain",
        fallback: FallbackRules? = nil,
        package: String = "site"
    ) async throws -> DiskCache {
        let now = FakeCache.received
        let resources = try bodies.map { url, body in
            let url = try WebURL(url)
            let bytes = Array(body.utf8)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(bytes.count)),
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: type),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        options.fallback = fallback
        _ = try await PackageWriter.write(resources, to: "\(folder)/\(package).zip", options: options)
        let cache = try DiskCache(path: folder + "/store", access: .readWrite)
        _ = try await cache.install("\(folder)/\(package).zip", now: now)
        return try DiskCache(path: folder + "/store", access: .readOnly)
    }

    @Test(
        arguments: [
            ("/%61bout.html", "about"), ("/about%2ehtml", "about"), ("/about.html", "about"), ("/b%c3%bc", "capitals"),
            ("/b%C3%BC", "capitals"), ("/b%C3%bc", "capitals"), ("/~user/", "tilde"), ("/%7Euser/", "tilde"),
            ("/%7euser/", "tilde"), ("/k%c3%a4se", "small"), ("/k%C3%A4se", "small"), ("/k%C3%A4s%65", "small"),
            ("/a?q=%7e", "query"), ("/a?q=~", "query"), ("/a%2Fb", "slash"), ("/a%2fb", "slash"), ("/a/b", nil),
            ("/%5Bslug%5D.js", "brackets"), ("/%5bslug].js", "brackets"), ("/[slug].js", "brackets"),
            ("/[id].js", "escaped"), ("/%5bid%5d.js", "escaped"),
            ("/%41bout.html", nil), ("/100%", "percent"), ("/100%25", nil), ("/%", nil),
        ] as [(String, String?)]
    )
    func `an equivalent spelling of a URL is found (RFC 3986 §6.2.2), and no other`(_ target: String, _ body: String?)
        async throws
    {
        let scratch = try Scratch()
        let store = try await Self.store(
            in: scratch.path,
            bodies: [
                ("http://docs.example/about.html", "about"), ("http://docs.example/b%C3%BC", "capitals"),
                ("http://docs.example/%7euser/", "tilde"), ("http://docs.example/k%c3%a4se", "small"),
                ("http://docs.example/a?q=%7E", "query"), ("http://docs.example/a%2fb", "slash"),
                ("http://docs.example/100%", "percent"), ("http://docs.example/[slug].js", "brackets"),
                ("http://docs.example/%5Bid%5D.js", "escaped"),
            ]
        )
        #expect(try store.contains(try WebURL("http://docs.example\(target)")) == (body != nil))
        try await withServer(store) { port, _ async throws in
            for _ in 0..<2 {
                let reply = try await RawClient.get(port: port, target, host: "docs.example")
                #expect(reply.status == (body == nil ? 504 : 200))
                if let body { #expect(reply.text == body) }
            }
        }
    }

    @Test func `a query that a site doesn't use leads to its page, in any form of the request`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(
            in: scratch.path,
            bodies: [
                ("http://docs.example/search.html", "search"), ("https://docs.example/search.html?q=secure", "secure"),
                ("http://other.example/a.html", "a"),
            ],
            type: "text/html"
        )
        try await withServer(store, matching: .query) { port, _ async throws in
            for (target, host) in [
                ("/search.html?q=word", "docs.example"), ("/search.html?q=word", "docs.example.localhost:\(port)"),
                ("/docs.example/search.html?q=word", "localhost:\(port)"),
                ("http://docs.example/search.html?q=word", "docs.example"),
            ] {
                for _ in 0..<2 {
                    let reply = try await RawClient.get(port: port, target, host: host)
                    #expect(reply.status == 200 && reply.text == "search", "\(target) \(host)")
                    let status = try #require(reply["cache-status"])
                    #expect(status.contains(#"; key="http://docs.example/search.html""#), "\(status)")
                    #expect(status.hasSuffix("query-ignored"), "\(status)")
                }
            }
            // What is stored under the URL itself comes first, even if it is the https one.
            let secure = try await RawClient.get(port: port, "/search.html?q=secure", host: "docs.example")
            #expect(secure.text == "secure")
            let none = try await RawClient.get(port: port, "/none.html?q=1", host: "docs.example")
            #expect(none.status == 504)
        }
        try await withServer(store) { port, _ async throws in
            let exact = try await RawClient.get(port: port, "/search.html?q=word", host: "docs.example")
            #expect(exact.status == 504)
        }
    }

    @Test func `a cache without origins answers reloads from memory, and looks up demands on freshness`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(in: scratch.path, bodies: [("http://docs.example/a", "a")])
        try await withServer(store) { port, _ async throws in
            // A browser's reloads, and what Squid sends, once each.
            for (control, hits) in [
                ("", "0"), ("max-age=0", "1"), ("no-cache", "2"), ("max-age=259200", "3"), ("max-stale=9", "3"),
                ("min-fresh=0", "3"),
            ] {
                let field = control.isEmpty ? "" : "Cache-Control: \(control)\r\n"
                try await RawClient.run(port: port) { client throws in
                    try client.send("GET /a HTTP/1.1\r\nHost: docs.example\r\n\(field)\r\n")
                    let reply = try client.reply()
                    #expect(reply.status == 200 && reply.text == "a", "\(control)")
                }
                let page = try await RawClient.get(port: port, "/.afcache/metrics")
                #expect(MetricsTests.samples(page.text)["afcache_memory_hits_total"] == hits, "\(control)")
            }
        }
    }

    @Test func `a missing URL is answered from memory until the cache changes`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(in: scratch.path, bodies: [("http://docs.example/a", "a")])
        try await withServer(store) { port, _ async throws in
            func ask() async throws -> RawClient.Reply {
                try await RawClient.get(port: port, "/new", host: "docs.example")
            }
            let first = try await ask()
            for _ in 0..<4 {
                let reply = try await ask()
                #expect(reply.status == 504 && reply.text == first.text)
                #expect(reply["cache-status"] == first["cache-status"])
            }
            let page = try await RawClient.get(port: port, "/.afcache/metrics")
            let samples = MetricsTests.samples(page.text)
            #expect(samples["afcache_memory_hits_total"] == "4")
            #expect(samples["afcache_answers_total{class=\"5xx\",cache=\"miss\"}"] == "5")
            let record = PackageWriter.Resource(
                record: ResourceRecord(url: try WebURL("http://docs.example/new"), fetched: FakeCache.received),
                entry: ManifestEntry(url: try WebURL("http://docs.example/new")),
                body: .bytes(Array("new".utf8)),
                isCompressible: false
            )
            let options = PackageWriter.Options(created: FakeCache.received, generator: "test/1")
            _ = try await PackageWriter.write([record], to: scratch.path("new.zip"), options: options)
            let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
            _ = try await writer.install(scratch.path("new.zip"), now: FakeCache.received)
            #expect(try await ask().text == "new")
        }
    }

    /// Large bodies are read on the event loop as far as they are in memory, piece by piece.
    @Test func `large bodies, their parts and many at once are whole`() async throws {
        let scratch = try Scratch()
        let text = String((0..<400_000).map { Character(UnicodeScalar(UInt8(97 + $0 * $0 % 23))) })
        let bodies = (0..<8).map { ("http://docs.example/\($0)", "\($0)" + text) }
        let store = try await Self.store(in: scratch.path, bodies: bodies)
        try await withServer(store) { port, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for client in 0..<8 {
                    tasks.addTask {
                        for number in 0..<16 {
                            let number = (number + client) % 8
                            let reply = try await RawClient.get(port: port, "/\(number)", host: "docs.example")
                            #expect(reply.status == 200 && reply.text == bodies[number].1)
                            let part = try await RawClient.get(
                                port: port,
                                "/\(number)",
                                host: "docs.example",
                                "Range: bytes=200000-399999"
                            )
                            let expected = bodies[number].1.dropFirst(200_000).prefix(200_000)
                            #expect(part.status == 206 && part.text == expected)
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    /// 40 bodies of 2.6 MB together, of which few find room in memory; the largest never does.
    @Test func `bodies that have no room in memory are read from the disk without a look-up`() async throws {
        let scratch = try Scratch()
        let bodies = (0..<40).map { number in
            let line = "line of \(number) of the corpus\n"
            let count = number == 7 ? 3500 : 500 + 60 * number
            return ("http://docs.example/\(number)", String(repeating: line, count: count))
        }
        let store = try await Self.store(in: scratch.path, bodies: bodies)
        try await withServer(store, configure: { $0.memoryBytes = 400_000 }) { port, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for client in 0..<4 {
                    tasks.addTask {
                        try await RawClient.run(port: port) { connection throws in
                            for turn in 0..<400 {
                                let number = (turn * 17 + client * 5) % 40
                                let field = turn % 3 == 0 ? "X-Turn: \(turn)\r\n" : ""
                                try connection.send("GET /\(number) HTTP/1.1\r\nHost: docs.example\r\n\(field)\r\n")
                                let reply = try connection.reply()
                                #expect(reply.status == 200 && reply.text == bodies[number].1)
                            }
                        }
                    }
                }
                try await tasks.waitForAll()
            }
            let page = try await RawClient.get(port: port, "/.afcache/metrics")
            let hits = MetricsTests.samples(page.text)["afcache_memory_hits_total"].flatMap { Int($0) } ?? 0
            #expect(hits > 1200, "\(hits) of 1600 requests were answered without a look-up")
            // A body that was cut afterwards is an error, not a shorter body.
            for number in 0..<40 {
                let candidate = try #require(try store.candidates(for: try WebURL(bodies[number].0)).first)
                #expect(truncate(try store.body(of: candidate).path, 100) == 0)
            }
            for number in 0..<40 {
                let reply = try await RawClient.get(port: port, "/\(number)", host: "docs.example")
                #expect(reply.status == 500 || reply.text == bodies[number].1, "\(number): \(reply.status)")
            }
        }
    }

    #if os(Linux)
    @Test func `a large body in memory is sent in parts of its file, unless it is verified`() async throws {
        let scratch = try Scratch()
        let bodies = [
            ("http://docs.example/a", String(repeating: "0123456789", count: 150_000)),
            ("http://docs.example/b", "small"),
        ]
        let store = try await Self.store(in: scratch.path, bodies: bodies)
        func stream(_ number: Int, of store: DiskCache) throws -> (BodyStream, path: String) {
            let candidate = try #require(try store.candidates(for: try WebURL(bodies[number].0)).first)
            let body = try store.body(of: candidate)
            return (BodyStream(.whole, of: body), body.path)
        }
        // Reads the body, so that it is in memory.
        var read = try stream(0, of: store).0
        while try read.next() != nil {}
        var (whole, path) = try stream(0, of: store)
        var parts: [Range<Int>] = []
        while let part = whole.partAtOnce() {
            parts.append(part.region.readerIndex..<part.region.endIndex)
            part.release()
        }
        #expect(parts == [0..<524_288, 524_288..<1_048_576, 1_048_576..<1_500_000] && whole.isFinished)
        var small = try stream(1, of: store).0
        #expect(small.partAtOnce() == nil)
        let verifying = try DiskCache(path: scratch.path("store"), access: .readOnly, verifiesBodies: true)
        var verified = try stream(0, of: verifying).0
        #expect(verified.partAtOnce() == nil)
        var cut = try stream(0, of: store).0
        #expect(truncate(path, 100_000) == 0)
        #expect(cut.partAtOnce() == nil, "the file doesn't have the part")
    }
    #endif

    private static func siteWithFallbacks(in folder: String, scheme: String = "http") async throws -> DiskCache {
        let base = "\(scheme)://docs.example/"
        return try await store(
            in: folder,
            bodies: [(base + "index.html", "app"), (base + "404.html", "missing")],
            type: "text/html",
            fallback: try FallbackRules(
                base: WebURL(base),
                application: WebURL(base + "index.html"),
                missing: WebURL(base + "404.html")
            )
        )
    }

    @Test func `a navigation gets the package's page in any form of the request, and a part of a page never does`()
        async throws
    {
        let scratch = try Scratch()
        let store = try await Self.siteWithFallbacks(in: scratch.path)
        try await withServer(store, matching: .query) { port, _ async throws in
            for (prefix, host) in [
                ("", "docs.example"), ("", "docs-example---80.localhost:\(port)"),
                ("/docs.example", "localhost:\(port)"),
                ("http://docs.example", "docs.example"),
            ] {
                try await RawClient.run(port: port) { client throws in
                    func ask(_ path: String, _ fields: String, method: String = "GET") throws -> RawClient.Reply {
                        try client.send("\(method) \(prefix)\(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
                        return try client.reply(hasBody: method != "HEAD")
                    }
                    let (page, image) = ("Accept: text/html,*/*;q=0.8\r\n", "Accept: image/*\r\n")
                    // Each answer twice, since the second one may come from memory, in both orders.
                    for order in [[page, page, image, image, "", page], [image, "", page, "", image, page]] {
                        for fields in order {
                            let application = try ask("/users/5", fields)
                            let missing = try ask("/none.txt", fields)
                            let isPage = fields == page
                            #expect(application.status == (isPage ? 200 : 504), "\(prefix) \(host) \(fields)")
                            #expect(missing.status == (isPage ? 404 : 504), "\(prefix) \(host) \(fields)")
                            guard isPage else { continue }
                            #expect(application.text == "app" && missing.text == "missing")
                            #expect(application["vary"] == "Sec-Fetch-Mode, Accept")
                            let status = try #require(application["cache-status"])
                            #expect(status.hasSuffix("detail=fallback-application"), "\(status)")
                        }
                    }
                    let head = try ask("/none.txt", page, method: "HEAD")
                    #expect(head.status == 404 && head["content-length"] == "7")
                    // Sec-Fetch-Mode is known better than Accept.
                    #expect(try ask("/users/5", page + "Sec-Fetch-Mode: no-cors\r\n").status == 504)
                    #expect(try ask("/users/5", "Sec-Fetch-Mode: navigate\r\n").status == 200)
                    let modified = try #require(try ask("/users/5", page)["last-modified"])
                    let unchanged = try ask("/users/5", page + "If-Modified-Since: \(modified)\r\n")
                    #expect(unchanged.status == 304)
                    #expect(try ask("/users/5", page + "Range: bytes=1-\r\n").text == "pp")
                    #expect(try ask("/none.txt", page + "Range: bytes=1-\r\n").text == "missing")
                    #expect(try ask("/index.html", image).status == 200)
                }
            }
        }
        try await withServer(store) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET /users/5 HTTP/1.1\r\nHost: docs.example\r\nAccept: text/html\r\n\r\n")
                #expect(try client.reply().status == 504)
            }
        }
    }

    @Test func `a navigation without the slash is redirected in any form of the request`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(
            in: scratch.path,
            bodies: [("http://docs.example/dir/", "page")],
            type: "text/html"
        )
        try await withServer(store, matching: .query) { port, _ async throws in
            for (prefix, host, location) in [
                ("", "docs.example", "./dir/?q=1"),
                ("", "docs.example.localhost:\(port)", "http://docs-example---80.localhost:\(port)/dir/?q=1"),
                ("/docs.example", "localhost:\(port)", "/docs.example/dir/?q=1"),
                ("http://docs.example", "docs.example", "./dir/?q=1"),
            ] {
                try await RawClient.run(port: port) { client throws in
                    for (accept, status) in [
                        ("text/html", 308), ("text/html", 308), ("image/*", 504), ("text/html", 308),
                    ] {
                        try client.send("GET \(prefix)/dir?q=1 HTTP/1.1\r\nHost: \(host)\r\nAccept: \(accept)\r\n\r\n")
                        let reply = try client.reply()
                        #expect(reply.status == status, "\(prefix) \(host) \(accept)")
                        guard status == 308 else { continue }
                        #expect(reply["location"] == location && reply.text.isEmpty)
                        #expect(reply["vary"]?.contains("Sec-Fetch-Mode, Accept") == true)
                        #expect(reply["cache-status"]?.hasSuffix("detail=slash-redirect") == true)
                    }
                    try client.send("GET \(prefix)/dir/?q=1 HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                    #expect(try client.reply().text == "page")
                }
            }
        }
    }

    @Test func `a navigation gets the package's page over HTTP 2, too`() async throws {
        let scratch = try Scratch()
        let store = try await Self.siteWithFallbacks(in: scratch.path, scheme: "https")
        let responder = CacheResponder(
            store: store,
            policy: OfflinePolicy(),
            matching: .query,
            now: { FakeCache.received + 60 }
        )
        try await SecureTests.serve(responder) { port, authority async throws in
            let url = "https://docs.example:\(port)/"
            for (path, mode, expected) in [
                ("users/5", "navigate", "app 200"), ("users/5", "cors", " 504"), ("x.txt", "navigate", "missing 404"),
            ] {
                let options = ["--http2", "-H", "Accept: */*", "-H", "Sec-Fetch-Mode: \(mode)", "-w", " %{http_code}"]
                let reply = try await SecureTests.get(port, authority, options + [url + path])
                #expect(reply.text.hasSuffix(expected), "\(path) \(mode): \(reply.text)")
            }
        }
    }

    @Test func `the home page links to a site's index, and a miss to similar URLs`() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(
            in: scratch.path,
            bodies: [
                ("http://docs.example/a.html", "a"), ("http://docs.example/index.html", "index"),
                ("http://docs.example/guide/index.html", "guide"), ("http://docs.example/guide/start.html", "start"),
                ("http://root.example/b.html", "b"), ("http://root.example/", "root"),
                ("http://deep.example/x/y.html", "y"), ("http://deep.example/x/index.html", "x"),
                ("afcpkg://localhost/bugs.html", "bugs"), ("afcpkg://localhost/index.html", "folder"),
            ],
            type: "text/html"
        )
        try await withServer(store) { port, _ async throws in
            let html = "Accept: text/html"
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            for start in [
                "http://docs-example---80.localhost:\(port)/index.html", "http://root-example---80.localhost:\(port)/",
                "http://deep-example---80.localhost:\(port)/x/index.html",
                "http://localhost---f.localhost:\(port)/index.html",
            ] { #expect(home.text.contains("href=\"\(start)\""), "\(start) \(home.text)") }
            #expect(home.text.contains("<code>http://localhost:\(port)</code>"), "the proxy's address")
            let folder = try await RawClient.get(port: port, "/localhost/index.html")
            #expect(folder.text == "folder")
            for (missing, near) in [
                ("/guide/start", "/guide/start.html"), ("/guide", "/guide/index.html"),
                ("/Guide/Start.HTML", "/guide/start.html"),
                ("/guide/start.html?from=mail", "/guide/start.html"), ("/guide/start.html/", "/guide/start.html"),
                ("/guide/none.html", "/guide/index.html"),
            ] {
                let page = try await RawClient.get(
                    port: port,
                    missing,
                    host: "docs.example.localhost:\(port)",
                    method: "GET",
                    html
                )
                #expect(page.status == 504)
                let base = "http://docs-example---80.localhost:\(port)"
                #expect(page.text.contains("<a href=\"\(base)\(near)\">"), "\(missing): \(page.text)")
                #expect(page.text.contains("Start page of docs.example: <a href=\"\(base)/index.html\">"))
            }
            let www = try await RawClient.get(
                port: port,
                "http://www.root.example/b.html",
                host: "h",
                method: "GET",
                html
            )
            #expect(www.text.contains("<a href=\"http://root.example/b.html\">"), "\(www.text)")
        }
    }

    @Test func `a browser without a proxy can read a package without types`() async throws {
        let scratch = try Scratch()
        let html = "<html><title>old</title><p>a page"
        let store = try await Self.store(
            in: scratch.path,
            bodies: [
                ("http://old.example/index.html", html), ("http://old.example/news/", html),
                ("http://old.example/style.css", "p {}"), ("http://old.example/data.bin", html),
            ],
            type: nil
        )
        try await withServer(store) { port, _ async throws in
            let named = "old-example---80.localhost:\(port)"
            let accept = "Accept: text/html"
            for (path, type) in [
                ("/index.html", "text/html"), ("/news/", "text/html"), ("/style.css", "text/css"),
                ("/data.bin", nil),
            ] as [(String, String?)] {
                for _ in 0..<3 {
                    let shown = try await RawClient.get(port: port, path, host: named, method: "GET", accept)
                    #expect(shown["content-type"] == type, "\(path)")
                    let byPath = try await RawClient.get(port: port, "/old.example" + path)
                    #expect(byPath["content-type"] == type, "\(path)")
                    let head = try await RawClient.get(port: port, path, host: named, method: "HEAD", accept)
                    #expect(head["content-type"] == type, "\(path)")
                }
                // Proxies and programs get what is stored.
                for (target, host) in [("http://old.example" + path, "h"), (path, "old.example")] {
                    let stored = try await RawClient.get(port: port, target, host: host)
                    #expect(stored["content-type"] == nil, "\(path)")
                }
            }
            let root = try await RawClient.get(port: port, "/", host: named, method: "GET", accept)
            #expect(root.status == 302)
            #expect(root["location"] == "http://\(named)/index.html")
            #expect(try await RawClient.get(port: port, "/", host: named).status == 504, "not for a program")
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(home.text.contains("href=\"http://\(named)/index.html\""))
        }
    }

    @Test func `a package that was loaded is served`() async throws {
        let scratch = try Scratch()
        let big = String(repeating: "0123456789", count: 50_000)
        let store = try await Self.store(
            in: scratch.path,
            bodies: [
                ("http://docs.example/", "root"), ("http://docs.example/find?q=1", "query"),
                ("http://docs.example/big", big),
            ]
        )
        try await withServer(store) { port, _ async throws in
            let root = try await RawClient.get(port: port, "/", host: "docs.example.localhost:\(port)")
            #expect(root.text == "root")
            #expect(root["content-type"] == "text/plain")
            #expect(root["last-modified"] == "Sat, 21 Nov 2026 10:00:00 GMT")
            #expect(root["cache-status"] == "afcache; hit; ttl=3540")
            #expect(try await RawClient.get(port: port, "http://docs.example/find?q=1").text == "query")
            #expect(try await RawClient.get(port: port, "/docs.example/big").text == big)
            let range = try await RawClient.get(
                port: port,
                "/big",
                host: "docs.example",
                method: "GET",
                "Range: bytes=499998-"
            )
            #expect(range.status == 206)
            #expect(range.text == "89")
            let tag = try #require(root["etag"])
            let again = try await RawClient.get(
                port: port,
                "/docs.example/",
                host: "localhost",
                method: "GET",
                "If-None-Match: \(tag)"
            )
            #expect(again.status == 304)
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(home.text.contains("<td>site<br><span class=\"note\">packed "))
            #expect(home.text.contains("http://docs-example---80.localhost:\(port)/"))
            #expect(try await RawClient.get(port: port, "/docs.example/gone").status == 504)
        }
    }
}
