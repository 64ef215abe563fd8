import AFCURL
import Testing

@testable import AFCDiscovery

/// The Markdown of a page's content.
struct PageMarkdownTests {
    private static func page(
        _ html: String,
        url: String? = "https://d.example/guide/a.html",
        limits: PageMarkdown.Limits = .init()
    ) throws -> PageMarkdown {
        let url = try url.map { try WebURL($0) }
        return Array(html.utf8).withUnsafeBufferPointer {
            PageMarkdown(html: $0, charset: "utf-8", url: url, limits: limits)
        }
    }

    private static let blocks: [(String, String)] = [
        ("<p>one <b>two</b> three</p>four", "one **two** three\n\nfour\n"),
        ("<h1>A <em>b</em></h1><h3>C#</h3>", "# A *b*\n\n### C\\#\n"),
        ("<p>a\n  b</p>", "a b\n"), ("<p>a<br>b<br><br>c", "a\\\nb\n\nc\n"), ("<p>a<br></p>", "a\n"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb\n"), ("", ""), ("<", "\\<\n"),
        // Lists; an item with several blocks makes a list loose.
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d\n"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b\n"), ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c\n"),
        ("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\n\n  b\n\n- c\n"),
        ("<ul><li><ol><li>x</ol></ul>", "- 1. x\n"), ("<ul><li></li><li>b</ul>", "- b\n"),
        ("<ol><li>a<pre>x\n\ny</pre></ol>", "1. a\n\n   ```\n   x\n\n   y\n   ```\n"),
        ("<blockquote><p>a<p>b<ul><li>c</ul></blockquote>", "> a\n>\n> b\n>\n> - c\n"),
        ("<dl><dt>t<dd>d<dt>u<dd><p>e<p>f</dl>", "- **t**\n\n  d\n\n- **u**\n\n  e\n\n  f\n"),
        ("<details><summary>More</summary><p>text</details>", "**More**\n\ntext\n"),
        ("<details><summary><div><h4>More</h4></div></summary><p>text</details>", "#### More\n\ntext\n"),
        // Outside of details, it is a block as any other.
        (
            "<summary><div><h4>About</h4><pre><code>x {\n}</pre></code><p>text</div></summary>",
            "#### About\n\n```\nx {\n}\n```\n\ntext\n"
        ),
        (
            "<pre>fn a() -> B<div class=tooltiptext>impl C</div></pre><p>b<i role=tooltip>c</i>",
            "```\nfn a() -> B\n```\n\nb\n"
        ),
        (
            "<div class='admonition note'><p class=admonition-title>Note</p><p>text</div>",
            "> **Note**\n>\n> text\n"
        ),
        (
            "<div class=tabbed-set><input><div class=tabbed-labels><label>A</label><label>B</label></div>"
                + "<div class=tabbed-content><div class=tabbed-block>x</div><div class=tabbed-block>y</div></div></div>",
            "**A**\n\nx\n\n**B**\n\ny\n"
        ),
        (
            "<ul role=tablist><li role=tab>A<li role=tab>B</ul><div role=tabpanel>x</div><div role=tabpanel hidden>y</div>",
            "**A**\n\nx\n\n**B**\n\ny\n"
        ),
        (
            "<div class=vp-code-group><div class=tabs><input><label>npm</label></div><div class=blocks>"
                + "<div class='language-sh'><button class=copy></button><span class=lang>sh</span><pre><code>npm i</code></pre></div></div></div>",
            "**npm**\n\n```sh\nnpm i\n```\n"
        ),
        (
            "<figure><img src=a.png alt='An image'><figcaption>Text</figcaption></figure>",
            "![An image](https://d.example/guide/a.png)\n\nText\n"
        ),
    ]

    @Test(arguments: blocks)
    func `blocks have the form of CommonMark`(html: String, markdown: String) throws {
        #expect(try Self.page(html).markdown == markdown)
    }

