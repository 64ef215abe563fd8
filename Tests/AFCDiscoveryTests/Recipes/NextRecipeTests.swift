import AFCURL
import Testing

@testable import AFCDiscovery

struct NextRecipeTests {
    @Test(arguments: [
        (
            """
            self.__BUILD_MANIFEST=function(s,a){return{__rewrites:{beforeFiles:[],afterFiles:[{source:"/static/a.js"}],fallback:[]},\
            "/":[s,a,"static/chunks/pages/index-1.js"],"/b/[...id]":[s,"static/css/b.css","static/chunks/pages/b/[...id]-2.js"],\
            sortedPages:["/","/_app","/b/[...id]"]}}("static/chunks/12-a.js","static/css/c.css"),\
            self.__BUILD_MANIFEST_CB&&self.__BUILD_MANIFEST_CB();
            """,
            [
                "chunks/pages/index-1.js", "css/b.css", "chunks/pages/b/%5B...id%5D-2.js", "chunks/12-a.js",
                "css/c.css",
            ]
        ),
        (
            #"self.__BUILD_MANIFEST = (function(a){return {"\u002F":["static\u002Fchunks\u002Fx y.js",a]}}("static\u002Fa.js"))"#,
            ["chunks/x%20y.js", "a.js"]
        ),
        ("self.__BUILD_MANIFEST={'/':['static/chunks/a.js','static/m.json','other/a.js'", ["chunks/a.js"]),
    ])
    func `a build manifest names the files of all pages`(script: String, expected: [String]) throws {
        let url = "http://d.example/base/_next/static/Id-1/_buildManifest.js"
        let found = try FoundByRecipes(.next, in: script, at: url)
        #expect(found.urls == expected.map { "http://d.example/base/_next/static/\($0)" })
        #expect(found.urls.allSatisfy { found.loads[$0] == ($0.hasSuffix("css") ? .style : .script) })
        #expect(try FoundByRecipes(.next, in: script, at: "http://d.example/_buildManifest.js").urls == [])
    }

