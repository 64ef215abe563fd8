import Testing

@testable import AFCDiscovery

struct LocalSearchRecipeTests {
    private static let bundle = """
        (self.c=self.c||[]).push([[1],{2:(e,t)=>{t.url="search-index{dir}-1a2b.json",t.old='search-index{dir}.json?_=9f';\
        JSON.parse('{"fileNames":{"searchDoc":"search-doc-17.json","lunrIndex":"lunr-index-17.json"}}');\
        fetch(`${b}search-doc.json`);x="research-doc.json";y="search-documents";z=`search-index-${tag}.json`}}]);
        """

    @Test(arguments: [
        (
            "/docs/assets/js/main.1a2b3c4d.js", bundle,
            [
                "/docs/search-index-1a2b.json", "/docs/search-index.json?_=9f", "/docs/search-doc-17.json",
                "/docs/lunr-index-17.json", "/docs/search-doc.json",
            ]
        ),
        ("/docs/js/main.js", bundle, []), ("/docs/assets/js/deep/main.js", bundle, []),
    ])
    func `a script names the index`(path: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.localSearch, in: script, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
        for url in found.urls { #expect(found.loads[url] == .other) }
    }

    @Test(arguments: [
        (
            "just-the-docs", "/assets/js/just-the-docs.js",
            "request.open('GET', '/site/assets/js/search-data.json', true);", ["/site/assets/js/search-data.json"]
        ),
        ("just-the-docs", "/assets/js/just-the-docs.js", "request.open('GET', url, true); window.open('", []),
        ("quarto", "/a/site_libs/quarto-search/quarto-search.js", "search()", ["/a/search.json"]),
        ("quarto", "/a/quarto-search.js", "search()", []),
    ])
    func `a search's script leads to its index`(name: String, path: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(Recipe(name), in: script, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
    }

    private static let docsy = """
        <meta name="generator" content="Hugo 0.120.4"><script src="https://cdn.example/lunr/lunr.min.js"></script>
        <input type="search" data-offline-search-index-json-src="/offline-search-index.0a1b.json" data-max="10">
        """
    private static let hexo = """
        <meta name="generator" content="Hexo 6.3.0">
        <script class="hexo-configurations">var CONFIG = {"root":"/","path":"search.xml","x":"a/search.html"};</script>
        """

    @Test(arguments: [
        ("docsy", docsy, ["/offline-search-index.0a1b.json"], []), ("hexo", hexo, [], ["/search.xml"]),
        (
            "docsy",
            "<input data-offline-search-index-json-src='/a.json'><meta name=generator content='Hugo 1'>"
                + "<script src=main.js></script>", [], []
        ),
    ])
    func `a page names the index`(name: String, page: String, expected: [String], guesses: [String]) throws {
        let url = "http://d.example/a/b/"
        let found = try FoundByRecipes(Recipe(name), in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
    }

    @Test func `a cut text is read`() throws {
        try readEveryPrefix(.localSearch, of: Self.bundle, at: "http://d.example/assets/js/main.js")
        for page in [Self.docsy, Self.hexo] {
            try readEveryPrefix(.localSearch, of: page, "text/html", as: .document, at: "http://d.example/")
        }
    }
}