    private static let inlines: [(String, String)] = [
        ("<b> a </b>b", "**a** b"), ("<b></b>x", "x"), ("<b>a</b><b>b</b>", "**ab**"),
        ("<b><strong>a</strong></b>", "**a**"),
        ("f<b>(x)</b>", "f(**x)**"), ("<i>a <b>b</b></i>", "*a **b***"), ("<del>a</del>", "~~a~~"),
        ("<code>a`b</code>", "``a`b``"), ("<code>a`b</code><code>c</code>", "``a`bc``"),
        ("<code>a</code><b><code>b`</code></b>", "`` ab` ``"),
        ("<code>`</code>", "`` ` ``"), ("<code>a</code><code>b</code>", "`ab`"),
        ("<code>a\n b</code> <kbd>c</kbd>", "`a b` `c`"),
        ("x<sup>2</sup> a<sup><a href=#f>1</a></sup>", "x<sup>2</sup> a[1](#f)"), ("<q>a</q>", "\"a\""),
        ("<a href=b.html>t</a>", "[t](https://d.example/guide/b.html)"),
        ("<a href='/x y'>t</a>", "[t](https://d.example/x%20y)"),
        ("<a href='/x_(y)#z'>t</a>", "[t](<https://d.example/x_(y)#z>)"), ("<a href='#s'>t</a>", "[t](#s)"),
        ("<a href='javascript:x()'>t</a>", "t"), ("<a href=b></a>x", "x"),
        ("<a href=mailto:a@b.example>m</a>", "[m](mailto:a@b.example)"),
        ("wow!<a href=/b>t</a>", "wow\\![t](https://d.example/b)"),
        ("<a href=/b>a[0]</a>", "[a\\[0\\]](https://d.example/b)"),
        ("<code><a href=/b>f()</a></code>", "[`f()`](https://d.example/b)"),
        ("<a href=/b><img src=i.png alt=I></a>", "[![I](https://d.example/guide/i.png)](https://d.example/b)"),
        ("<img src=i.png alt=''>x", "x"), ("<img src='data:,' data-src=/j.png alt=J>", "![J](https://d.example/j.png)"),
        // What would mean something is escaped.
        ("*a* _b_ snake_case 2 * 3", "\\*a\\* \\_b\\_ snake_case 2 * 3"),
        ("`x` &lt;div> a &lt; b", "\\`x\\` \\<div> a < b"),
        ("&amp;amp; R&amp;D x", "\\&amp; R&D x"), ("[xy](z) [z]", "[xy]\\(z) [z]"), ("# h", "\\# h"), ("#h", "#h"),
        ("- x", "\\- x"),
        ("1. x", "1\\. x"), ("1.5", "1.5"), ("> x", "\\> x"), ("---", "\\---"), ("+", "\\+"), ("[x]: y", "\\[x]: y"),
        ("a\\b \\*", "a\\b \\\\\\*"), ("~~a~~ ~b", "\\~\\~a\\~\\~ ~b"), ("~5~ a~b /~a", "~5\\~ a\\~b /~a"),
        ("__init__ a_b 「_b_」", "\\_\\_init\\_\\_ a_b 「\\_b\\_」"),
        ("a | b<br>--- | ---", "a | b\\\n\\--- | ---"), ("x<br>:--", "x\\\n\\:--"), ("x<br>|-|", "x\\\n\\|-|"),
        ("[x<br>y]: z", "[x\\\ny]\\: z"), ("&lt;&shy;b>", "\\<b>"), ("&amp;l&shy;t;", "\\&lt;"),
        ("[xy]&#x200B;(z)", "[xy]\\(z)"),
        ("<a href=/b>\\&nbsp;</a>c", "[\\\\](https://d.example/b) c"),
        ("a\u{A0}b&shy;c\u{200B}d", "a bcd"),
        (
            "<div class=katex-display><span class=katex><math><annotation encoding=application/x-tex>a^2</annotation></math></span></div>",
            "$$\na^2\n$$"
        ),
        (
            "<span class=katex><math><mi>a</mi><annotation encoding=application/x-tex>a_1</annotation></math><span aria-hidden=true>a1</span></span>",
            "$a_1$"
        ),
        ("<span class='math notranslate'>\\(x*y\\)</span>", "$x*y$"),
        ("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", "x=1"),
    ]

    @Test(arguments: inlines)
    func `text means in Markdown what it means on the page`(html: String, markdown: String) throws {
        #expect(try Self.page("<p>" + html).markdown == (markdown.isEmpty ? "" : markdown + "\n"))
    }

