import AFCURL
import Testing

@testable import AFCDiscovery

/// References between bodies that become files (docs/reference/export.md).
struct FileReferencesTests {
    /// The files of `docs.example`.
    private static func file(_ url: WebURL) -> WebURL? {
        let files = [
            "https://docs.example/": "docs.example/index.html",
            "https://docs.example/guide/": "docs.example/guide/index.html",
            "https://docs.example/guide/two": "docs.example/guide/two.html",
            "https://docs.example/s.css?v=1": "docs.example/s@v=1.css",
            "https://cdn.example/x.js": "cdn.example/x.js", "https://docs.example/a%20b.png": "docs.example/a_b.png",
        ]
        return files[url.description].flatMap { try? WebURL("http://export.invalid/" + $0) }
    }

    /// What addresses become on the pages of all cases.
    private static let memory = AddressMemory()

    /// Returns a rewritten body, which is the same with what other pages left in a memory.
    private static func text(_ body: String, _ type: String = "text/html") throws -> String {
        let text = try text(body, type, at: "https://docs.example/guide/", nil)
        for _ in 0..<2 {
            _ = try Self.text(body, type, at: "https://docs.example/", memory)
            _ = try Self.text(body, type, at: "https://docs.example/guide/two", memory)
            #expect(try Self.text(body, type, at: "https://docs.example/guide/", memory) == text)
        }
        return text
    }

    private static func text(_ body: String, _ type: String, at url: String, _ memory: AddressMemory?) throws -> String
    {
        let url = try WebURL(url)
        var rewriter = ReferenceRewriter(url: url, shown: try #require(file(url)), map: file)
        rewriter.place = .folder
        rewriter.policy = { _, _ in "" }
        rewriter.memory = memory
        switch rewriter.rewrite(Array(body.utf8), mediaType: type, charset: "utf-8") {
        case .unchanged: return body
        case .rewritten(let bytes, _, _): return String(decoding: bytes, as: UTF8.self)
        case .impossible: return "impossible"
        }
    }

    @Test(
        arguments: [
            ("<a href=\"/\">", "<a href=\"../index.html\">"),
            ("<a href=\"two#part\">", "<a href=\"two.html#part\">"),
            ("<a href=\"https://docs.example/guide/two?\">", "<a href=\"https://docs.example/guide/two?\">"),
            ("<a href=\"#top\">", "<a href=\"#top\">"), ("<a href=\"./\">", "<a href=\"index.html\">"),
            // What no package has leads to the live site.
            ("<a href=\"none\">", "<a href=\"https://docs.example/guide/none\">"),
            ("<a href=\"https://other.example/\">", "<a href=\"https://other.example/\">"),
            ("<img srcset=\"/a%20b.png 2x\">", "<img srcset=\"../a_b.png 2x\">"),
            ("<p style=\"background:url(/a%20b.png)\">", "<p style=\"background:url(../a_b.png)\">"),
            // A browser would connect to these by itself.
            ("<iframe src=\"https://other.example/\">", "<iframe src=\"about:blank\">"),
            ("<img src=\"file://share.example/a.png\">", "<img src=\"about:blank\">"),
            ("<img src=\" FI\tLE:\\\\share.example/a\">", "<img src=\"about:blank\">"),
            ("<p style=\"background:url(file://a/b)\">", "<p style=\"background:url(about:blank)\">"),
            ("<base href=\"file://share.example/\">", "<base href=\"index.html\">"),
            ("<iframe src=\"two\">", "<iframe src=\"two.html\">"), ("<frame src=none>", "<frame src=about:blank>"),
            (
                "<meta http-equiv=refresh content=\"1; url=https://other.example/a#b\">",
                "<meta http-equiv=refresh content=\"1; url=#\">"
            ),
            (
                "<meta http-equiv=refresh content=\"1; url=/\">",
                "<meta http-equiv=refresh content=\"1; url=../index.html\">"
            ),
            // Browsers can't check files by these.
            (
                "<script src=\"//cdn.example/x.js\" integrity=\"sha256-x\" crossorigin></script>",
                "<script src=\"../../cdn.example/x.js\"  ></script>"
            ),
            (
                "<link rel=stylesheet href=/s.css?v=1 crossorigin=anonymous integrity='sha256-x'>",
                "<link rel=stylesheet href=../s@v&#61;1.css  >"
            ),
            ("<link rel=preconnect href=https://cdn.example>", "<link  href=https://cdn.example>"),
            ("<link rel='dns-prefetch' href=//cdn.example>", "<link  href=//cdn.example>"),
            (
                "<meta http-equiv=content-security-policy content=\"default-src 'self'\">",
                "<meta http-equiv=content-security-policy content=\"\">"
            ),
            // A base that is a file keeps its meaning, and the page's own folder takes the place of any other.
            ("<base href=\"/\"><a href=\"guide/two\">", "<base href=\"../index.html\"><a href=\"guide/two.html\">"),
            ("<base href=\"/none/\"><a href=\"../guide/two\">", "<base href=\"index.html\"><a href=\"two.html\">"),
        ]
    )
    func `references between files are relative`(body: String, expected: String) throws {
        #expect(try Self.text(body) == expected)
    }

    @Test(
        arguments: [
            // A script follows links, and gives a page within a page its own frame.
            ("<a href=\"two#part\"><form action=\"two\">", "<a href=\"two#part\"><form action=\"two\">"),
            ("<iframe src=two></iframe>", "<iframe src=two></iframe>"),
            ("<base href=\"/guide/\"><a href=two>", "<base href=\"/guide/\"><a href=two>"),
            ("<img src=none.png>", "<img src=none.png>"),
            ("<img src=\"/a%20b.png\">", "<img src=\"http://7.afcache.invalid/\">"),
            (
                "<base href=\"/x/\"><img src=\"../a%20b.png\">",
                "<base href=\"/x/\"><img src=\"http://7.afcache.invalid/\">"
            ),
            ("<use href=\"/a%20b.png#x\">", "<use href=\"/a%20b.png#x\">"),
            ("<svg><use href=\"/a%20b.png#x\"/></svg>", "<svg><use href=\"http://7.afcache.invalid/#x\"/></svg>"),
            ("<p style=\"background:url(/a%20b.png)\">", "<p style=\"background:url(http://7.afcache.invalid/)\">"),
            (
                "<script src=\"//cdn.example/x.js\" integrity=\"sha256-x\" crossorigin></script>",
                "<script src=\"http://7.afcache.invalid/\"  ></script>"
            ), ("<link rel=preconnect href=https://cdn.example>", "<link  href=https://cdn.example>"),
            (
                "<meta http-equiv=content-security-policy content=\"default-src 'self'\">",
                "<meta http-equiv=content-security-policy content=\"\">"
            ),
        ]
    )
    func `in one file, only what a page loads is replaced`(body: String, expected: String) throws {
        let url = try WebURL("https://docs.example/guide/")
        let pages = ["https://docs.example/", "https://docs.example/guide/", "https://docs.example/guide/two"]
        var rewriter = ReferenceRewriter(url: url, shown: url) { url in
            guard Self.file(url) != nil, !pages.contains(url.description) else { return nil }
            return try? WebURL("http://7.afcache.invalid/")
        }
        rewriter.place = .file
        rewriter.policy = { _, _ in "" }
        var text = body
        if case .rewritten(let bytes, _, _) = rewriter.rewrite(
            Array(body.utf8),
            mediaType: "text/html",
            charset: "utf-8"
        ) {
            text = String(decoding: bytes, as: UTF8.self)
        }
        #expect(text == expected)
    }

    @Test func `a link to a path that ends with a slash isn't empty`() throws {
        let url = try WebURL("https://docs.example/guide/")
        let shown = try WebURL("http://export.invalid/docs.example/guide/")
        let places = [url.description: shown.description, "https://docs.example/guide//x": shown.description + "/x"]
        var rewriter = ReferenceRewriter(url: url, shown: shown) { url in
            places[url.description].flatMap { try? WebURL($0) }
        }
        rewriter.place = .folder
        let page = "<a href=\"/guide/\"><a href=\"/guide/#a\"><a href=\"/guide//x\">"
        guard
            case .rewritten(let bytes, _, _) = rewriter.rewrite(
                Array(page.utf8),
                mediaType: "text/html",
                charset: "utf-8"
            )
        else {
            Issue.record("nothing was rewritten")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "<a href=\"./\"><a href=\"./#a\"><a href=\".//x\">")
    }

    @Test func `a style sheet's references are relative to it`() throws {
        #expect(
            try Self.text("@import '/s.css?v=1'; p { background: url('/a%20b.png') }", "text/css")
                == "@import '../s@v=1.css'; p { background: url('../a_b.png') }"
        )
    }

