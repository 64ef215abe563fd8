import Testing

@testable import AFCDiscovery

struct JavadocRecipeTests {
    private static let java17 = """
        function loadScripts(doc, tag) {
            createElem(doc, tag, 'search.js');

            createElem(doc, tag, 'module-search-index.js');
            createElem(doc, tag, 'tag-search-index.js');
        }
        function createElem(doc, tag, path) { script.src = pathtoroot + path; }
        """
    private static let java11 = """
        function loadScripts(doc, tag) {
            createElem(doc, tag, 'jquery/jszip/dist/jszip.js');
            createElem(doc, tag, 'search.js');
            $.get(pathtoroot + "module-search-index.zip")
            $.get(pathtoroot + "type-search-index.zip")
            if (!moduleSearchIndex) {
                createElem(doc, tag, 'module-search-index.js');
            }
            if (!typeSearchIndex) {
                createElem(doc, tag, 'type-search-index.js');
            }
        }
        """

    @Test(arguments: [
        ("/api/script.js", java17, ["/api/search.js", "/api/module-search-index.js", "/api/tag-search-index.js"], []),
        (
            "/api/script-files/script.js",
            "function f() { createElem(doc, tag, 'script-files/search.js'); createElem(doc, tag, 'type-search-index.js'); }",
            ["/api/script-files/search.js", "/api/type-search-index.js"], []
        ),
        (
            "/api/script.js", java11,
            [
                "/api/jquery/jszip/dist/jszip.js", "/api/search.js", "/api/type-search-index.js",
                "/api/type-search-index.zip",
            ], ["/api/module-search-index.js", "/api/module-search-index.zip"]
        ),
        ("/api/main.js", java17, [], []), ("/script.js", "createElem(doc, tag, 'search.js')", [], []),
        ("/script.js", "createElem(doc, tag); createElem(doc,tag,'-search-index'", ["/-search-index"], []),
    ])
    func `the script names the indexes`(
        path: String,
        script: String,
        expected: [String],
        guesses: [String]
    ) throws {
        let found = try FoundByRecipes(.javadoc, in: script, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
    }

    @Test func `a cut text is read`() throws {
        for script in [Self.java17, Self.java11] {
            try readEveryPrefix(.javadoc, of: script, at: "http://d.example/script.js")
        }
    }
}
