import Testing

@testable import AFCDiscovery

struct MdBookRecipeTests {
    private static let hashed = """
        <html><head><script>
            const path_to_root = "../";
            window.path_to_searchindex_js = "../searchindex-7c3e1b0a.js";
        </script></head><body><script src="../searcher-c2a407aa.js"></script></body></html>
        """

    @Test(arguments: [
        (hashed, ["http://d.example/book/searchindex-7c3e1b0a.js"]),
        (
            "<base href='/b/'><script>window.path_to_searchindex_js='searchindex.js'</script><script src=searcher.js></script>",
            ["http://d.example/b/searchindex.js"]
        ),
        ("<script>window.path_to_searchindex_js='searchindex.js'</script>", []),
        ("<script>var path_to_root = '';</script><script src=searcher.js></script>", []),
        ("<script>window.path_to_searchindex_js=</script><script src=searcher.js></script>", []),
    ])
    func `a page names the index`(page: String, expected: [String]) throws {
        let url = "http://d.example/book/ch01/a.html"
        let found = try FoundByRecipes(.mdBook, in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected)
        #expect(found.guesses == [])
    }

    private static let current = """
        loadSearchScript(
            window.path_to_searchindex_js ||
            path_to_root + 'searchindex-7c3e1b0a.js',
            'mdbook-search-index');
        """
    private static let old = """
        fetch(path_to_root + 'searchindex.json').then(f).catch(error => {
            script.src = path_to_root + 'searchindex.js';
        });
        """

    @Test(arguments: [
        ("searcher-c2a407aa.js", current, ["http://d.example/book/searchindex-7c3e1b0a.js"]),
        ("searcher.js", old, ["http://d.example/book/searchindex.json", "http://d.example/book/searchindex.js"]),
        ("searcher.js", "a.href = path_to_root + url[0]; b = path_to_root + 'x.js'; path_to_root +", []),
        ("search.js", old, []), ("searchers.js", old, []),
    ])
    func `the script names the index beside itself`(name: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.mdBook, in: script, at: "http://d.example/book/" + name)
        #expect(found.urls == expected)
    }

    @Test func `an index that is a script is loaded as one`() throws {
        let found = try FoundByRecipes(.mdBook, in: Self.old, at: "http://d.example/searcher.js")
        #expect(found.loads["http://d.example/searchindex.js"] == .script)
        #expect(found.loads["http://d.example/searchindex.json"] == .other)
    }

    @Test func `a cut text is read`() throws {
        try readEveryPrefix(.mdBook, of: Self.hashed, "text/html", as: .document, at: "http://d.example/")
        for script in [Self.current, Self.old] {
            try readEveryPrefix(.mdBook, of: script, at: "http://d.example/searcher.js")
        }
    }
}
