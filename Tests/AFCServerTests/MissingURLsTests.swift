import AFCCache
import AFCHTTP
import AFCPackageFormat
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCServer

/// The list of URLs that clients requested and that aren't stored.
struct MissingURLsTests {
    private static func request(_ url: String, _ kind: MissingURLs.Kind = .requisite) throws -> MissingURLs.Request {
        MissingURLs.Request(url: try WebURL(url), kind: kind)
    }

    @Test func `requests are counted by URL, without query, the most frequent first`() throws {
        let missing = MissingURLs()
        missing.note(try Self.request("http://d.example/b"))
        for query in ["?token=1", "?token=2", ""] {
            missing.note(try Self.request("http://u:p@d.example/c" + query, query.isEmpty ? .page : .requisite))
        }
        missing.note(try Self.request("http://d.example/a", .page))
        let (entries, others) = missing.result
        #expect(entries.map(\.shown) == ["http://d.example/c?…", "http://d.example/a", "http://d.example/b"])
        #expect(entries.map(\.count) == [3, 1, 1] && entries.map(\.kind) == [.page, .page, .requisite] && others == 0)
        let lines = missing.text.split(separator: "\n")
        #expect(
            lines.dropFirst() == [
                "3 page http://d.example/c", "1 page http://d.example/a", "1 requisite http://d.example/b",
            ]
        )
        #expect(lines[0].hasPrefix("#") && !missing.text.contains("token"))
    }

    @Test func `what only a crawl requests, to find the page for missing URLs, isn't listed`() throws {
        let missing = MissingURLs()
        for path in ["a/afcache-missing-page", "afcache-missing/page.html", "afcache-missing-page/b", "page.html"] {
            missing.note(try Self.request("http://d.example/" + path))
        }
        #expect(missing.result.entries.map(\.url.path) == ["/afcache-missing-page/b", "/page.html"])
    }

    @Test func `the list is bounded, and known URLs are still counted`() throws {
        let missing = MissingURLs()
        for number in 0..<1100 { missing.note(try Self.request("http://d.example/\(number)")) }
        missing.note(try Self.request("http://d.example/0"))
        missing.note(try Self.request("http://d.example/" + String(repeating: "a", count: 3000)))
        let (entries, others) = missing.result
        #expect(entries.count == 1000 && entries[0].url.path == "/0" && entries[0].count == 2 && others == 101)
        #expect(missing.text.hasSuffix("# and 101 more requests for other URLs\n"))
    }

    @Test(
        arguments: [
            ("/a", [.secFetchMode: "navigate"], .page), ("/a", [.accept: "text/html"], .page),
            ("/a", [.secFetchMode: "cors", .accept: "text/html"], .requisite), ("/a", [.accept: "image/*"], .requisite),
            ("/a", [:], .page), ("/a", [.accept: "*/*"], .page), ("/a.html", [:], .page), ("/a.b/", [:], .page),
            ("/a.json", [:], .requisite), ("/a", [.secFetchMode: "no-cors", .accept: "*/*"], .requisite),
        ] as [(String, HTTPFields, MissingURLs.Kind)]
    )
    func `the fields tell the kind, or else the path`(_ path: String, _ fields: HTTPFields, _ kind: MissingURLs.Kind)
        throws
    {
        let server = ServerIdentity(port: 80)
        let request = ServerRequest(method: "GET", target: path, hosts: ["d.example"], fields: fields, server: server)
        #expect(MissingURLs.Request(try WebURL("http://d.example" + path), request).kind == kind)
    }

    @Test func `misses of packaged hosts are listed over any form of the request, also from memory`() async throws {
        let scratch = try Scratch()
        let base = "https://docs.example/"
        let store = try await RealStoreTests.store(
            in: scratch.path,
            bodies: [(base, "start"), (base + "404.html", "missing"), (base + "dir/", "dir")],
            type: "text/html",
            fallback: try FallbackRules(
                base: WebURL(base),
                application: nil,
                missing: WebURL(base + "404.html")
            )
        )
        let missing = MissingURLs()
        try await withServer(store, matching: .query, configure: { $0.missing = missing }) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for (path, accept, status, times) in [
                    ("/x.json?sig=secret", "*/*", 504, 3), ("/page", "text/html", 404, 2), ("/", "text/html", 200, 1),
                    ("/dir", "text/html", 308, 1),
                ] {
                    for _ in 0..<times {
                        try client.send("GET \(path) HTTP/1.1\r\nHost: docs.example\r\nAccept: \(accept)\r\n\r\n")
                        #expect(try client.reply().status == status, "\(path)")
                    }
                }
                try client.send("GET /x HTTP/1.1\r\nHost: other.example\r\n\r\n")
                #expect(try client.reply().status == 504)
            }
        }
        // The scheme is that of the package's pages.
        #expect(
            missing.result.entries.map { "\($0.count) \($0.kind.rawValue) \($0.shown)" } == [
                "3 requisite https://docs.example/x.json?…", "2 page https://docs.example/page",
            ]
        )
        #expect(missing.result.others == 0)
    }
}
