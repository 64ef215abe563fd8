import Testing

@testable import AFCDiscovery

struct RouteRecipeTests {
    private static func routes(_ script: String, at path: String, _ recipe: Recipe = .routes) throws -> [String] {
        let found = try FoundByRecipes(recipe, in: script, at: "http://d.example" + path)
        #expect(found.guesses.allSatisfy { found.loads[$0] == .document })
        return found.guesses.map { $0.replacing("http://d.example", with: "") }
    }

    @Test(arguments: [
        (
            "self.__BUILD_MANIFEST={\"/\":[],sortedPages:[\"/\",\"/_app\",\"/_error\",\"/404\",\"/about\",\"/blog/news\",\"/p/[id]\",\"/[[...all]]\"]}",
            "/base/_next/static/x1/_buildManifest.js", ["/base/about", "/base/blog/news"]
        ),
        ("{sortedPages:[\"/about\"]}", "/base/_next/static/chunks/main.js", []),
        ("{sortedPages:[\"/about\"", "/_next/static/x1/_buildManifest.js", ["/about"]),
    ])
    func `a build manifest of Next.js lists routes`(script: String, path: String, expected: [String]) throws {
        #expect(try Self.routes(script, at: path) == expected)
    }

    @Test(arguments: [
        (
            "const n=[()=>a(0)],r=[0],d={\"/\":[2],\"/about\":[3],\"/(app)/account\":[~4,[2]],\"/blog/[slug]\":[5],\"/a/(b)/c\":[6,[,3]]};export{d as dictionary}",
            ["/base/about", "/base/account", "/base/a/c"]
        ),
        (
            """
            export const dictionary = {
            \t\t"/": [2],
            \t\t"/Kruskal": [3],
            \t};
            """, ["/base/Kruskal"]
        ),
        // 1.0-next.
        (
            "const i=[[/^\\/$/,[h[0],h[2]],[h[1]]],[/^\\/Kruskal\\/?$/,[h[0],h[9]],[h[1]]],[/^\\/a\\/b-c\\.d\\/?$/,[h[0]]],[/^\\/p\\/([^/]+?)\\/?$/,[h[0]]]]",
            ["/base/Kruskal", "/base/a/b-c.d"]
        ),
        // Others.
        ("x={\"/about\":[3]}", []), ("dictionary;x={\"/about\":[f]}", []), ("dictionary;x={\"/about\":[3]", []),
    ])
    func `a script of SvelteKit lists routes`(script: String, expected: [String]) throws {
        #expect(try Self.routes(script, at: "/base/_app/immutable/entry/app.D1.js") == expected)
        #expect(try Self.routes(script, at: "/app.js") == [])
    }

    @Test(arguments: [
        // Vue, with children, a redirect and parameters.
        (
            "const r=x({history:h(\"/\"),routes:[{path:\"/\",name:\"home\",component:A},{path:\"/about\",component:()=>i(\"./B.js\")},{path:\"/old\",redirect:\"/about\",component:A},{path:\"/user\",component:U,children:[{path:\"\",component:V},{path:\"posts\",component:P},{path:\":id\",component:Q}]},{path:\"/x/:id\",component:X,children:[{path:\"y\",component:Y}]},{path:\"/:all(.*)*\",component:N}]})",
            "/app/assets/index-1.js", ["/app/about", "/app/user", "/app/user/posts"]
        ),
        // React, as objects and as elements.
        (
            "n([{path:\"/\",element:(0,t.jsx)(A,{}),errorElement:e,children:[{index:!0,element:b},{path:\"team\",element:c,loader:d}]},{path:\"/faq\",lazy(){}}])",
            "/static/js/main.1.js", ["/team", "/faq"]
        ),
        (
            "(0,t.jsxs)(R,{children:[(0,t.jsx)(S,{path:\"/\",element:(0,t.jsx)(A,{})}),(0,t.jsxs)(S,{path:\"/docs\",element:(0,t.jsx)(B,{path:\"no\"}),children:(0,t.jsx)(S,{path:\"api\",element:c})}),(0,t.jsx)(S,{path:\"*\",element:d})]})",
            "/p/static/js/main.1.js", ["/p/docs/api", "/p/docs"]
        ),
        // Angular.
        (
            "const Z=[{path:\"\",component:H},{path:\"about\",component:K},{path:\"shop\",loadChildren:()=>o.e(1).then(o.bind(o,2))},{path:\"**\",component:N}]",
            "/p/main.1.js", ["/p/about", "/p/shop"]
        ),
        // The base is part of the routes, as in Docusaurus.
        (
            "[{path:\"/p/docs/intro\",component:d(\"/p/docs/intro\",\"1a\"),exact:!0},{path:\"/p/\",component:e},{path:\"/p\",component:e}]",
            "/p/assets/js/main.1.js", ["/p/docs/intro"]
        ),
        // Other objects with a path.
        ("f({path:\"/about\",expires:1});g({path:\"/b\",component:1})", "/js/a.js", []),
        ("[{path:\"/about\"+x,component:1},{path:y,component:1},{path:`/a${b}`,component:1}]", "/js/a.js", []),
        ("i={path:\"M10 20\",component:1};j={path:\"M1 2\",element:1}", "/js/a.js", []),
    ])
    func `a bundle has tables of routes`(script: String, path: String, expected: [String]) throws {
        #expect(try Self.routes(script, at: path) == expected)
    }

    @Test func `a manifest of React Router lists routes`() throws {
        let manifest = """
            window.__reactRouterManifest={"entry":{"module":"/p/assets/e.js"},"routes":{"root":{"id":"root","path":"","module":"/p/assets/r.js"},\
            "routes/about":{"id":"routes/about","parentId":"root","path":"about","module":"/p/assets/a.js"},\
            "routes/docs":{"id":"routes/docs","parentId":"root","path":"docs","module":"/p/assets/d.js"},\
            "routes/docs.api":{"id":"routes/docs.api","parentId":"routes/docs","path":"api","module":"/p/assets/b.js"},\
            "routes/p.$id":{"id":"routes/p.$id","parentId":"root","path":"p/:id","module":"/p/assets/p.js"}},"url":"/p/assets/manifest-1.js"};
            """
        let found = try Self.routes(manifest, at: "/p/assets/manifest-1.js", .reactRouter)
        #expect(found == ["/p/about", "/p/docs", "/p/docs/api"])
    }

    @Test func `at most 1,024 routes of a script are tried`() throws {
        let rows = (0..<2_000).map { "\"/r\($0)\":[2]" }.joined(separator: ",")
        let found = try Self.routes("dictionary={\(rows)}", at: "/_app/immutable/app.js")
        #expect(found.count == 1_024)
    }

    @Test func `cut tables of routes are read without a crash`() throws {
        let table =
            "dictionary={'/':[2],'/a':[~3,[1]]};[[/^\\/a\\.b\\/?$/,[1]]];x([{path:'/a',component:b,children:[{path:'c',element:d}]}])"
        try readEveryPrefix(.routes, of: table, at: "http://d.example/_app/immutable/app.js")
        try readEveryPrefix(.routes, of: table, at: "http://d.example/assets/app.js")
    }
}