    /// CommonMark §6.2; of Unicode, `P` is punctuation for all readers, and `S` for some.
    private static let emphases: [(String, String)] = [
        ("<b>Note:</b>text", "**Note**:text"), ("<b>Note:</b> text", "**Note:** text"),
        ("<b>注意：</b>文", "**注意**：文"), ("文<b>「引用」</b>文", "文「**引用**」文"),
        ("文<b>「引用」</b>。", "文「**引用」**。"), ("<em>(x)</em>y", "(x)y"), ("<em>(x)</em>。", "*(x)*。"),
        ("x<b><code>f</code></b>", "x`f`"), ("<b><code>f</code></b>x", "`f`x"), ("<b>5 €</b>x", "5 €x"),
        ("€<b>(5)</b>", "€(**5)**"), ("<b><a href=/b>t</a></b>x", "[t](https://d.example/b)x"),
        ("<b>　注意　</b>　x", "　**注意**　　x"), ("a<del>(b)</del>", "a(~~b)~~"), ("a~<del>b</del>", "a\\~~~b~~"),
        // Marks side by side, and within a word.
        ("<b>a</b><i>b</i>", "**a**b"), ("<b><i>a</i> b<i>c</i></b>", "***a* bc**"), ("<i>a<b>b</b></i>c", "*ab*c"),
        ("<b><i>a</i></b>b", "***a***b"), ("a<b>b</b>c", "a**b**c"), ("2 *<b>b</b>", "2 \\***b**"),
        ("<i><b>a</b></i><i><b>b</b></i>", "***ab***"),
        ("wow!<b><a href=/b>t</a></b>", "wow\\!**[t](https://d.example/b)**"),
    ]

    @Test(arguments: emphases)
    func `emphasis is marked where each reader takes the marks for it`(html: String, markdown: String) throws {
        #expect(try Self.page("<p>" + html).markdown == markdown + "\n")
    }

