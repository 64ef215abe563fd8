import TestSupport
import Testing

@testable import AFCDiscovery

#if DEBUG || COUNTING
/// Hostile texts cost what they are long, counted in bytes looked at.
struct LinearityTests {
    enum Reader: String, CaseIterable, Sendable {
        case html, xml, css, script, module, json, sitemap, feed, markdown

        /// How many bytes are looked at.
        func steps(_ text: [UInt8]) -> Int {
            var steps = 0
            withUnsafeMutablePointer(to: &steps) { counter in
                text.withUnsafeBufferPointer { buffer in
                    var bytes = ScanBuffer(buffer)
                    bytes.steps = counter
                    read(bytes)
                }
            }
            return steps
        }

        private func read(_ bytes: ScanBuffer) {
            let limits = DiscoveryLimits()
            switch self {
            case .html, .xml:
                var collector = HTMLReferenceCollector(bytes, self == .xml ? .xml : .html, limits)
                collector.run()
            case .css: CSSReferences.forEach(in: bytes, 0..<bytes.count) { _ in true }
            case .script:
                JavaScriptReferences.forEach(in: bytes, 0..<bytes.count, .script) { _ in true }
                ScriptNavigation.forEach(in: bytes, 0..<bytes.count) { _ in }
                _ = AMDReferences.read(bytes)
            case .module: JavaScriptReferences.forEach(in: bytes, 0..<bytes.count, .module) { _ in true }
            case .json:
                _ = WebAppManifest.references(in: bytes, limits)
                _ = ImportMap(bytes, limits)
            case .sitemap: _ = SitemapReferences(xml: bytes, limits)
            case .feed: _ = FeedReferences(bytes, limits)
            case .markdown: _ = PageMarkdown(bytes, isXML: false, url: nil, limits: .init(), address: nil)
            }
        }
    }

    private static let parts: [String] = [
        "<svg>", "<template>", "<iframe srcdoc='", "<math><mi>", "<style>", "<script>", "<a href='", "<a b=\"",
        "<img srcset='a 1x,",
        "<p style='url((((", "<!--", "<!", "</", "</svg>", "<picture><video>", "<?xml-stylesheet a='", "<?a ",
        "<![CDATA[", "]]",
        "<!DOCTYPE [", "<!DOCTYPE '", "&", "&am", "&#x", "<a a a a a a a a", "<script><!--<script>", "-->", "--!",
        "<svg><style>",
        "<svg><script>", "<url><loc>", "<urlset><image:image>", "<loc>&lt;", "<feed xml:base='a'>", "<link>",
        "<animate values='a;", "<astro-island before-hydration-url=\"a\" ", "<astro-island>",
        "(", ")", "{", "}", "[", "]", "`", "`${", "${", "/", "/[", "=/", "=/\\", "a/", ")/", "import ", "import(",
        "import{", "import{a,",
        "import a from ", "import 'a' with {", "import('a',{", "export ", "export{", "export*", "new ", "new URL(",
        "new URL('a',import",
        "new Worker(new URL('a',import.meta.url),{", "'", "\"", "'\\", "\\", "\\u", "//", "/*", "/**/", "<!--\n",
        "\n-->", " -->", "?", ":",
        "a?{", "++", "...", ".", "1.", "#", "@", "\u{A0}", "é", "url(", "src(", "src(/**/", "image-set(", "@import ",
        "@import url(", "@media ",
        "@unknown{", "@font-face{", ";", "\\69", "-", "\r", "\r\n", "\0", "[[", "{\"a\":", "[\"", "\"\\u0061\",",
        "{\"icons\":[{\"src\":\"a\"},",
        "[1,", "{\"imports\":{\"a\":\"b\",", "true", "-1e", "location", "location='a'+", "window.location.",
        "location.replace('a',", "define([", "define(['./a',",
        ";define(['", "require.config({", "require.config({paths:{a:'b',", "require(['./a'])",
        "<select><option value='/a/'>",
        "<select onchange='location=value'>", "<option value=/a/>", "<x-y src=a.b>", "<p onclick=\"location='a'\">",
        "<p data-background-image='a,", "<form action=a>",
        "{\"\\u0069cons\":", "<b>x", "<ul><li>x", "<table><tr><td>x", "<h1>x", "<dl><dt id=a>x<dd>", "<pre>x",
        "<code>x", "</b>",
        "<math><annotation encoding=tex>x", "<span class=math>\\(x", "<div class=katex>", "<a href=#>x", "<p>x<br>",
    ]

