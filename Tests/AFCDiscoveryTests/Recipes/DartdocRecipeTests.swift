import Testing

@testable import AFCDiscovery

struct DartdocRecipeTests {
    private static let page = """
        <html><body data-base-href="../" data-using-base-href="false" class="light-theme">\
        <div id="dartdoc-main-content" class="main-content" data-above-sidebar="demo/demo-library-sidebar.html" \
        data-below-sidebar="demo/A-class-sidebar.html"></div>\
        <script src="../static-assets/docs.dart.js"></script></body></html>
        """
    private static let based = """
        <html><head><base href="/api/"></head><body data-base-href="../" data-using-base-href="true">\
        <div data-above-sidebar="" data-below-sidebar="demo/s.html"></div><script src="static-assets/docs.dart.js"></script>
        """

    @Test(arguments: [
        (page, ["/index.json"]),
        (based, ["/api/index.json"]),
        (
            "<body data-base-href='' data-using-base-href=false><script src=static-assets/docs.dart.js></script>",
            ["/demo/index.json"]
        ),
        ("<body data-base-href='' data-using-base-href=false>", []),
    ])
    func `a page names the search index`(page: String, expected: [String]) throws {
        let url = "http://d.example/demo/A-class.html"
        let found = try FoundByRecipes(.dartdoc, in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
    }

    @Test func `a cut text is read`() throws {
        for page in [Self.page, Self.based] {
            try readEveryPrefix(.dartdoc, of: page, "text/html", as: .document, at: "http://d.example/")
        }
    }
}
