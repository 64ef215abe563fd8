import AFCURL
import Testing

@testable import AFCDiscovery

/// The Markdown of hostile pages: no elements, no scripts, and no more than the limits.
struct PageMarkdownHostileTests {
    private static func page(_ html: String, url: String? = nil, limit: Int = 8 << 20) throws -> PageMarkdown {
        let url = try url.map { try WebURL($0) }
        var limits = PageMarkdown.Limits()
        limits.markdown = limit
        return Array(html.utf8).withUnsafeBufferPointer {
            PageMarkdown(html: $0, charset: "utf-8", url: url, limits: limits)
        }
    }

    private static let formulas: [(String, String)] = [
        (
            "<math alttext='x$ <img src=x onerror=alert(1)> [a](javascript:alert(1)) `'>",
            "`` x$ <img src=x onerror=alert(1)> [a](javascript:alert(1)) ` ``\n"
        ),
        (
            "<math alttext='x &lt;img src=x> [a](javascript:y) &lt;/p>&lt;!--'>",
            "$x < img src=x> [a] (javascript:y) < /p>< !--$\n"
        ),
        ("<math alttext='a < b\\$ c'>", "$a < b\\$ c$\n"), ("<math alttext='a\\'>", "`a\\`\n"),
        ("<a href=/b><math alttext='[x]:'></a>", "[`[x]:`](/b)\n"),
        ("<a href=/b><math alttext='x'></a>", "[$x$](/b)\n"),
        (
            "<p>a<div class=math>\\[ &lt;script&gt;alert(1)&lt;/script&gt; [a](b) \\]</div>",
            "a\n\n$$\n< script>alert(1)< /script> [a] (b)\n$$\n"
        ),
        (
            "<p>a<div class=math>\\[x\n- y\n\n  \n~~~\n  # z\n=\n> b\n1. c&#13;|-|\\]</div><p>b",
            "a\n\n$$\nx\n    - y\n    ~~~\n    # z\n    =\n    > b\n    1. c\n    |-|\n$$\n\nb\n"
        ),
        ("<p>a<div class=math>\\[x $ y\nz\\]</div><p>b", "a\n\n```math\nx $ y\nz\n```\n\nb\n"),
    ]

    @Test(arguments: formulas)
    func `a formula becomes no element, no link and no other block`(html: String, markdown: String) throws {
        #expect(try Self.page("<main>" + html + "</main>").markdown == markdown)
    }

    @Test(arguments: [
        "javascript:x", "JavaScript:x", "&#1;javascript:x", "&#27;javascript:x", " java&#10;script:x",
        "java&#9;script:x",
        "vbscript:x", "VBScript:x", "&#31;vbscript:x", "data:text/html,x", "DATA:text/html,x", "&#2;data:,x",
    ])
    func `no link or image leads to a script or to data`(address: String) throws {
        for url in [nil, "https://d.example/"] {
            let page = try Self.page("<p><a href='\(address)'>t</a> <img src='\(address)' alt=i>", url: url)
            #expect(page.markdown == "t ![i]()\n")
        }
    }

    /// An address as written, and without and with a URL of the page.
    private static let addresses: [(String, String, String)] = [
        ("java&#127;script:x", "java%7Fscript:x", "https://d.example/java%7Fscript:x"),
        ("&amp;#106;avascript:x", "&amp;#106;avascript:x", "https://d.example/&amp;#106;avascript:x"),
        ("?a=1&amp;b=2&amp;lt;", "?a=1&b=2&amp;lt;", "https://d.example/?a=1&b=2&amp;lt;"),
        ("?a`b", "?a%60b", "https://d.example/?a%60b"), ("a&#2;b", "a%02b", "https://d.example/a%02b"),
    ]

    @Test(arguments: addresses)
    func `an address means in Markdown what it means on the page`(href: String, bare: String, full: String) throws {
        let html = "<p><a href='\(href)'>t</a>"
        #expect(try Self.page(html).markdown == "[t](\(bare))\n")
        #expect(try Self.page(html, url: "https://d.example/").markdown == "[t](\(full))\n")
    }

    private static let items = String(repeating: "<ol start=999999999><li>x", count: 12)

    /// Pages that would become many times as long, and the end of their Markdown.
    private static let bombs: [(String, String)] = [
        (items + "<pre>" + String(repeating: "a\n", count: 5000), "```\n"),
        ("<p>" + String(repeating: "w ", count: 50_000), "w\n"), ("<p>" + String(repeating: "語", count: 50_000), "語\n"),
        (items + "<table><tr><th>a<th>b" + String(repeating: "<tr><td>x<td>y", count: 5000), "| x | y |\n"),
        ("<p>" + String(repeating: "a<br>", count: 20_000), "\n"),
        (items + "<p>" + String(repeating: "a<br>", count: 5000), "\n"),
        ("<p><code>" + String(repeating: "語", count: 50_000), "語`\n"),
        (items + "<div class=math>\\[" + String(repeating: "a\n", count: 20_000) + "\\]</div>", "$$\n"),
        ("<h2>" + String(repeating: "w ", count: 50_000), "w\n"),
        (String(repeating: "<blockquote>", count: 12) + "<p>" + String(repeating: "a<br>", count: 20_000), "\\\n"),
    ]

    @Test(arguments: bombs)
    func `what is written stays within the limit, and ends what it begins`(html: String, end: String) throws {
        let page = try Self.page("<main>" + html, limit: 20_000)
        #expect((20_000 - 512..<20_000 + 512).contains(page.markdown.utf8.count), "\(page.markdown.utf8.count)")
        #expect(page.isTruncated && page.markdown.hasSuffix(end))
        #expect(!page.markdown.unicodeScalars.contains("\u{FFFD}"))
    }

    /// Texts, limits, and what fits.
    private static let cuts: [(String, Int, String)] = [
        (" One  two\nthree ", 8, "One two"), ("One two", 7, "One two"), ("One two", 6, "One"), ("", 8, ""),
        ("漢字漢字", 7, "漢字"), ("a 漢字漢字", 8, "a 漢字"), ("longword", 4, "long"), ("long longer", 6, "long"),
        ("漢e\u{301}x", 5, "漢"), ("漢 字", 3, "漢"), ("👩‍🚀👩‍🚀", 12, "👩‍🚀"),
    ]

    @Test(arguments: cuts)
    func `a line is cut between words, or in long ones between characters`(text: String, limit: Int, line: String) {
        #expect(text.oneLine(limit: limit) == line)
    }

    @Test func `titles and summaries without spaces are cut, not lost`() throws {
        let text = String(repeating: "文章は空白なし。", count: 100)
        let page = try Self.page("<title>\(text)</title><p>\(text)")
        #expect(page.title.utf8.count == 1023 && text.hasPrefix(page.title))
        #expect(page.summary.hasSuffix("し。文章 …") && page.summary.utf8.count == 202)
    }

    @Test func `a text of a link is escaped once`() {
        #expect(PageMarkdown.escaped("[x]: y #") == "\\[x]: y \\#")
        #expect(PageMarkdown.escaped("[x]: y #", isLink: true) == "\\[x\\]: y #")
        #expect(PageMarkdown.escaped("", isLink: true).isEmpty)
    }
}
