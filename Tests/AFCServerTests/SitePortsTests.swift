import AFCFiles
import AFCText
import AFCURL
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AFCCache
@testable import AFCServer

/// docs/reference/serve.md, "A port for each site".
struct SitePortsTests {
    private static func summary(_ origin: String, hasPage: Bool = true) -> OriginSummary {
        let url = try? WebURL(origin + "/")
        return OriginSummary(
            origin: origin,
            host: url?.host ?? "",
            resources: 1,
            bytes: 1,
            start: hasPage ? url : nil
        )
    }

    private static func table(
        _ range: ClosedRange<UInt16> = 8100...8102,
        in scratch: Scratch,
        _ onNotKept: @escaping @Sendable (FileError) -> Void = { Issue.record($0) }
    ) throws -> SitePorts {
        try SitePorts(range, file: scratch.path + "/site-ports", onNotKept: onNotKept)
    }

    @Test func `origins with pages come first, and a full range has no port for more`() throws {
        let scratch = try Scratch()
        let ports = try Self.table(in: scratch)
        ports.add([
            Self.summary("https://cdn.example", hasPage: false), Self.summary("https://b.example"),
            Self.summary("http://a.example"), Self.summary("https://last.example", hasPage: false),
        ])
        #expect(
            ports.sites.map { "\($0.port) \($0.origin)" } == [
                "8100 https://b.example", "8101 http://a.example", "8102 https://cdn.example",
            ]
        )
    }

    @Test func `a port never means another origin`() throws {
        let scratch = try Scratch()
        try Self.table(in: scratch).add([Self.summary("https://a.example"), Self.summary("https://b.example")])
        // The first one was removed meanwhile.
        let later = try Self.table(in: scratch)
        later.add([Self.summary("https://b.example"), Self.summary("https://c.example")])
        #expect(later.sites.map(\.origin) == ["https://a.example", "https://b.example", "https://c.example"])
        // Another range, which has one of the old ports.
        let moved = try Self.table(8102...8104, in: scratch)
        moved.add([Self.summary("https://a.example"), Self.summary("https://d.example")])
        #expect(moved.sites.map { "\($0.port) \($0.origin)" } == ["8102 https://c.example", "8103 https://d.example"])
    }

    @Test func `two servers with one table give no port twice`() throws {
        let scratch = try Scratch()
        let (first, second) = (try Self.table(in: scratch), try Self.table(in: scratch))
        first.add([Self.summary("https://a.example")])
        second.add([Self.summary("https://b.example")])
        #expect(second.sites.map { "\($0.port) \($0.origin)" } == ["8100 https://a.example", "8101 https://b.example"])
    }

    @Test(arguments: ["8100", "8100 docs.example", "x https://a.example", "8100 https://a.example/", "70000 https://a"])
    func `a damaged table is an error`(line: String) throws {
        let scratch = try Scratch()
        try "8101 https://b.example\n\(line)\n"
            .write(toFile: scratch.path + "/site-ports", atomically: false, encoding: .utf8)
        let error = #expect(throws: FileError.self) { try Self.table(in: scratch) }
        #expect(error?.message.contains("/site-ports': line 2 ") ?? false)
    }

    @Test func `a table that can't be kept serves nevertheless`() throws {
        let scratch = try Scratch()
        let reported = Mutex(0)
        let ports = try SitePorts(8100...8109, file: scratch.path + "/none/site-ports") { _ in
            reported.withLock { $0 += 1 }
        }
        ports.add([Self.summary("https://a.example")])
        ports.add([Self.summary("https://a.example"), Self.summary("https://b.example")])
        #expect(ports.sites.map(\.origin) == ["https://a.example", "https://b.example"])
        #expect(reported.withLock { $0 } == 1)
    }

    @Test func `a port of the range that another program uses is an error with its own remedy`() async throws {
        let scratch = try Scratch()
        let taken = try TakenPort()
        let port = try #require(UInt16(exactly: taken.port))
        let store = try await RealStoreTests.store(in: scratch.path, bodies: [("https://a.example/", "a")])
        var configuration = Server.Configuration(now: wallClock)
        configuration.sitePorts = try Self.table(port...port, in: scratch)
        let settings = configuration
        let error = await #expect(throws: ServerError.self) {
            try await Server.runUntilCancelled(responder: offline(store), configuration: settings) { _ in }
        }
        #expect(error?.code == .addressInUse && error?.remedy == .chooseSitePorts)
        #expect(error?.description.contains("127.0.0.1:\(port)") ?? false)
    }

    @Test func `each site has a port, and the server's own pages another one`() async throws {
        let scratch = try Scratch()
        let page = """
            <link rel=stylesheet href=https://cdn.example/s.css><a href=https://a.example/x>x</a>\
            <a href=https://b.example/>b</a><a href=/root>r</a>
            """
        let store = try await RealStoreTests.store(
            in: scratch.path,
            bodies: [
                ("https://a.example/", page), ("https://a.example/x", "x of a"), ("https://b.example/", "start of b"),
                ("https://b.example/s", "<script>1</script>"),
                ("https://cdn.example/s.css", "a{}"),
            ],
            type: "text/html"
        )
        let range = try FreePorts.range(6)
        let ports = try SitePorts(range, file: scratch.path + "/site-ports") { Issue.record($0) }
        try await withServer(store, configure: { $0.sitePorts = ports }) { port, _ async throws in
            func get(_ port: UInt16, _ path: String, _ host: String, _ field: String = "Accept: text/html") async throws
                -> RawClient.Reply
            {
                try await RawClient.get(port: port, path, host: host, method: "GET", field)
            }
            let home = try await get(port, "/", "192.0.2.7:\(port)")
            let sites = Dictionary(uniqueKeysWithValues: ports.sites.map { ($0.origin, $0.port) })
            #expect(sites.count == 3)
            let (a, b) = (try #require(sites["https://a.example"]), try #require(sites["https://b.example"]))
            let cdn = try #require(sites["https://cdn.example"])
            for site in [a, b] { #expect(home.text.contains("href=\"http://192.0.2.7:\(site)/\"")) }
            #expect(try await get(port, "/", "localhost:\(port)").text.contains("http://a-example.localhost:\(port)/"))

            let start = try await get(a, "/", "192.0.2.7:\(a)")
            #expect(
                start.text == """
                    <link rel=stylesheet href=http://192.0.2.7:\(cdn)/s.css><a href=/x>x</a>\
                    <a href=http://192.0.2.7:\(b)/>b</a><a href=/root>r</a>
                    """
            )
            let policy = try #require(start["content-security-policy"])
            #expect(policy.contains("default-src 'self' http://192.0.2.7:* "))
            #expect(!policy.contains("sandbox"))
            #expect(try await get(a, "/x", "localhost:\(a)").text == "x of a")
            #expect(try await get(b, "/", "127.0.0.1:\(b)").text == "start of b")
            // What a port doesn't have leads to the server's own pages.
            #expect(try await get(b, "/x", "192.0.2.7:\(b)").text.contains("http://192.0.2.7:\(port)/"))
            // A website that points its name at the server gets nothing, and a site can't read the own pages.
            #expect(try await get(a, "/", "evil.example:\(a)").status == 504)
            for own in ["/.afcache/metrics", "/.afcache/search?q=a", "/proxy.pac", "/b.example/"] {
                #expect(try await get(a, own, "192.0.2.7:\(a)").status == 504, "\(own)")
            }
            #expect(try await get(a, "/.afcache/healthz", "192.0.2.7:\(a)").text == "ok\n")
            #expect(try await get(range.upperBound, "/", "192.0.2.7:\(range.upperBound)").status == 404)

            // A page's script knows its site only; the server leads readers to others, and scripts to none.
            let scripted = try await get(b, "/s", "192.0.2.7:\(b)").text
            #expect(scripted.hasPrefix(PageScript.element(site: "https://b.example", hasPorts: true)))
            #expect(scripted.contains("\"https://b.example/\":\"/\",\"https://a.example/\":\"http://192.0.2.7:\(a)/\""))
            #expect(try await get(b, PageScript.path, "192.0.2.7:\(b)").text == PageScript.text)
            for (host, mode, status, location) in [
                ("a.example", "navigate", 307, "http://192.0.2.7:\(a)/x"), ("live.example", "navigate", 200, nil),
                ("a.example", "cors", 504, nil), ("live.example", "cors", 504, nil),
            ] {
                let target = "/.afcache/to?https%3A%2F%2F\(host)%2Fx"
                let led = try await get(b, target, "192.0.2.7:\(b)", "Sec-Fetch-Mode: \(mode)")
                #expect(led.status == status && led["location"] == location, "\(host), \(mode)")
            }

            // A page, whose answer to a navigation is repeated, is another answer for a script elsewhere.
            #expect(try await get(cdn, "/s.css", "192.0.2.7:\(cdn)")["access-control-allow-origin"] == nil)
            let shared = try await get(cdn, "/s.css", "192.0.2.7:\(cdn)", "Origin: http://192.0.2.7:\(a)")
            #expect(shared["access-control-allow-origin"] == "http://192.0.2.7:\(a)")
            for origin in ["http://192.0.2.7:\(port)", "http://192.0.2.8:\(a)", "https://evil.example"] {
                let refused = try await get(cdn, "/s.css", "192.0.2.7:\(cdn)", "Origin: \(origin)")
                #expect(refused["access-control-allow-origin"] == nil, "\(origin)")
            }
        }
        let kept = try String(contentsOfFile: scratch.path + "/site-ports", encoding: .utf8)
        #expect(kept.split(separator: "\n").count == 3)
    }
}
