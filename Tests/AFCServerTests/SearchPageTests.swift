import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCSearch
import AFCURL
import Foundation
import TestSupport
import Testing

@testable import AFCServer

/// The home page, the search and its suggestions, over sockets.
@Suite(.timeLimit(.minutes(10)))
struct SearchPageTests {
    /// Starts a server with a search over a small package.
    private static func withSearch(_ body: @escaping @Sendable (UInt16) async throws -> Void) async throws {
        let scratch = try Scratch()
        let now = FakeCache.received
        let pages = [
            (
                "http://docs.example/",
                "<html lang=de><title>Docs &amp; more</title><link rel=icon href=i.png><p>The start page."
            ),
            (
                "http://docs.example/guide/coroutines.html",
                "<title>Coroutines <b></title><p>Run gather &lt;script&gt; soon."
            ),
            ("http://docs.example/i.png", "\u{89}PNG"),
            ("http://other.example/x.html", "<title>Other coroutines</title><p>x"),
        ]
        let resources = try pages.map { text, body in
            let url = try WebURL(text)
            let bytes = text.hasSuffix("png") ? [0x89, 0x50, 0x4E, 0x47] : Array(body.utf8)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(bytes.count)),
                entry: ManifestEntry(
                    url: url,
                    lastModified: now,
                    expires: now + 3600,
                    mediaType: text.hasSuffix("png") ? "image/png" : "text/html"
                ),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        let package = scratch.path("site.zip")
        _ = try await PackageWriter.write(resources, to: package, options: .init(created: now, generator: "test/1"))
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(package, now: now)
        for generation in try cache.currentGenerations() {
            _ = try await SearchKeeper.makeNow(
                generation,
                in: cache,
                temporaryFolder: scratch.path,
                patience: WriterPatience()
            )
        }
        let store = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let library = SearchLibrary(store)
        let responder = CacheResponder(
            store: store,
            policy: OfflinePolicy(),
            matching: .exact,
            search: library,
            now: { now + 60 }
        )
        try await withServer(responder: responder, configure: { $0.search = library }) { port, _ async throws in
            try await body(port)
        }
    }