    @Test(arguments: [
        (#""props":{"pageProps":{},"__N_SSG":true},"page":"/","buildId":"B""#, "/", "/_next/data/B/index.json"),
        (
            #""props":{"pageProps":{"a":[{"page":"/no"}]},"__N_SSG":true},"page":"/a/b","buildId":"B""#, "/a/b/",
            "/_next/data/B/a/b.json"
        ),
        (
            #""props":{},"page":"/index","query":{},"buildId":"B","gsp":true"#, "/index",
            "/_next/data/B/index/index.json"
        ),
        (
            #""gsp":true,"page":"/p/[id]","query":{"id":"é"},"buildId":"B""#, "/p/%C3%A9.html",
            "/_next/data/B/p/%C3%A9.json"
        ),
        (
            #""gsp":true,"page":"/p/[id]","buildId":"B","assetPrefix":"/base""#, "/base/p/7",
            "/base/_next/data/B/p/7.json"
        ),
        (
            #""gsp":true,"page":"/p/[id]","buildId":"B","assetPrefix":"https://c.example""#, "/p/7",
            "/_next/data/B/p/7.json"
        ),
        (#""gsp":true,"page":"/p/[...id]","buildId":"B""#, "/p/7/8/", "/_next/data/B/p/7/8.json"),
        (#""gsp":true,"page":"/[[...id]]","buildId":"B""#, "/", "/_next/data/B/index.json"),
        (#""gsp":true,"page":"/","buildId":"B","locale":"de","locales":["de","en"]"#, "/", "/_next/data/B/de.json"),
        (#""gsp":true,"page":"/a","buildId":"B","locale":"en""#, "/en/a", "/_next/data/B/en/a.json"),
        (#""gsp":true,"page":"/p/[id]","buildId":"B","locale":"en""#, "/en/p/7", "/_next/data/B/en/p/7.json"),
        // The server makes the data, or there is none.
        (#""props":{"pageProps":{},"__N_SSP":true},"page":"/a","buildId":"B","gssp":true"#, "/a", nil),
        (#""props":{"pageProps":{"__N_SSG":true}},"page":"/a","buildId":"B","nextExport":true"#, "/a", nil),
        (#""gsp":true,"isFallback":true,"page":"/p/[id]","buildId":"B""#, "/p/[id]", nil),
        (#""gsp":true,"page":"/p/[id]","buildId":"B""#, "/other/7", nil),
        (#""gsp":true,"page":"/p/[id]","buildId":"B""#, "/p/7/8", nil),
        (#""gsp":false,"page":"/a","buildId":"B""#, "/a", nil),
        (#""gsp":true,"page":"/a","buildId":"B"},"#, "/a", nil),
    ])
    func `a page's data is a file if the page says so`(data: String, path: String, expected: String?) throws {
        let page = "<script id=\"__NEXT_DATA__\" type=\"application/json\">{\(data)}</script>"
        let found = try FoundByRecipes(.next, in: page, "text/html", as: .document, at: "http://d.example" + path)
        #expect(found.urls == (expected.map { ["http://d.example" + $0] } ?? []))
        #expect(found.urls.allSatisfy { found.loads[$0] == .other })
    }

    @Test(arguments: [
        ("/", ["/index.txt", "/__next._tree.txt"]), ("/b/", ["/b/index.txt", "/b/__next._tree.txt"]),
        ("/about", ["/about.txt", "/about/__next._tree.txt"]),
        ("/b/about/?q=1", ["/b/about/index.txt", "/b/about/__next._tree.txt"]),
        ("/about.html", ["/about.txt", "/about/__next._tree.txt"]),
        ("/b/index.html", ["/b/index.txt", "/b/__next._tree.txt"]), ("/404.html", []), ("/404", []),
    ])
    func `an export may have the data of a page beside it`(path: String, expected: [String]) throws {
        let page = "<script>(self.__next_f=self.__next_f||[]).push([0])</script>"
        let url = "http://d.example" + path
        let found = try FoundByRecipes(.next, in: page, "text/html", as: .document, at: url)
        #expect(found.guesses == expected.map { "http://d.example" + $0 })
        #expect(found.urls == [])
        let kinds = try found.guesses.map { GuessKind(of: try WebURL($0), loads: .other, in: try WebURL(url)) }
        #expect(kinds == (expected.isEmpty ? [] : [.nextData, .nextTree]))
        #expect(try FoundByRecipes(.next, in: "<p>", "text/html", as: .document, at: url).guesses == [])
    }

    @Test func `guesses have a kind if a site has all or none of them`() throws {
        let page = try WebURL("http://d.example/a")
        #expect(GuessKind(of: try WebURL("http://d.example/b"), loads: .document, in: page) == .page)
        #expect(GuessKind(of: try WebURL("http://d.example/b.txt"), loads: .other, in: page) == nil)
        #expect(GuessKind(of: try WebURL("http://d.example/a.json"), loads: .other, in: page) == nil)
    }

    @Test(arguments: [
        // Releases 16.0 and 16.2.
        (
            """
            :HL["/_next/static/chunks/b.css","style"]
            0:{"buildId":"W","tree":{"name":"","paramType":null,"paramKey":"","hasRuntimePrefetch":false,"slots":{"children":{"name":"blog","paramType":null,"paramKey":"blog","slots":{"children":{"name":"slug","paramType":"d","paramKey":"x","slots":{"children":{"name":"__PAGE__","paramType":null,"paramKey":"__PAGE__","slots":null}}}}}},"isRootLayout":true},"staleTime":300}

            """, ["blog.$d$slug.__PAGE__", "blog.$d$slug", "blog", "_index", "_head"]
        ),
        (
            #"0:{"tree":{"name":"","param":null,"prefetchHints":16,"slots":{"children":{"name":"(main)","param":null,"slots":{"children":{"name":"id","param":{"type":"c","key":"a/b","siblings":null},"prefetchHints":0,"slots":{"children":{"name":"__PAGE__","slots":null},"side":{"name":"a b","slots":null}}}}}}},"staleTime":300,"buildId":"b"}"#,
            [
                "!KG1haW4p.$c$id.__PAGE__", "!KG1haW4p.$c$id.@side.!YSBi", "!KG1haW4p.$c$id", "!KG1haW4p", "_index",
                "_head",
            ]
        ),
        (
            #"0:{"tree":{"name":"","slots":{"children":{"name":"/_not-found","slots":{"children":{"name":"__PAGE__?{}","slots":null}}}}}}"#,
            ["_not-found.__PAGE__", "_not-found", "_index", "_head"]
        ),
        // Others.
        ("0:{}", []), ("", []), ("0:{\"tree\":{\"slots\":{\"children\":{\"name\":\"a\"}}", []), ("1:[]\n2:{}", []),
        ("{\"tree\":{\"slots\":{\"children\":{\"name\":\"a\"}}}}", []),
    ])
    func `a tree of segments names the files beside it`(tree: String, expected: [String]) throws {
        let url = "http://d.example/blog/x/__next._tree.txt"
        let found = try FoundByRecipes(.next, in: tree, "text/plain", as: .other, at: url)
        #expect(found.guesses == expected.map { "http://d.example/blog/x/__next.\($0).txt" })
        #expect(found.urls == [])
    }

    @Test func `cut trees of segments are read without a crash`() throws {
        let tree =
            #"0:{"tree":{"name":"","slots":{"children":{"name":"(a)","param":{"type":"d","key":"a"},"slots":{"x":{"name":"é"}}}}}}"#
        try readEveryPrefix(.next, of: tree, "text/plain", as: .other, at: "http://d.example/__next._tree.txt")
    }

    @Test(arguments: [
        (#"NEXT_REDIRECT;replace;/en/v4;307;"#, ["http://d.example/b/en/v4"]),
        (#"NEXT_REDIRECT;push;/b/en;308;"#, ["http://d.example/b/en"]),
        (#"NEXT_REDIRECT;replace;https://other.example/;307;"#, []), (#"NEXT_REDIRECT;replace"#, []),
        (#"NEXT_REDIRECT;replace;//other.example/;307;"#, []),
    ])
    func `a page that redirects by its data links to the other page`(digest: String, expected: [String]) throws {
        let page = #"""
            <script src="/b/_next/static/chunks/a.js"></script>
            <script>self.__next_f.push([1,"9:E{\"digest\":\"DIGEST\"}\n"])</script>
            """#.replacing("DIGEST", with: digest)
        let found = try FoundByRecipes(.next, in: page, "text/html", as: .document, at: "http://d.example/b/")
        #expect(found.urls == expected)
    }

    private static let flight = #"""
        <script src="/b/_next/static/chunks/main-1.js" async></script>
        <script>(self.__next_f=self.__next_f||[]).push([0])</script>
        <script>self.__next_f.push([1,"1:\"$Sreact.fragment\"\n2:I[87,[\"45\",\"static/chunks/45-a.js\",\"9\",\"static/chunks/app/%5Bid%5D/page-b.js\"],\"\"]\n:HL[\"/b/_next/static/css/c.css\",\"style\"]\n:HL[\"/b/_next/static/media/d.p.woff2\",\"font\"]\n"])</script>
        <script>self.__next_f.push([1,"3:I[5,[\"1\",\"/b/_next/static/chunks/e.js\"],\"\"]\n4:[\"static/chunks/cu"])</script>
        <script>self.__next_f.push([1,"t.js\",\"/other/static/x.js\",\"static/x.json\"]"])</script>
        <script>let a = "\"static/chunks/no.js\""</script>
        """#

    @Test func `the data in a page of the app router names files`() throws {
        let found = try FoundByRecipes(.next, in: Self.flight, "text/html", as: .document, at: "http://d.example/b/")
        #expect(
            found.urls
                == [
                    "chunks/45-a.js", "chunks/app/%5Bid%5D/page-b.js", "css/c.css", "media/d.p.woff2", "chunks/e.js",
                ].map { "http://d.example/b/_next/static/\($0)" }
        )
    }

    @Test func `scripts of Turbopack name scripts`() throws {
        let script = """
            (globalThis.TURBOPACK||(globalThis.TURBOPACK=[])).push(["object"==typeof document?document.currentScript:void 0,\
            {otherChunks:["static/chunks/a.js",{path:"static/chunks/b.css",included:[1]}]},5,e=>{e.v(t=>Promise.all(["static/chunks/c.js"]\
            .map(t=>e.l(t))).then(()=>t(7)))}]);
            """
        let found = try FoundByRecipes(.next, in: script, at: "http://d.example/_next/static/chunks/main.js")
        #expect(found.urls == ["a.js", "b.css", "c.js"].map { "http://d.example/_next/static/chunks/\($0)" })
        #expect(try FoundByRecipes(.next, in: script, at: "http://d.example/main.js").urls == [])
        let other = "var a = 'static/chunks/a.js'"
        #expect(try FoundByRecipes(.next, in: other, at: "http://d.example/_next/static/chunks/main.js").urls == [])
    }

    @Test func `scripts name imported images`() throws {
        let script = """
            e.exports={src:"/b/_next/static/media/a.1.png",height:2},f={src:"https://c.example/_next/static/media/b.svg"},\
            g="_next/static/media/c.png",h="/x"+"_next/static/media/"+i,j="/_next/static/media/d.pn
            """
        let found = try FoundByRecipes(.next, in: script, at: "http://d.example/b/_next/static/chunks/7.js")
        #expect(
            found.urls == [
                "http://d.example/b/_next/static/media/a.1.png", "https://c.example/_next/static/media/b.svg",
            ]
        )
        #expect(try FoundByRecipes(.next, in: script, at: "http://d.example/7.js").urls == [])
    }

    @Test func `cut tables are read without a crash`() throws {
        let data = "<script id=__NEXT_DATA__>{\"gsp\":true,\"page\":\"/p/[id]\",\"buildId\":\"B\",\"locale\":\"en\"}"
        for text in [Self.flight, data] {
            let bytes = Array(text.utf8)
            for count in 0..<bytes.count {
                _ = try FoundByRecipes(
                    .next,
                    in: Array(bytes[..<count]),
                    "text/html",
                    as: .document,
                    at: "http://d.example/en/p/7"
                )
            }
        }
        let manifest = Array(#"self.__BUILD_MANIFEST={"\u002Fa":["static\u002Fa.js",'static/b.js']}"#.utf8)
        for count in 0..<manifest.count {
            let url = "http://d.example/_next/static/B/_buildManifest.js"
            _ = try FoundByRecipes(.next, in: Array(manifest[..<count]), at: url)
        }
    }
}
