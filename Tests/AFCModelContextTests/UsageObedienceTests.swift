import AFCCaching
import AFCText
import AFCURL
import TestSupport
import Testing

@testable import AFCModelContext

/// The preferences of origins that the tools obey.
@Suite(.timeLimit(.minutes(10)))
struct UsageObedienceTests {
    private typealias Page = PackagedSitesTests.Page

    private static let pages = [
        Page(url: "http://d.example/open", body: "<title>Open</title><p>Open lamps</p>"),
        Page(
            url: "http://d.example/trained",
            body: "<title>T</title><p>Trained lamps</p>",
            usage: "ai-train=n, do-as-i-say=y, search=y"
        ),
        Page(
            url: "http://d.example/robots",
            body: "<title>R</title><p>Hidden lamps</p>",
            usage: "ai-input=n, search=y"
        ),
        Page(
            url: "http://d.example/meta",
            body: "<meta name=robots content='noai'><title>M</title><p>Secret lamps</p>"
        ),
        Page(url: "http://d.example/t.txt", body: "text of lamps", type: "text/plain", usage: "ai-input=n, noai"),
    ]

    private static func text(_ result: JSONValue) -> String {
        PackagedSitesTests.blocks(result).joined(separator: "\n")
    }

    @Test(
        arguments: [
            ("robots", "'ai-input' (robots.txt); override ai-input"), ("meta", "'noai' (the page); override noai"),
            ("t.txt", "'ai-input' (robots.txt), 'noai' (robots.txt); override ai-input noai"),
        ]
    ) func `a page that its origin withholds from AI is refused by name`(path: String, words: String) async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(Self.pages, in: scratch)
        let result = try PackagedSitesTests.call(server, "get", #"{"url":"http://d.example/\#(path)"}"#)
        #expect(result["isError"] == .bool(true))
        #expect(
            Self.text(result)
                == "'http://d.example/\(path)' is withheld, since its origin disallows its use by AI: \(words)"
        )
        let request = Message.Request(
            id: .number("1"),
            method: "resources/read",
            parameters: .object([("uri", .string("http://d.example/\(path)"))])
        )
        #expect(throws: MessageError.self) { try server.answer(request, by: .november2025).get() }
    }

    @Test func `an overridden name withholds nothing, and others still do`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(Self.pages, ignoring: [.aiInput], in: scratch)
        let result = try PackagedSitesTests.call(server, "get", #"{"url":"http://d.example/robots"}"#)
        #expect(Self.text(result).contains("Hidden lamps"))
        #expect(result["structuredContent"]?["source"]?["usage"] == .string("ai-input=n, search=y"))
        for path in ["meta", "t.txt"] {
            let refused = try PackagedSitesTests.call(server, "get", #"{"url":"http://d.example/\#(path)"}"#)
            #expect(refused["isError"] == .bool(true))
        }
    }

    @Test func `a page that isn't for training is read, and its source says so in known names only`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(Self.pages, in: scratch)
        let result = try PackagedSitesTests.call(server, "get", #"{"url":"http://d.example/trained"}"#)
        #expect(result["structuredContent"]?["source"]?["usage"] == .string("ai-train=n, search=y"))
        let first = try #require(PackagedSitesTests.blocks(result).first?.split(separator: "\n").first)
        #expect(first.hasSuffix(" | usage ai-train=n, search=y"))
        #expect(!Self.text(result).contains("do-as-i-say"))
        let open = try PackagedSitesTests.call(server, "get", #"{"url":"http://d.example/open"}"#)
        #expect(open["structuredContent"]?["source"]?["usage"] == nil)
    }

    @Test func `a search counts what it withholds, and shows nothing of it`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(Self.pages, in: scratch)
        let result = try PackagedSitesTests.call(server, "search", #"{"query":"lamps"}"#)
        let content = try #require(result["structuredContent"])
        #expect(content["found"] == .number("5") && content["withheld"] == .number("3"))
        let urls = content["results"]?.array?.compactMap { $0["source"]?["url"]?.string }.sorted()
        #expect(urls == ["http://d.example/open", "http://d.example/trained"])
        #expect(
            content["note"]
                == .string(
                    "3 pages are withheld, since origins disallow the use by AI (ai-input, noai); override ai-input noai."
                )
        )
        for word in ["Hidden", "Secret", "text of lamps"] { #expect(!Self.text(result).contains(word)) }
    }

    @Test func `withheld pages take no places of others`() async throws {
        let scratch = try Scratch()
        let hidden = (0..<6).map { number in
            Page(
                url: "http://d.example/h\(number)",
                body: "<title>Lamps</title><h1>Lamps</h1><p>Lamps and lamps \(number)</p>",
                usage: "ai-input=n"
            )
        }
        let server = try await PackagedSitesTests.server(hidden + Self.pages, in: scratch)
        let result = try PackagedSitesTests.call(server, "search", #"{"query":"lamps","limit":2}"#)
        let content = try #require(result["structuredContent"])
        let urls = content["results"]?.array?.compactMap { $0["source"]?["url"]?.string }.sorted()
        #expect(urls == ["http://d.example/open", "http://d.example/trained"])
        #expect(content["found"] == .number("11"))
    }

    @Test func `lists say what is withheld`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(Self.pages, in: scratch)
        let sites = try PackagedSitesTests.call(server, "list_sites")
        let site = try #require(sites["structuredContent"]?["sites"]?.array?.first)
        // The number comes from the index; only a page's own text says that of the page.
        #expect(site["pages"] == .number("5") && site["withheld"] == .number("2"))
        #expect(Self.text(sites).contains("5 pages, 2 of them withheld"))
        let list = try PackagedSitesTests.call(server, "list_pages")
        let rows = list["structuredContent"]?["pages"]?.array ?? []
        #expect(rows.first { $0["url"] == .string("http://d.example/robots") }?["withheld"] == .string("ai-input"))
        #expect(rows.first { $0["url"] == .string("http://d.example/open") }?["withheld"] == nil)
    }
}
