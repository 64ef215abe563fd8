import Testing

@testable import AFCDiscovery

struct MkDocsRecipeTests {
    private static let page9 = """
        <html><head><meta name="generator" content="mkdocs-1.6.1, mkdocs-material-9.5.0"></head><body>
        <form class="md-search__form" name="search"></form>
        <script id="__config" type="application/json">{"base": "..", "features": ["navigation.instant", "toc.follow"], \
        "search": "../assets/javascripts/workers/search.b8dbb3d2.min.js", "tags": null, \
        "translations": {"clipboard.copy": "Copy"}, "version": {"provider": "mike"}}</script>
        <script src="../assets/javascripts/bundle.c8d2eff1.min.js"></script></body></html>
        """
    private static let page7 = """
        <form class="md-search__form" name="search"></form>
        <script id=__config type=application/json>{"base":".","features":[],\
        "search":"assets/javascripts/workers/search.fcfe8b6d.min.js","translations":\
        {"search.config.lang":"ja"},"version":null}</script>
        """
    private static let page5 = """
        <html><head><meta name="generator" content="mkdocs-1.1.2, mkdocs-material-5.5.14"></head>
        <form class="md-search__form" name="search"></form>
        <script id="__lang" type="application/json">{"base": "x"}</script>
        <script>
        app = initialize({
          base: "../..",
          features: ["tabs", "instant"],
          search: Object.assign({
            worker: "../../assets/javascripts/worker/search.4ac00218.min.js"
          }, typeof search !== "undefined" && search)
        })
        </script></html>
        """
    private static let page4 = """
        <meta name="generator" content="mkdocs-1.0.4, mkdocs-material-4.6.3">
        <form class="md-search__form" name="search"></form>
        <script>app.initialize({version:"1.0.4",url:{base:".."}})</script>
        """

    @Test(arguments: [
        (
            page9,
            [
                "http://d.example/1.0/assets/javascripts/workers/search.b8dbb3d2.min.js",
                "http://d.example/1.0/search/search_index.json", "http://d.example/1.0/sitemap.xml",
            ], ["http://d.example/versions.json"]
        ),
        (
            page7,
            [
                "http://d.example/1.0/guide/assets/javascripts/workers/search.fcfe8b6d.min.js",
                "http://d.example/1.0/guide/search/search_index.json",
                "http://d.example/1.0/guide/assets/javascripts/lunr/min/lunr.stemmer.support.min.js",
                "http://d.example/1.0/guide/assets/javascripts/lunr/tinyseg.js",
                "http://d.example/1.0/guide/assets/javascripts/lunr/min/lunr.ja.min.js",
            ], []
        ),
        (
            page5,
            [
                "http://d.example/assets/javascripts/worker/search.4ac00218.min.js",
                "http://d.example/search/search_index.json", "http://d.example/sitemap.xml",
            ], []
        ),
        (page4, ["http://d.example/1.0/search/search_index.json"], []),
    ])
    func `a page of Material names its worker, index and sitemap`(
        page: String,
        expected: [String],
        guesses: [String]
    ) throws {
        let found = try FoundByRecipes(.mkDocs, in: page, "text/html", as: .document, at: "http://d.example/1.0/guide/")
        #expect(found.urls == expected)
        #expect(found.guesses == guesses)
    }

    @Test func `the index of a site without a search form is a guess`() throws {
        let page = """
            <form class="md-feedback__form"></form>
            <script id=__config>{"base":"/","search":"/assets/javascripts/workers/search.js"}</script>
            """
        let found = try FoundByRecipes(.mkDocs, in: page, "text/html", as: .document, at: "http://d.example/404.html")
        #expect(found.urls == ["http://d.example/assets/javascripts/workers/search.js"])
        #expect(found.guesses == ["http://d.example/search/search_index.json"])
        #expect(found.loads["http://d.example/assets/javascripts/workers/search.js"] == .script)
    }

