import Testing

@testable import AFCDiscovery

struct ReactRouterRecipeTests {
    private static let manifest = """
        window.__reactRouterManifest={"entry":{"module":"/b/assets/entry.client-A.js","imports":["/b/assets/c-1.js"],\
        "css":[]},"routes":{"root":{"id":"root","path":"","hasLoader":true,"module":"/b/assets/root-B.js",\
        "imports":["/b/assets/c-1.js"],"css":["/b/assets/root-C.css"]},"routes/about":{"id":"routes/about",\
        "parentId":"root","path":"/about","module":"/b/assets/about-D.js",\
        "clientLoaderModule":"/b/assets/about-loader-E.js","imports":[],"css":[]}},"url":"/b/assets/manifest-0a.js",\
        "version":"0a"};
        """
    private static let named = [
        "entry.client-A.js", "c-1.js", "root-B.js", "root-C.css", "about-D.js", "about-loader-E.js",
    ]

    private static func page(_ context: String, loaderData: String = #"{\"_5\":6}"#, manifest: String = "") -> String {
        #"""
        <body><script>window.__reactRouterContext = {\#(context)};window.__reactRouterContext.stream = new ReadableStream({\#
        start(controller){window.__reactRouterContext.streamController = controller;}});</script>
        <script type="module" async="">;import * as route0 from "/assets/root-B.js";
        \#(manifest)
        window.__reactRouterRouteModules = {"root":route0};</script>
        <script>window.__reactRouterContext.streamController.enqueue("[{\"_1\":2},\"loaderData\",\#(loaderData)]\n");</script>
        """#
    }
    private static let options = #""basename":"/","future":{"unstable_optimizeDeps":true},"ssr":false"#

    @Test(arguments: ["__reactRouterManifest", "__remixManifest"])
    func `a manifest's script names modules and style sheets`(name: String) throws {
        let script = Self.manifest.replacing("__reactRouterManifest", with: name)
        let found = try FoundByRecipes(
            .reactRouter,
            in: script,
            as: .module,
            at: "http://d.example/b/assets/manifest-0a.js"
        )
        #expect(found.urls == Self.named.map { "http://d.example/b/assets/" + $0 })
        #expect(found.loads["http://d.example/b/assets/root-C.css"] == .style)
        #expect(found.loads["http://d.example/b/assets/c-1.js"] == .module)
    }

    @Test(arguments: ["other.js", "manifest.js"])
    func `other scripts aren't read`(name: String) throws {
        #expect(
            try FoundByRecipes(.reactRouter, in: Self.manifest, as: .module, at: "http://d.example/" + name).urls == []
        )
    }

    @Test(arguments: [
        (options, #"{\"_5\":6}"#, "/about", ["/about.data"], []),
        (options, #"{\"_5\":6}"#, "/about/", ["/about.data"], []),
        (options, #"{\"_5\":6}"#, "/", ["/_root.data"], []), (options, "{}", "/about", [], []),
        (options, #"{\"_5\":6}"#, "/about.html", [], []),
        (#""basename":"/b/","future":{"a":true}"#, #"{\"_5\":6}"#, "/b/", [], ["/b/_root.data", "/b/_.data"]),
        (#""basename":"/b/","future":{"a":true}"#, #"{\"_5\":6}"#, "/b/c", ["/b/c.data"], []),
        (
            #""basename":"/","future":{"v8_trailingSlashAwareDataRequests":true}"#, #"{\"_5\":6}"#, "/c/",
            ["/c/_.data"], []
        ),
        (#""basename":"/","future":{}"#, #"{\"_5\":6}"#, "/c/", [], ["/c.data", "/c/_.data"]),
        (#""basename":"/","future":{}"#, #"{\"_5\":6}"#, "/c", [], ["/c.data"]),
    ])
    func `a page with data of loaders names its data`(
        context: String,
        loaderData: String,
        path: String,
        expected: [String],
        guesses: [String]
    ) throws {
        let page = Self.page(context, loaderData: loaderData)
        let found = try FoundByRecipes(
            .reactRouter,
            in: page,
            "text/html",
            as: .document,
            at: "http://d.example" + path
        )
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
    }

    @Test func `a page's own manifest is read`() throws {
        let page = Self.page(Self.options, loaderData: "{}", manifest: Self.manifest)
        let found = try FoundByRecipes(.reactRouter, in: page, "text/html", as: .document, at: "http://d.example/")
        #expect(found.urls == Self.named.map { "http://d.example/b/assets/" + $0 })
    }

    @Test func `a cut text is read without a crash`() throws {
        let script = Array(Self.manifest.utf8)
        for end in script.indices {
            let url = "http://d.example/manifest-0a.js"
            let found = try FoundByRecipes(.reactRouter, in: Array(script[..<end]), as: .module, at: url)
            #expect(found.urls.isEmpty || end >= script.count - 1)
        }
        let page = Array(Self.page(Self.options, manifest: Self.manifest).utf8)
        for end in page.indices {
            _ = try FoundByRecipes(
                .reactRouter,
                in: Array(page[..<end]),
                "text/html",
                as: .document,
                at: "http://d.example/"
            )
        }
    }
}
