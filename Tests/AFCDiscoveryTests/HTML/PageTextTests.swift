import Testing

@testable import AFCDiscovery

/// The text that a search index takes from a page.
struct PageTextTests {
    private static func page(_ html: String, isXML: Bool = false, limits: PageText.Limits = .init()) -> PageText {
        Array(html.utf8).withUnsafeBufferPointer { PageText(html: $0, charset: nil, isXML: isXML, limits: limits) }
    }

    @Test(
        arguments: [
            ("<p>one <b>two</b>three</p>four", "one twothree\nfour"),
            ("<p>a&amp;b &#65; c&nbsp;d", "a&b A c\u{A0}d"),
            ("<title>t</title><p>shown<script>no('<p>')</script><style>no{}</style>", "shown"),
            ("<noscript>Please enable</noscript><p>text", "text"),
            ("<p>a<svg><title>no</title><text>no</text></svg>b", "ab"),
            ("<template><p>no</template><p>yes", "yes"),
            ("<p hidden>shown</p><div hidden>no</div><p>yes", "shown\nyes"),
            (
                "<nav>Home News</nav><p>the page and its text, long enough to be one</p>",
                "the page and its text, long enough to be one"
            ),
            (
                "<div role=navigation>Up <div>deep</div> Down</div><p>the page and its text, long enough</p>",
                "the page and its text, long enough"
            ),
            (
                "<header>Site</header><p>out</p><main><header>Head</header><p>the main part of this page, long enough</p></main>",
                "Head\nthe main part of this page, long enough"
            ),
            (
                "<p>outside</p><div role=main><div>the main part of this page,</div> long enough</div>outside",
                "the main part of this page,\nlong enough"
            ),
            ("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"),
            ("<ul><li>a<li>b</ul>", "a\nb"), ("a<br>b", "a\nb"), ("<pre>a\n  b</pre>", "a b"),
            ("<nav>only navigation", "only navigation"), ("<nav>only", "only"),
            ("<select><option>no</select>yes", "yes"),
            ("", ""), ("<", "<"), ("<p", ""), ("<!-- no -->", ""),
        ]
    )
    func `the text is what a reader sees of the page's main part`(_ html: String, _ text: String) {
        #expect(Self.page(html).text == text)
    }

    @Test func `title, language, headings and addresses are found`() {
        let page = Self.page(
            """
            <!DOCTYPE html><html lang="pt-BR"><head><title> A &amp;\n B </title><title>second</title>
            <link rel="shortcut icon" href="/i.ico"><link rel=canonical href="https://d.example/c">
            <base href="/base/"><meta name=ROBOTS content="nofollow, NoIndex"></head>
            <body><h1>First <a>one</a></h1><p>text</p><h2>Second</h2>
            <dl><dt id="asyncio.gather"><span>asyncio.</span><span>gather</span>(x)<dd>waits</dl>
            """
        )
        #expect(page.title == "A & B")
        #expect(page.language == "pt")
        #expect(page.headings == "First one\nSecond\nasyncio.gather(x)")
        #expect(page.text == "First one\ntext\nSecond\nasyncio.gather(x)\nwaits")
        #expect(page.icon == "/i.ico")
        #expect(page.canonical == "https://d.example/c")
        #expect(page.base == "/base/")
        #expect(page.isNoindex)
        #expect(!Self.page("<p>text").isNoindex)
        #expect(Self.page("<html lang=english>").language == nil)
    }

    @Test func `XHTML is read by the rules of XML`() {
        let page = Self.page(
            """
            <?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><title>T</title>
            <script src="x"/></head><body><p>a<![CDATA[<b>]]></p><h:h1 xmlns:h="x">head</h:h1></body></html>
            """,
            isXML: true
        )
        #expect(page.title == "T")
        #expect(page.language == "de")
        #expect(page.text == "a<b>\nhead")
    }

    @Test func `the declared encoding counts, and UTF-8 if none is declared`() {
        func text(_ bytes: [UInt8], _ charset: String?) -> String {
            bytes.withUnsafeBufferPointer { PageText(html: $0, charset: charset).text }
        }
        #expect(text([0x63, 0x61, 0x66, 0xE9], nil) == "café")
        #expect(text([0x63, 0x61, 0x66, 0xC3, 0xA9], nil) == "café")
        #expect(text([0x63, 0x61, 0x66, 0xC3, 0xA9], "iso-8859-1") == "cafÃ©")
        #expect(text([0xCF, 0xF0, 0xE8], "windows-1251") == "При")
    }

    @Test func `a plain text has its first line as its title`() {
        let bytes = Array("\n# The *title*\r\n\ntext".utf8)
        let page = bytes.withUnsafeBufferPointer { PageText(plain: $0, charset: nil) }
        #expect(page.title == "The *title*")
        #expect(page.text == "\n# The *title*\r\n\ntext")
    }

    @Test func `every beginning of a page is read without a fault`() {
        let html = Array(
            """
            <!DOCTYPE html><html lang=en><title>t</title><body><nav><p>x</nav><main id=a><h1>h&eacute;</h1><!-- c -->
            <div role="main" hidden=""><svg><foreignObject><p>y</p></foreignObject></svg></div><dl><dt id=x>é<dd>z</dl>
            <script>if (a < b) "</p>"</script><![CDATA[x]]></main></body>
            """.utf8
        )
        for count in 0...html.count {
            let page = html.prefix(count).withUnsafeBufferPointer { PageText(html: $0, charset: nil) }
            #expect(page.text.utf8.count <= count * 4)
        }
    }

    @Test(
        arguments: [
            ("", "<", 1 << 18), ("", "<div>", 50_000), ("", "<div role=main>", 15_000), ("", "<nav>x", 25_000),
            ("", "<dt id=a>", 25_000), ("", "</div>", 25_000), ("", "<svg><title>", 12_000),
            ("", "<template>", 12_000), ("<div ", "a ", 100_000), ("", "&#x41;", 25_000), ("<title>", "t", 1 << 18),
            ("<h1>", "t ", 1 << 17),
        ]
    )
    func `hostile pages take bounded time and memory`(start: String, repeated: String, count: Int) {
        var limits = PageText.Limits()
        limits.text = 10_000
        let page = Self.page(start + String(repeating: repeated, count: count), limits: limits)
        #expect(page.text.utf8.count <= 2 * limits.text)
        #expect(page.title.utf8.count <= 3 * limits.title)
        #expect(page.headings.utf8.count <= 2 * limits.headings)
    }
}