    /// How often each part is repeated.
    ///
    /// What is looked at again for every second part shows in thousands of steps.
    private static let count = 100

    @Test(arguments: Reader.allCases)
    func `twice the text takes twice the time`(reader: Reader) {
        for part in Self.parts {
            for (head, tail) in [("", ""), ("{\"icons\":[", ""), ("<a ", ">"), ("x='", "'"), ("<svg><style>", "")] {
                func steps(_ count: Int) -> Int {
                    reader.steps(Array((head + String(repeating: part, count: count) + tail).utf8))
                }
                let (once, twice) = (steps(Self.count), steps(2 * Self.count))
                #expect(once > 0 && twice <= 2 * once + 512, "\(head)\(part)")
                #expect(once <= 128 * Self.count * part.utf8.count + 65_536, "\(head)\(part)")
            }
        }
    }

    /// Pages of two repeated parts.
    private static let pages: [(String, String)] = [
        ("<span></span>", "<h2>x</h2>"), ("<span></span>", "<section><h2>x</h2></section>"), ("<p>x</p>", "<dt id=a>x"),
        ("<tr><td>x", "<table><tr><td><pre>x"), ("<li>", "<ul><li>x</ul>"), ("<code>`</code>", "<b><code>x</code></b>"),
        ("<b>(", "</b>x"), ("<i>x</i>", "!<a href=/b>y</a>"),
    ]

    @Test(arguments: pages)
    func `Markdown looks at no part of a page again and again`(first: String, second: String) {
        func steps(_ count: Int) -> Int {
            let (first, second) = (String(repeating: first, count: 10 * count), String(repeating: second, count: count))
            return Reader.markdown.steps(Array("<main>\(first)\(second)".utf8))
        }
        let (once, twice) = (steps(200), steps(400))
        #expect(twice <= 2 * once + 512, "\(once) \(twice)")
    }

    private static let seeds: [String] = [
        """
        <!DOCTYPE html [<!ENTITY a "b">]><svg><style>a{b:url('c\\64')}</style><![CDATA[x]]></svg><script><!--<script></script>--></script>\
        <img srcset="a 1x, b(c) 2w" style='x:image-set("y" 1x)'>&notit;&#x80;<iframe srcdoc="<p>">é<meta charset=x><?xml-stylesheet href="a"?>
        """,
        """
        import a, {b as c} from './d' with {type: 'json'}; export * from "e"; `x${`y${import('./f')}`}`; a = /[/]\\//g.test(b) / 2; // c
        new Worker(new URL('g', import.meta.url), {type: 'module'}); if (h) /i/; <!-- j
        """,
        "@charset 'a';@layer b;@import url(c) layer(d);@font-face{src:url('e')}f{g:image-set('h' 1x);&:i{j:url(\\6b)}}/* l */@namespace m url(n);",
        """
        {"icons": [{"src": "a\\u0062", "x": [1, -2.5e3, true, null]}], "imports": {"a/": "./b/"}, "scopes": {"c": {"d": "e"}}, "start_url": "f"}
        """,
        """
        <?xml version="1.0"?><urlset><url><loc>a&amp;b</loc><image:image><image:loc><![CDATA[c]]></image:loc></image:image></url></urlset>\
        <feed xml:base="d"><link href="e"/><entry><content src="f"/></entry></feed><rss><item><link>g</link><enclosure url="h"/></item></rss>
        """,
    ]

    @Test(arguments: Reader.allCases)
    func `mangled texts are read in linear time`(reader: Reader) {
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let all = Self.seeds.map { Array($0.utf8) }
        for round in 0..<Rounds.count(300) {
            var text = all[round % all.count]
            for _ in 0...random(6) {
                let index = random(text.count)
                let other = all[random(all.count)]
                switch random(5) {
                case 0: text[index] = UInt8(random(256))
                case 1: text.removeSubrange(index..<min(text.count, index + random(20)))
                case 2: text.insert(contentsOf: other[random(other.count)...].prefix(random(40)), at: index)
                case 3: text.insert(contentsOf: text[index...].prefix(random(80)), at: random(text.count))
                default: text.removeSubrange(index...)
                }
                if text.isEmpty { text = other }
            }
            #expect(reader.steps(text) <= 128 * text.count + 4096)
        }
    }
}
#endif
