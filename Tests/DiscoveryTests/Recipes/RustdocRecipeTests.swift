import Testing

@testable import AFCDiscovery

struct RustdocRecipeTests {
    private static let page95 = """
        <html><head><meta name="generator" content="rustdoc">\
        <meta name="rustdoc-vars" data-root-path="../" data-static-root-path="../static.files/" \
        data-current-crate="demo" data-themes="" data-resource-suffix="" data-rustdoc-version="1.95.0 (5 2026)" \
        data-channel="1.95.0" data-search-js="search-63.js" data-stringdex-js="stringdex-b8.js" \
        data-settings-js="settings-17.js" ></head></html>
        """
    private static let page81 = """
        <meta name=generator content=rustdoc>\
        <meta name=rustdoc-vars data-root-path=../../ data-static-root-path=/-/static/ data-themes=dim,sea \
        data-resource-suffix=-1.81 data-search-js=search-d2.js data-settings-js=settings-43.js>
        """
    private static let page60 = """
        <meta name="generator" content="rustdoc"><div id="rustdoc-vars" data-root-path="./" data-current-crate="demo" \
        data-themes="ayu,dark,light" data-resource-suffix="1.60.0"></div>
        """
    private static let page50 = """
        <meta name="generator" content="rustdoc"><div id="rustdoc-vars" data-root-path="./" \
        data-search-index-js="./search-index.js" data-search-js="./search.js"></div>
        """

    @Test(arguments: [
        (
            page95,
            [
                "/static.files/search-63.js", "/static.files/settings-17.js", "/static.files/stringdex-b8.js",
                "/search.index/root.js",
            ], []
        ),
        (
            page81, ["/-/static/search-d2.js", "/-/static/settings-43.js", "/search-index-1.81.js"],
            ["/dim.css", "/sea.css"]
        ),
        (page60, ["/demo/search1.60.0.js", "/demo/search-index1.60.0.js"], []),
        (page50, ["/demo/search.js", "/demo/search-index.js"], []),
        ("<meta name=generator content=rustdoc><p>rustdoc-vars", [], []),
        ("<div id=rustdoc-vars data-root-path=../>", [], []),
    ])
    func `a page names its scripts`(page: String, expected: [String], guesses: [String]) throws {
        let url = "http://d.example/demo/index.html"
        let found = try FoundByRecipes(.rustdoc, in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
    }

    private static let index = """
        var searchIndex = new Map(JSON.parse('[\\
        ["demo",{"t":"FIN","n":["D"],"D":"C`nBa","p":[]}],\\
        ["demo_macros",{"t":"","D":"a"}],\\
        ["old",{"t":""}],\\
        ["../x",{"D":"a"}]\\
        ]'));
        """

    @Test func `the index counts the descriptions of each crate`() throws {
        let found = try FoundByRecipes(.rustdoc, in: Self.index, at: "http://d.example/a/search-index1.81.js")
        let folder = "http://d.example/a/search.desc/"
        #expect(
            found.urls == [
                folder + "demo/demo-desc-0-1.81.js", folder + "demo/demo-desc-1-1.81.js",
                folder + "demo/demo-desc-2-1.81.js", folder + "demo_macros/demo_macros-desc-0-1.81.js",
            ]
        )
    }

    @Test func `an index has a limited number of descriptions`() throws {
        let crate = "[\"a\",{\"D\":\"" + String(repeating: "a", count: 70_000) + "\"}]\n"
        let found = try FoundByRecipes(.rustdoc, in: crate + crate, at: "http://d.example/search-index.js")
        #expect(found.urls.count == 65_536)
    }

    private static let root = """
        rr_('{"name":{"I":"AAAA","N":"Bf","E":"OjAAAAAAAAA=","H":"xx3igE85y4ulxFdE"},"path":{"N":"a","H":"jsGwSv/J"},\
        "a/b":{"H":"jsGwSv/J"},"short":{"H":"jsGw"}}')
        """

    @Test func `the root of the index names the columns' files`() throws {
        let found = try FoundByRecipes(.rustdoc, in: Self.root, at: "http://d.example/search.index/root1.95.js")
        let folder = "http://d.example/search.index/"
        let expected = ["name/c71de2804f39.js", "name/cb8ba5c45744.js", "path/8ec1b04affc9.js"]
        #expect(found.urls == expected.map { folder + $0 })
        #expect(found.loads[folder + "path/8ec1b04affc9.js"] == .script)
    }

    @Test(arguments: [("/root.js", root), ("/search.index/root.js", "rr_('{')"), ("/search.index/root.js", "rn_('')")])
    func `other scripts name nothing`(path: String, script: String) throws {
        let found = try FoundByRecipes(.rustdoc, in: script, at: "http://d.example" + path)
        #expect(found.urls + found.guesses == [])
    }

    @Test func `a cut text is read`() throws {
        for page in [Self.page95, Self.page81, Self.page60] {
            try readEveryPrefix(.rustdoc, of: page, "text/html", as: .document, at: "http://d.example/")
        }
        try readEveryPrefix(.rustdoc, of: Self.index, at: "http://d.example/search-index.js")
        try readEveryPrefix(.rustdoc, of: Self.root, at: "http://d.example/search.index/root.js")
    }
}
