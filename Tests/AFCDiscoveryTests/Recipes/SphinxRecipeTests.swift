import Testing

@testable import AFCDiscovery

struct SphinxRecipeTests {
    private static let search = """
        <html><head><script type="text/javascript" src="_static/searchtools.js"></script></head><body>
        <script type="text/javascript">
          jQuery(function() { Search.loadIndex("searchindex.js"); });
        </script>
        <script type="text/javascript" id="searchindexloader"></script></body></html>
        """

    @Test(arguments: [
        (search, ["http://d.example/a/searchindex.js"]),
        (
            "<script src='s/searchtools.js?v=1'></script><script>Search.loadIndex('../searchindex.js')</script>",
            ["http://d.example/searchindex.js"]
        ),
        ("<script src=searchtools.js></script><script>Search.loadIndex(url); Search.loadIndex(</script>", []),
        ("<script>Search.loadIndex('searchindex.js')</script>", []),
    ])
    func `a search page names the index`(page: String, expected: [String]) throws {
        let url = "http://d.example/a/search.html"
        let found = try FoundByRecipes(.sphinx, in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected)
        #expect(found.guesses == [])
    }

    @Test(arguments: [
        ("'_static/switcher.json'", ["http://d.example/_static/switcher.json"]),
        ("\"https://e.example/versions.json\"", ["https://e.example/versions.json"]),
        ("''", []), ("url", []), ("", []),
    ])
    func `the list of versions is a guess`(value: String, expected: [String]) throws {
        let page = """
            <script src="../_static/documentation_options.js"></script>
            <script>
            DOCUMENTATION_OPTIONS.pagename = 'a/b';
            DOCUMENTATION_OPTIONS.theme_switcher_json_url = \(value);
            </script>
            """
        let found = try FoundByRecipes(
            .sphinx,
            in: page,
            "text/html",
            as: .document,
            at: "http://d.example/en/a/b.html"
        )
        #expect(found.guesses == expected)
        #expect(found.urls == [])
    }

    @Test(arguments: [
        ("/en/searchindex.js", "Search.setIndex({docnames:[\"index\"]})", ["http://d.example/en/objects.inv"]),
        ("/en/searchindex.js", "window.search = {}", []), ("/en/index.js", "Search.setIndex({})", []),
    ])
    func `the inventory is beside the index`(path: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.sphinx, in: script, at: "http://d.example" + path)
        #expect(found.guesses == expected)
    }

    @Test func `a cut text is read`() throws {
        try readEveryPrefix(.sphinx, of: Self.search, "text/html", as: .document, at: "http://d.example/")
    }
}
