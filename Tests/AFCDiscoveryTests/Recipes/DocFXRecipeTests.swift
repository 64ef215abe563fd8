import Testing

@testable import AFCDiscovery

struct DocFXRecipeTests {
    private static let modern = """
        <html><head><meta name="docfx:navrel" content="../toc.html"><meta name="docfx:tocrel" content="toc.html">\
        <meta name="docfx:rel" content="../"><script type="module" src="./../public/docfx.min.js"></script></head></html>
        """
    private static let old = """
        <html><head><meta property="docfx:navrel" content="toc.html"><meta property="docfx:tocrel" content="">\
        <meta property="docfx:rel" content=""></head><body><script src="styles/docfx.js"></script></body></html>
        """

    @Test(arguments: [
        (
            modern,
            ["/toc.html", "/toc.json", "/api/toc.html", "/api/toc.json", "/index.json", "/public/search-worker.min.js"]
        ),
        (old, ["/api/toc.html", "/api/index.json"]),
        ("<meta name='docfx:navrel' content='toc.html'>", []),
        ("<meta name='docfx:navrel'><script src=styles/docfx.js></script>", []),
    ])
    func `a page names its tables`(page: String, expected: [String]) throws {
        let url = "http://d.example/api/a.html"
        let found = try FoundByRecipes(.docFX, in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
    }

    private static let script = "var worker = new Worker(relHref + 'styles/search-worker.min.js'); relHref + x;"

    @Test(arguments: [
        ("/a/styles/docfx.js", script, ["/a/styles/search-worker.min.js"]), ("/a/docfx.js", script, []),
        (
            "/a/styles/search-worker.min.js", "r.open(\"GET\",\"../search-stopwords.json\")",
            ["/a/search-stopwords.json"]
        ),
        ("/public/search-worker.min.js", "fetch('../index.json')", []),
    ])
    func `the scripts of the default template lead to its search`(
        path: String,
        script: String,
        expected: [String]
    ) throws {
        let found = try FoundByRecipes(.docFX, in: script, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
    }

    @Test func `a cut text is read`() throws {
        for page in [Self.modern, Self.old] {
            try readEveryPrefix(.docFX, of: page, "text/html", as: .document, at: "http://d.example/")
        }
        try readEveryPrefix(.docFX, of: Self.script, at: "http://d.example/styles/docfx.js")
    }
}