    @Test(
        arguments: [
            ("<p>A text that a reader sees, of more than forty bytes.</p>", PageScripts.Fate.none),
            ("<script src=a.js></script><p>A text that a reader sees, of more than forty bytes.</p>", .kept),
            (
                "<script id=\"__NEXT_DATA__\">{}</script><p>A text that a reader sees, of more than forty bytes.</p>",
                .dropped("Next.js")
            ),
            ("<div id=\"___gatsby\"></div><script src=a.js></script>", .needed("Gatsby")),
            ("<div id=app></div><script type=\"module\" src=a.js></script>", .needed("modules")),
            ("<canvas></canvas><script src=a.js></script>", .uncertain),
        ]
    )
    func `scripts run unless they would replace the page by an error`(page: String, fate: PageScripts.Fate) {
        let bytes = Array(page.utf8)
        let text = bytes.withUnsafeBufferPointer { PageText(html: $0, charset: "utf-8") }
        #expect(PageScripts.fate(of: bytes, text: text, .auto) == fate)
        let kept: PageScripts.Fate = text.text.utf8.count < 40 ? .uncertain : .kept
        if fate != .none { #expect(PageScripts.fate(of: bytes, text: text, .keep) == kept) }
        // In one file, a script knows the page's address, and can load data.
        if fate != .none { #expect(PageScripts.fate(of: bytes, text: text, .auto, in: .file) == kept) }
    }
}