    @Test func `the home page shows each site, and has a script with a nonce`() async throws {
        try await Self.withSearch { port async throws in
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(home.status == 200)
            #expect(home.text.contains(">Docs &amp; more</a>"))
            #expect(home.text.contains("src=\"data:image/png;base64,iVBORw==\""))
            #expect(home.text.contains("Deutsch · 2026-11-21 · 3 resources"), "\(home.text)")
            #expect(home.text.contains("action=\"/.afcache/search\""))
            let policy = try #require(home["content-security-policy"])
            let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]{32})'/)).output.1
            #expect(home.text.contains("<script nonce=\"\(nonce)\">"))
            #expect(policy.contains("form-action 'self'") && policy.hasPrefix("default-src 'none'"))
            let again = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(again["content-security-policy"] != policy)
        }
    }

    @Test func `a search shows pages with marked words, all escaped`() async throws {
        try await Self.withSearch { port async throws in
            for host in ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)"] {
                let page = try await RawClient.get(port: port, "/.afcache/search?q=GATHER+soon", host: host)
                #expect(page.status == 200)
                let link = "http://docs-example---80.localhost:\(port)/guide/coroutines.html"
                #expect(page.text.contains("<a href=\"\(link)\">Coroutines &lt;b&gt;</a>"), "\(page.text)")
                #expect(page.text.contains("Run <mark>gather</mark> &lt;script&gt; <mark>soon</mark>."))
                #expect(page["access-control-allow-origin"] == nil)
                #expect(page["cache-control"] == "no-store")
            }
            let limited = try await RawClient.get(
                port: port,
                "/.afcache/search?q=coroutines&host=other.example",
                host: "localhost:\(port)"
            )
            #expect(limited.text.contains("http://other.example/x.html"))
            #expect(!limited.text.contains("docs.example/guide"))
        }
    }

    @Test(
        arguments: [
            "", "?", "?q", "?q=", "?q=%", "?q=%3Cscript%3Ealert(1)%3C/script%3E", "?q=%22%27%3E", "?q=a&page=-1",
            "?q=the&page=99999999999999999999", "?q=the&page=7", "?q=%FF%FE", "?q=the&host=%3Cb%3E", "?q=the&host=",
            "?&&&=&q=the", "?q=the+the+the", "?q=%00",
        ]
    )
    func `any query gets a page, with what was typed as text`(_ query: String) async throws {
        try await Self.withSearch { port async throws in
            let page = try await RawClient.get(port: port, "/.afcache/search\(query)", host: "localhost:\(port)")
            #expect(page.status == 200, "\(query)")
            #expect(!page.text.contains("<script>") && !page.text.contains("\"'>"), "\(query)")
        }
    }

    @Test func `suggestions are JSON with links`() async throws {
        try await Self.withSearch { port async throws in
            let reply = try await RawClient.get(port: port, "/.afcache/suggest?q=corou", host: "localhost:\(port)")
            #expect(reply.status == 200)
            #expect(reply["content-type"] == "application/json")
            #expect(reply["x-content-type-options"] == "nosniff")
            let json = try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: [[String: String]]]
            let suggestions = try #require(json?["suggestions"])
            #expect(Set(suggestions.compactMap { $0["title"] }) == ["Coroutines <b>", "Other coroutines"])
            let link = "http://docs-example---80.localhost:\(port)/guide/coroutines.html"
            #expect(suggestions.contains { $0["link"] == link })
        }
    }

    @Test func `other websites and other hosts can't search`() async throws {
        try await Self.withSearch { port async throws in
            func status(_ path: String, host: String, _ fields: String...) async throws -> Int {
                try await RawClient.get(
                    port: port,
                    path + "?q=coroutines",
                    host: host,
                    method: "GET",
                    fields.joined(separator: "\r\n")
                )
                .status
            }
            let (search, suggest, own) = ("/.afcache/search", "/.afcache/suggest", "localhost:\(port)")
            for site in ["cross-site", "same-site"] {
                #expect(try await status(suggest, host: own, "Sec-Fetch-Site: \(site)") == 403)
                #expect(
                    try await status(search, host: own, "Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: no-cors") == 403
                )
                let frame = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"]
                #expect(try await status(search, host: own, frame.joined(separator: "\r\n")) == 403)
                let link = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
                #expect(try await status(search, host: own, link.joined(separator: "\r\n")) == 200)
                #expect(try await status(suggest, host: own, link.joined(separator: "\r\n")) == 403)
            }
            for site in ["same-origin", "none"] {
                #expect(try await status(suggest, host: own, "Sec-Fetch-Site: \(site)") == 200)
            }
            // A name that somebody points at this machine finds only what is stored for that very name.
            for host in ["evil.example", "evil.example:\(port)", "docs.example.localhost:\(port)"] {
                #expect(try await status(search, host: host, "Accept: */*") == 504, "\(host)")
                #expect(try await status(suggest, host: host, "Accept: */*") == 504, "\(host)")
            }
        }
    }

    @Test func `a missing page leads to pages of its host with the same words, and to the search`() async throws {
        try await Self.withSearch { port async throws in
            let page = try await RawClient.get(
                port: port,
                "/old/Coroutines-intro.html",
                host: "docs.example.localhost:\(port)",
                method: "GET",
                "Accept: text/html"
            )
            #expect(page.status == 504)
            let base = "http://docs-example---80.localhost:\(port)"
            #expect(
                page.text.contains("<a href=\"\(base)/guide/coroutines.html\">Coroutines &lt;b&gt; <code>"),
                "\(page.text)"
            )
            #expect(!page.text.contains("other.example"))
            #expect(page.text.contains("action=\"http://localhost:\(port)/.afcache/search\""))
            #expect(page.text.contains("value=\"Coroutines intro\""))
            #expect(page["content-security-policy"]?.contains("form-action http://localhost:\(port);") == true)
            #expect(page["content-security-policy"]?.contains("script-src") == false)
        }
    }

    @Test func `fields of a form are read as browsers write them`() {
        let fields = FormFields(target: "/x?q=a+b%20c%2B&host=d.example&q=second&%71=x&empty=&flag#q=z")
        #expect(fields["q"] == "a b c+")
        #expect(fields["host"] == "d.example")
        #expect(fields["empty"] == "" && fields["flag"] == "" && fields["none"] == nil)
        #expect(FormFields(target: "/?q=" + FormFields.encoded("ä &=+#%/\"'<>"))["q"] == "ä &=+#%/\"'<>")
    }
}
