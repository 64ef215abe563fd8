import Testing

@testable import AFCDiscovery

struct SvelteKitRecipeTests {
    private static func page(data: String, extra: String = "", fetched: String = "") -> String {
        """
        <head><link rel="modulepreload" href="../_app/immutable/entry/start.Bx1.js"></head><body><div>\(fetched)
        <script>
        {
            __sveltekit_1f2e3d = { base: new URL("..", location).pathname.slice(0, -1) };
            const element = document.currentScript.parentElement;
            Promise.all([
                import("../_app/immutable/entry/start.Bx1.js"),
                import("../_app/immutable/entry/app.Cy2.js")
            ]).then(([kit, app]) => {
                kit.start(app, element, {
                    node_ids: [0, 2],
                    data: \(data),
                    form: null,
                    error: null\(extra)
                });
            });
        }
        </script></div></body>
        """
    }
    private static let serverData = #"[null,{type:"data",data:{title:"A {type:\"data\"}"},uses:{params:["slug"]}}]"#
    private static let fetched = """
        <script type="application/json" data-sveltekit-fetched data-url="/b/api/x.json?a=1&amp;b=2">\
        {"status":200,"statusText":"OK","headers":{},"body":"{}"}</script>
        """

    @Test(arguments: [
        (page(data: "[null,null]"), "/b/about", ["/b/_app/version.json"]),
        (page(data: serverData), "/b/about", ["/b/_app/version.json", "/b/about/__data.json"]),
        (page(data: serverData), "/b/about/", ["/b/_app/version.json", "/b/about/__data.json"]),
        (page(data: serverData), "/b/about.html", ["/b/_app/version.json"]),
        (page(data: #"["{type:\"data\",data:1}"]"#), "/b/about", ["/b/_app/version.json"]),
        (
            page(data: "[null]", extra: ",\nparams: {}, server_route: {}"), "/b/about",
            ["/b/_app/version.json", "/b/about/__route.js"]
        ),
        (page(data: "[null]", fetched: fetched), "/b/about", ["/b/_app/version.json", "/b/api/x.json?a=1&b=2"]),
        (
            page(data: "[null]", fetched: fetched.replacing("data-url", with: "data-hash=\"1\" data-url")), "/b/about",
            ["/b/_app/version.json"]
        ),
        (page(data: "[null]", fetched: fetched.replacing("200", with: "404")), "/b/about", ["/b/_app/version.json"]),
        (page(data: serverData).replacing("immutable", with: "other"), "/b/about", []),
    ])
    func `a page names its data`(page: String, path: String, expected: [String]) throws {
        // The addresses in the page are relative to a page without a slash at its end.
        let page = path.hasSuffix("/") ? page : page.replacing("\"../", with: "\"./")
        let found = try FoundByRecipes(.svelteKit, in: page, "text/html", as: .document, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
    }

    @Test func `a cut page is read without a crash`() throws {
        let page = Array(Self.page(data: Self.serverData, fetched: Self.fetched).utf8)
        for end in page.indices {
            _ = try FoundByRecipes(
                .svelteKit,
                in: Array(page[..<end]),
                "text/html",
                as: .document,
                at: "http://d.example/"
            )
        }
    }
}
