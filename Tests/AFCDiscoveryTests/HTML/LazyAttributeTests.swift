import AFCURL
import Testing

@testable import AFCDiscovery

/// The attributes from which scripts take addresses when an element comes into view.
struct LazyAttributeTests {
    private func found(_ markup: String, usesRecipes: Bool = true) throws -> [ResolvedReference] {
        ReferenceExtractor.references(
            in: Array(markup.utf8),
            mediaType: "text/html",
            charset: "utf-8",
            url: try WebURL("http://d.example/a/"),
            usesRecipes: usesRecipes
        ).references
    }

    @Test(arguments: [
        ("<img data-src=x.png>", ["image data-src x.png"]),
        ("<img src='data:image/gif;base64,R0lGODlh' DATA-SRC=x.png>", ["image data-src x.png"]),
        ("<img data-original=x.png data-lazy-src=y.png>", ["image data-lazy-src y.png", "image data-original x.png"]),
        ("<img data-srcset='a.png 1x, b.png 2x'>", ["image data-srcset a.png", "image data-srcset b.png"]),
        ("<picture><source data-srcset='a.png 1x' data-src=b></picture>", ["image data-srcset a.png"]),
        (
            "<video data-src=a data-poster=b><source data-src=c data-srcset=x></video>",
            ["media data-src a", "image data-poster b", "media data-src c"]
        ),
        ("<iframe data-src=/b.html></iframe>", ["document data-src ../b.html"]),
        ("<div data-bg=x.png>", ["image data-bg x.png"]),
        ("<section data-background='url(&quot;x.png&quot;)'>", ["image data-background x.png"]),
        ("<x-tile data-bg=\"url( 'x.png' )\">", ["image data-bg x.png"]),
        ("<base href=/a/b/><img data-src=x.png>", ["image data-src b/x.png"]),
        ("<img data-src=x.png><base href=/a/b/>", ["image data-src b/x.png"]),
        ("<a data-zoom-image=l/x.png>", ["image data-zoom-image l/x.png"]),
        ("<p data-thumb=x.png data-large='/a/y.webp?v=1'>", ["image data-thumb x.png", "image data-large y.webp?v=1"]),
        ("<script type=text/babel src=app.jsx></script>", ["other src app.jsx"]),
        ("<script type=x-shader/x-vertex src=s/a.vert></script>", ["other src s/a.vert"]),
        ("<link rel='stylesheet/less' href=s.less>", ["other href s.less"]),
    ])
    func `attributes of lazy loaders are guesses`(markup: String, expected: [String]) throws {
        let root = "http://d.example/"
        let all = try found(markup)
        let lines = all.map { item in
            let path = String(item.url.description.dropFirst(root.utf8.count))
            let relative = path.hasPrefix("a/") ? String(path.dropFirst(2)) : "../" + path
            return "\(item.reference.loads.rawValue) \(item.reference.attribute) \(relative)"
        }
        #expect(lines == expected)
        #expect(all.allSatisfy { $0.reference.isGuess && $0.reference.recipe == nil })
        #expect(try found(markup, usesRecipes: false).isEmpty)
    }

    @Test(arguments: [
        "<p data-src=x.png>", "<img data-src=''>", "<img data-src='#x'>", "<img data-src='data:image/gif;base64,R0'>",
        "<img data-src='x_{width}.png'>", "<img data-src='<%= x %>'>", "<section data-background=red>",
        "<section data-background='#ff0'>", "<section data-background='rgba(0, 0, 0, .5)'>", "<div data-bg='url(\"'>",
        "<source data-src=x.png>", "<iframe data-src='javascript:x'></iframe>", "<svg><rect data-bg=x.png /></svg>",
        "<img data-sources=x.png data-src-x=y.png>", "<!-- <img data-src=x.png> -->",
    ])
    func `other attributes and values are ignored`(markup: String) throws {
        #expect(try found(markup).map(\.reference.text) == [])
    }

    @Test(arguments: [
        ("<body data-search-index-url='../search.json?v=2'>", ["../search.json"]),
        ("<x-map DATA-GEOJSON-SRC='/a&amp;b.geojson ' data-url='&#x2e;/map.csv'>", ["map.csv"]),
        (
            "<div data-source=https://d.example/d.csv><div data-manifest=d.webmanifest>",
            ["https://d.example/d.csv", "d.webmanifest"]
        ),
        ("<script type=text/x-handlebars><img src={{u}}.png></script>", []),
        ("<pre data-title=package.json data-file=tsconfig.json>", []), ("<div data-url='data.{lang}.json'>", []),
        ("<div data-url='/about.html' data-src-url='x.png'>", []), ("<div data-url='http.json()'>", []),
        ("<div data-json='{\"a\":\"b.json\"}'>", []), ("<div url=a.json title='data-url=a.json'>", []),
    ])
    func `attributes may name data files for scripts`(markup: String, tails: [String]) throws {
        func texts(usesRecipes: Bool) throws -> [ScriptText] {
            ReferenceExtractor.references(
                in: Array(markup.utf8),
                mediaType: "text/html",
                charset: "utf-8",
                url: try WebURL("http://d.example/a/"),
                usesRecipes: usesRecipes
            ).scriptTexts.texts
        }
        #expect(try texts(usesRecipes: true) == tails.map { ScriptText($0, .named, .none) })
        #expect(try texts(usesRecipes: false) == [])
    }

    @Test func `templates in scripts may name what they load`() throws {
        let found = ReferenceExtractor.references(
            in: Array("<script type=text/x-handlebars><img src=x.png><img src={{u}}.png></script>".utf8),
            mediaType: "text/html",
            charset: "utf-8",
            url: try WebURL("http://d.example/a/")
        )
        #expect(found.scriptTexts.texts == [ScriptText("x.png", .loaded, .none)] && found.references.isEmpty)
    }

    @Test func `a page's attributes name a limited number of data files`() throws {
        let many = (0..<20_000).map { "<p data-url=x\($0 % 2_000).json>" }.joined()
        let found = ReferenceExtractor.references(
            in: Array(many.utf8),
            mediaType: "text/html",
            charset: "utf-8",
            url: try WebURL("http://d.example/a/")
        )
        #expect(found.scriptTexts.texts.count == 512)
    }

    @Test func `in a template, they are guesses, too`() throws {
        let all = try found("<template><img data-src=x.png></template>")
        #expect(all.map(\.reference.isInert) == [false] && all.allSatisfy(\.reference.isGuess))
        let others = try found("<template><a href=b></a><img src='{{ photo }}'></template>")
        #expect(others.map(\.reference.isInert) == [true, true])
        let plain = try found("<template><img src=x.png></template>", usesRecipes: false)
        #expect(plain.map(\.reference.isInert) == [true])
    }

    @Test func `what a page refers to otherwise is no guess`() throws {
        let all = try found("<img data-src=x.png><noscript><img src=x.png></noscript>")
        #expect(all.map(\.reference.isGuess) == [true, false])
    }

    @Test func `a page has a limited number of them`() throws {
        let markup = (0..<2_000).map { "<img data-src=\($0).png>" }.joined()
        #expect(try found(markup).count == 1_024)
    }
}