    private static let codes: [(String, String)] = [
        ("<pre>\na\n\n  b</pre>", "```\na\n\n  b\n```\n"),
        ("<pre><code class=language-js>a</code></pre>", "```js\na\n```\n"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````\n"), ("<pre class='hljs bash'>a</pre>", "```bash\na\n```\n"),
        (
            "<div class='highlight-python3 notranslate'><div class=highlight><pre><span></span><span class=k>if</span> x</pre></div></div>",
            "```python\nif x\n```\n"
        ),
        ("<div class='highlight-default'><div class=highlight><pre>a</pre></div></div>", "```\na\n```\n"),
        ("<pre data-language=ts><code><div class=l>a</div><div class=l>b</div></code></pre>", "```ts\na\nb\n```\n"),
        ("<pre><span>a</span><br><span>b</span></pre>", "```\na\nb\n```\n"),
        ("<pre><span class=linenos>1</span>a &lt;b>\r\n<span class=linenos>2</span>c</pre>", "```\na <b>\nc\n```\n"),
        (
            "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div><td class=code><div><pre>a\nb\n</pre></div></table>",
            "```\na\nb\n```\n"
        ),
        (
            "<div class=fragment><div class=line><span class=lineno>1</span>int a;</div>\n<div class=line>int b;</div>\n</div>",
            "```\nint a;\nint b;\n```\n"
        ),
        ("<pre>  </pre>x", "x\n"), ("<ul><li><pre>a&#13;b&#13;&#10;c</pre></ul>", "- ```\n  a\n  b\n  c\n  ```\n"),
        ("<pre class='rust rust-example-rendered'><code>fn</code></pre>", "```rust\nfn\n```\n"),
        ("<pre class='language-x`y'>a</pre>", "```\na\n```\n"),
    ]

    @Test(arguments: codes)
    func `code is the same byte for byte`(html: String, markdown: String) throws {
        #expect(try Self.page(html).markdown == markdown)
    }

    private static let tables: [(String, String)] = [
        (
            "<table><tr><th>a<th>b<tr><td>1|2<td><code>x|y</code></table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 | `x\\|y` |\n"
        ),
        ("<table><tr><td>a<td>b<tr><td>c<td></table>", "| | |\n| --- | --- |\n| a | b |\n| c | |\n"),
        ("<table><thead><tr><td>a<td>b<tbody><tr><td colspan=2>c<tr></table>", "| a | b |\n| --- | --- |\n| c | |\n"),
        (
            "<table><tr><th>a<th>b<tr><td><math alttext='|x|+\\|y|'></math><td><math alttext='\\text{a|b}'></math></table>",
            "| a | b |\n| --- | --- |\n| $\\vert x\\vert+\\Vert y\\vert$ | `\\text{a\\|b}` |\n"
        ),
        (
            "<table><tr><th>a<th>b<tr><td><p>x</p><p>y</p><td><ul><li>p<li>q</ul></table>",
            "| a | b |\n| --- | --- |\n| x<br>y | p<br>q |\n"
        ),
        (
            "<table><caption>T</caption><tr><th>a<th>b<tr><td>c<td>d</table>",
            "T\n\n| a | b |\n| --- | --- |\n| c | d |\n"
        ),
        ("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a b\n\nc d\n"),
        ("<table><tr><td><h2>H</h2>x</table>", "## H\n\nx\n"),
    ]

    @Test(arguments: tables)
    func `a table of data is a table, and one for the layout isn't`(html: String, markdown: String) throws {
        #expect(try Self.page(html).markdown == markdown)
    }

    private static let mains: [String] = [
        "<main>CONTENT</main>", "<div role=main>CONTENT</div>", "<div id=content class=x>CONTENT</div>",
        "<main><nav>In this</nav><article>CONTENT</article><footer>Next</footer></main>",
        "<article class='md-content__inner md-typeset'><a class='md-content__button'>Edit</a>CONTENT</article>",
        "<main><div class=theme-doc-breadcrumbs>Home</div><div class='theme-doc-markdown markdown'>CONTENT</div></main>",
        "<main><div class='vp-doc _guide'>CONTENT</div></main>",
        "<div><div><div class=col>CONTENT</div><div class=col><a href=/x>Elsewhere is more</a></div></div></div>",
        "<nav class=broken><main>CONTENT</main></nav>", "<section id=main-content class=content>CONTENT</section>",
        "<div class=related><a href=/>Home</a></div><div class=body role=main>CONTENT</div>",
    ]

    @Test func `a long table isn't all of a page that has paragraphs, too`() throws {
        let rows = String(repeating: "<tr><th>Swell<td>Waves from far away that keep their period.", count: 20)
        let prose =
            "<h2>Waves</h2><p>All kinds of waves, with what tells them from each other, and where they begin; each has a row. Read the rows from the first to the last, since each one uses the terms of those before it."
        let page = try Self.page(
            "<ul><li><a href=/>Home</a></ul><div>\(prose)<div><table>\(rows)</table></div></div><p>Imprint"
        )
        #expect(page.markdown.hasPrefix("## Waves\n\nAll kinds of waves") && !page.markdown.contains("Imprint"))
        #expect(page.markdown.count(where: { $0 == "|" }) > 60)
    }

    @Test func `the head of a text in AsciiDoc belongs to it, that of a site doesn't`() throws {
        let content = "<div id=content><h2>Name</h2><p>The main part of this page, which is long enough.</p></div>"
        let text = try Self.page("<div id=header><h1>tide(1)</h1></div>\(content)<div id=footer>Imprint</div>")
        #expect(text.markdown == "# tide(1)\n\n## Name\n\nThe main part of this page, which is long enough.\n")
        let site = try Self.page("<div id=header><a href=/>Site</a></div>\(content)<div id=footer>Imprint</div>")
        #expect(site.markdown == "## Name\n\nThe main part of this page, which is long enough.\n")
    }

    @Test(arguments: mains)
    func `only the main part of a page is read`(html: String) throws {
        let text =
            "<h1 id=t>Title<a class=headerlink href=#t>¶</a></h1><p>The main part of this page, which is long enough.</p>"
        let page = try Self.page(
            "<title>T</title><header>Site</header><nav><a href=/>Home</a></nav><a class=skip-link href=#c>Skip to content</a>"
                + "<aside>Ads</aside>" + html.replacing("CONTENT", with: text)
                + "<div class=cookie-banner>We use cookies</div><footer>Imprint</footer>"
        )
        #expect(page.markdown == "# Title\n\nThe main part of this page, which is long enough.\n")
        #expect(page.title == "T" && page.outline == [.init(level: 1, text: "Title", offset: 0, anchor: "t")])
        #expect(page.summary == "The main part of this page, which is long enough.")
    }

    @Test func `the outline has headings and terms with their places and anchors`() throws {
        let page = try Self.page(
            """
            <main><section id=top><h1>One</h1><p>text</p><section id=s><h2>Two <code>x</code></h2>
            <dl class=py><dt class="sig sig-object py" id=m.f><span>m.</span><span>f</span>(<em>a</em>, *b)<a class=headerlink href=#m.f>¶</a></dt>
            <dd><p>Does <a name=q>it</a>.</p></dd></dl></section><h2><a name=z></a>Three</h2></section></main>
            """
        )
        #expect(page.markdown == "# One\n\ntext\n\n## Two `x`\n\n- `m.f(a, *b)`\n\n  Does it.\n\n## Three\n")
        let found = page.outline.map { "\($0.level) \($0.text) \($0.anchor ?? "-")" }
        #expect(found == ["1 One top", "2 Two x s", "3 m.f(a, *b) m.f", "2 Three z"])
        let bytes = Array(page.markdown.utf8)
        for heading in page.outline {
            let line = String(decoding: bytes[heading.offset...].prefix { $0 != 0x0A }, as: UTF8.self)
            #expect(line.replacing("`", with: "").hasSuffix(heading.text))
        }
    }

    @Test func `addresses are as written without a URL, relative to the base, or what the caller says`() throws {
        let html = "<base href=/b/><p><a href=c#d>t</a><img src=i alt=I>"
        #expect(try Self.page(html, url: nil).markdown == "[t](c#d)![I](i)\n")
        #expect(try Self.page(html).markdown == "[t](https://d.example/b/c#d)![I](https://d.example/b/i)\n")
        let url = try WebURL("https://d.example/")
        let page = Array(html.utf8).withUnsafeBufferPointer {
            PageMarkdown(html: $0, charset: nil, url: url) { url, isImage in isImage ? nil : "x" + url.path }
        }
        #expect(page.markdown == "[t](x/b/c#d)![I](https://d.example/b/i)\n")
    }

    @Test func `the limits bound what is kept, and a page says so`() throws {
        var limits = PageMarkdown.Limits()
        (limits.markdown, limits.headings, limits.title) = (100, 2, 8)
        let page = try Self.page(
            "<title>One two three</title>" + String(repeating: "<h2>a</h2><p>text</p>", count: 50),
            limits: limits
        )
        #expect(
            page.markdown.utf8.count < 120 && page.outline.count == 2 && page.title == "One two" && page.isTruncated
        )
        limits.markdown = 8 << 20
        #expect(try !Self.page(String(repeating: "<h2>a</h2>", count: 50), limits: limits).isTruncated)
        limits = PageMarkdown.Limits()
        limits.nodes = 10
        #expect(try Self.page(String(repeating: "<p>text", count: 50), limits: limits).isTruncated)
        #expect(try !Self.page("<p>text").isTruncated)
    }

    @Test(arguments: [
        "<div>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<b>", "<a href=x>", "<dl><dt id=a>x<dd>", "<p><span>",
        "<h1>", "<pre>", "<details><summary>",
    ])
    func `deep nesting takes memory in proportion`(tag: String) throws {
        let page = try Self.page(String(repeating: tag, count: 20_000) + "the text at the end of it")
        #expect(page.markdown.contains("the text at the end of it"))
        #expect(page.markdown.utf8.count < 4_000_000)
    }

    @Test func `each beginning of a page can be read`() {
        let html = Array(
            "<title>t</title><main><h1 id=a>A</h1><table><tr><th>a<td><pre>x</pre></table><dl><dt id=b>c<dd>d<ul><li>e</ul></dl>&amp;</main>"
                .utf8
        )
        for count in html.indices {
            let page = html.prefix(count).withUnsafeBufferPointer { PageMarkdown(html: $0, charset: nil, url: nil) }
            #expect(page.outline.allSatisfy { $0.offset < page.markdown.utf8.count })
        }
    }
}