    @Test(arguments: [
        "<script id=__config>{\"base\":\".\",\"search\":\"find.js\"}</script>", "<script id=__config>{</script>",
        "<script>initialize({base: '..'})</script>",
    ])
    func `other pages are left alone`(page: String) throws {
        let found = try FoundByRecipes(.mkDocs, in: page, "text/html", as: .document, at: "http://d.example/")
        #expect(found.urls + found.guesses == [])
    }

    @Test(arguments: [
        ("/a/search/main.js", "new Worker(joinUrl(base_url, \"search/worker.js\"))", ["/a/search/worker.js"]),
        ("/main.js", "new Worker(joinUrl(base_url, \"search/worker.js\"))", []),
        ("/search/main.js", "start()", []),
        (
            "/search/worker.js", "var s = ['lunr.js']; index_path = 'search_index.json';",
            ["/search/search_index.json", "/search/lunr.js"]
        ),
    ])
    func `the scripts of MkDocs lead to the index`(path: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.mkDocs, in: script, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
    }

    private static let index9 = """
        {"config":{"fields":{"title":{"boost":1000.0}},"lang":["en","th"],"pipeline":["stopWordFilter"],"separator":"[ ]"},\
        "docs":[{"location":"","title":"A","text":"B"}]}
        """
    private static let index1 = """
        {"config":{"indexing":"full","lang":["de"],"min_search_length":3,"prebuild_index":false},"docs":[]}
        """

    @Test func `the index of Material names the languages`() throws {
        let url = "http://d.example/a/search/search_index.json"
        let found = try FoundByRecipes(.mkDocs, in: Self.index9, "application/json", as: .other, at: url)
        let lunr = "http://d.example/a/assets/javascripts/lunr/"
        #expect(
            found.urls == [
                lunr + "min/lunr.stemmer.support.min.js", lunr + "wordcut.js", lunr + "min/lunr.th.min.js",
                lunr + "min/lunr.multi.min.js",
            ]
        )
        #expect(found.guesses == [])
    }

    @Test func `the index of MkDocs names languages whose scripts are the theme's or its own`() throws {
        let url = "http://d.example/search/search_index.json"
        let found = try FoundByRecipes(.mkDocs, in: Self.index1, "application/json", as: .other, at: url)
        let lunr = "http://d.example/assets/javascripts/lunr/min/lunr."
        #expect(found.urls == [])
        #expect(
            found.guesses == [
                "http://d.example/search/lunr.stemmer.support.js", "http://d.example/search/lunr.de.js",
                lunr + "stemmer.support.min.js", lunr + "de.min.js",
            ]
        )
    }

    @Test(arguments: [
        ("/search/search_index.json", "{\"config\":{\"lang\":[\"en\"]},\"docs\":[]}"),
        ("/search/search_index.json", "{\"config\":{\"lang\":[\"../x\",\"\",7]},\"docs\":[{\"lang\":[\"de\"]}]}"),
        ("/search/search_index.json", "[{\"config\":{\"lang\":[\"de\"]}}]"),
        ("/other/search_index.json", "{\"config\":{\"lang\":[\"de\"]}}"),
    ])
    func `an index without languages names nothing`(path: String, index: String) throws {
        let url = "http://d.example" + path
        let found = try FoundByRecipes(.mkDocs, in: index, "application/json", as: .other, at: url)
        #expect(found.urls + found.guesses == [])
    }

    @Test func `an index has a limited number of languages`() throws {
        let languages = (0..<100).map { _ in "\"de\"" }.joined(separator: ",")
        let index = "{\"config\":{\"pipeline\":[],\"lang\":[\(languages)]}}"
        let url = "http://d.example/search/search_index.json"
        let found = try FoundByRecipes(.mkDocs, in: index, "application/json", as: .other, at: url)
        #expect(found.urls.count == 3)
    }

    @Test func `a cut text is read`() throws {
        for page in [Self.page9, Self.page7, Self.page5, Self.page4] {
            try readEveryPrefix(.mkDocs, of: page, "text/html", as: .document, at: "http://d.example/")
        }
        for index in [Self.index9, Self.index1] {
            let url = "http://d.example/search/search_index.json"
            try readEveryPrefix(.mkDocs, of: index, "application/json", as: .other, at: url)
        }
    }
}
