import AFCURL
import Testing

@testable import AFCDiscovery

struct ViteRecipeTests {
    private static let current = """
        const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/Page-CwvqX1sN.js","assets/Page-D8b4DHJx.css"])))\
        =>i.map(i=>d[i]);
        import{v}from"./vendor-aB3dE5gH.js";v(()=>import("./Page-CwvqX1sN.js"),__vite__mapDeps([0,1]));
        """
    private static let relative = """
        const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["../nodes/0.Bx.js","../assets/0.Cd.css","./a.css"])))\
        =>i.map(i=>d[i]);
        """
    private static let release52 = """
        const __vite__fileDeps=["js/p.js","css/p.css"],__vite__mapDeps=i=>i.map(i=>__vite__fileDeps[i]);
        e(()=>import("../js/p.js"),__vite__mapDeps([0,1]))
        """
    private static let release51 = """
        function __vite__mapDeps(indexes) {
          if (!__vite__mapDeps.viteFileDeps) {
            __vite__mapDeps.viteFileDeps = ["assets/p-1a.js","assets/p-2b.css"]
          }
          return indexes.map((i) => __vite__mapDeps.viteFileDeps[i])
        }
        e(()=>import("./p-1a.js"),__vite__mapDeps([0,1]))
        """
    private static let release50 = """
        import{e}from"./e.js";e(()=>import("./p-1a.js"),__vite__mapDeps([0,1]));
        \(String(repeating: "/* a long script */", count: 400))
        function __vite__mapDeps(indexes) {
          if (!__vite__mapDeps.viteFileDeps) {
            __vite__mapDeps.viteFileDeps = ["assets/p-1a.js","assets/p-2b.css"]
          }
          return indexes.map((i) => __vite__mapDeps.viteFileDeps[i])
        }
        """
    private static let release2 = """
        const r=[{component:()=>p(()=>import("./Home.0a1b2c3d.js"),["assets/Home.0a1b2c3d.js","assets/Home.4e5f6a7b.css"])},\
        {component:()=>p(()=>import("./About.8c9d0e1f.js").then(e=>e.a),["assets/About.8c9d0e1f.js",\
        "assets/Home.4e5f6a7b.css","assets/About.2a3b4c5d.css"])},x(1,["a.txt"]),y(["assets/z.css"])];
        """
    private static let release3 = """
        p(()=>import("./Home.0a1b2c3d.js"),["./Home.0a1b2c3d.js","./Home.4e5f6a7b.css"],import.meta.url)
        """
    private static let computed = """
        const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./p.js",window.cdn("assets/p.css"),"https://c.example/q.css"\
        ,"/r.css"])))=>i.map(i=>d[i]);
        """

    @Test(arguments: [
        (current, "assets/index-Ab1.js", ["assets/Page-CwvqX1sN.js", "assets/Page-D8b4DHJx.css"]),
        (
            relative, "_app/immutable/entry/app.js",
            [
                "_app/immutable/nodes/0.Bx.js", "_app/immutable/assets/0.Cd.css", "_app/immutable/entry/a.css",
            ]
        ),
        (release52, "js/index.js", ["js/p.js", "css/p.css"]), (release52, "main/index.js", ["js/p.js", "css/p.css"]),
        (release51, "assets/index.js", ["assets/p-1a.js", "assets/p-2b.css"]),
        (release50, "assets/index.js", ["assets/p-1a.js", "assets/p-2b.css"]),
        (
            release2, "assets/index.js",
            [
                "assets/Home.0a1b2c3d.js", "assets/Home.4e5f6a7b.css", "assets/About.8c9d0e1f.js",
                "assets/About.2a3b4c5d.css",
            ]
        ),
        (release3, "assets/index.js", ["assets/Home.0a1b2c3d.js", "assets/Home.4e5f6a7b.css"]),
        ("#!/usr/bin/env x\n" + current, "assets/i.js", ["assets/Page-CwvqX1sN.js", "assets/Page-D8b4DHJx.css"]),
    ])
    func `tables of every release name scripts and style sheets`(script: String, path: String, expected: [String])
        throws
    {
        let found = try FoundByRecipes(.vite, in: script, as: .module, at: "http://d.example/base/" + path)
        #expect(found.urls == expected.map { "http://d.example/base/" + $0 })
        #expect(found.guesses == [])
        #expect(found.loads.allSatisfy { $1 == ($0.hasSuffix(".css") ? .style : .module) })
    }

    @Test func `an address of another origin is kept and a computed one is left out`() throws {
        let found = try FoundByRecipes(.vite, in: Self.computed, as: .module, at: "http://d.example/s/i.js")
        #expect(found.urls == ["http://d.example/s/p.js", "https://c.example/q.css", "http://d.example/r.css"])
    }

    @Test(arguments: [
        // No import and no folder tells the base.
        "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[\"x/a.js\",\"x/a.css\"])))=>i.map(i=>d[i])",
        "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[\"a.css\"])))=>i.map(i=>d[i])",
    ])
    func `a table without a known base is left out`(script: String) throws {
        #expect(try FoundByRecipes(.vite, in: script, as: .module, at: "http://d.example/assets/i.js").urls == [])
    }

    @Test func `a classic script has no table`() throws {
        #expect(try FoundByRecipes(.vite, in: Self.current, at: "http://d.example/assets/i.js").urls == [])
    }

    @Test(arguments: [
        ("const a=\"/b/assets/logo-BxK2m0vQ.svg\"", "/b/assets/index-C1d2E3f4.js", ["/b/assets/logo-BxK2m0vQ.svg"]),
        ("const a='/assets/a.0a1b2c3d.woff2'", "/assets/index.01234567.js", ["/assets/a.0a1b2c3d.woff2"]),
        ("h(`<img src=\"/b/assets/x.0a1b2c3d.png\">`)", "/b/assets/chunks/t.01234567.js", ["/b/assets/x.0a1b2c3d.png"]),
        ("h(\"<img src=\\\"/a/x.0a1b2c3d.png\\\">\")", "/a/t.01234567.js", ["/a/x.0a1b2c3d.png"]),
        (
            "x=\"/_app/immutable/assets/x.0a1b2c3d.png\"", "/_app/immutable/nodes/0.01234567.js",
            ["/_app/immutable/assets/x.0a1b2c3d.png"]
        ),
        ("a=\"/_nuxt/l.Dq7Rk2Xa.svg\"", "/_nuxt/DyX3kq0b.js", ["/_nuxt/l.Dq7Rk2Xa.svg"]),
        ("a=\"/js/l.Dq7Rk2Xa.svg\"", "/js/DyX3kq0b.js", []),
        ("a=\"/assets/logo.svg\"", "/assets/index-C1d2E3f4.js", []),
        ("a=b+\"x/assets/logo-BxK2m0vQ.svg\"", "/assets/index-C1d2E3f4.js", []),
        ("a=`${b}/assets/logo-BxK2m0vQ.svg`", "/assets/index-C1d2E3f4.js", []),
        ("a=\"/assets/w-BxK2m0vQ.js\"", "/assets/index-C1d2E3f4.js", []),
        ("a=\"/assets/logo-BxK2m0vQ.svg\"", "/assets/index.js", []),
        ("a=\"/logo-BxK2m0vQ.svg\"", "/index-C1d2E3f4.js", []), ("a=\"/assets/", "/assets/index-C1d2E3f4.js", []),
    ])
    func `literals with a hash name assets`(script: String, path: String, expected: [String]) throws {
        let found = try FoundByRecipes(.vite, in: script, as: .module, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
    }

    @Test(arguments: [
        ("a=\"/b/img/Logo.PNG\"", "/b/assets/index-C1d2E3f4.js", ["/b/img/Logo.PNG"]),
        ("a='/logo.svg',b=`/x/y.webp`", "/assets/index-C1d2E3f4.js", ["/logo.svg", "/x/y.webp"]),
        ("a=\"/b/favicon.png\"", "/b/_app/immutable/nodes/0.01234567.js", ["/b/favicon.png"]),
        ("a=\"/assets/logo.svg\"", "/assets/index-C1d2E3f4.js", ["/assets/logo.svg"]),
        ("a=\"/img/logo.png\"", "/b/assets/index-C1d2E3f4.js", []),
        ("a=\"/logo.png?\"+x,b=\"/logo.png\\n\"", "/assets/index-C1d2E3f4.js", []),
        ("a=\"//c.example/logo.png\"", "/assets/index-C1d2E3f4.js", []),
        ("a=`/x/${b}.png`,c=\"/.png\",d=\"/a/\"+e+\".png\"", "/assets/index-C1d2E3f4.js", []),
        ("a=\"/page.html\",b=\"/api.json\",c=\"/logo.png", "/assets/index-C1d2E3f4.js", []),
    ])
    func `literals without a hash are guesses`(script: String, path: String, expected: [String]) throws {
        let found = try FoundByRecipes(.vite, in: script, as: .module, at: "http://d.example" + path)
        #expect(found.guesses == expected.map { "http://d.example" + $0 })
        #expect(found.urls == [])
    }

    @Test func `a cut script is read without a crash`() throws {
        for text in [Self.current, Self.relative, Self.release52, Self.release51, Self.release2, Self.computed] {
            let bytes = Array(text.utf8)
            for end in bytes.indices {
                _ = try FoundByRecipes(
                    .vite,
                    in: Array(bytes[..<end]),
                    as: .module,
                    at: "http://d.example/a/i-01234567.js"
                )
            }
        }
    }

    #if DEBUG || COUNTING
    @Test(arguments: [
        "[", ",[\"", ",[\"a.js\",", ",[\"a.js\"],", "(", "import(\"./", "import('./a.js'),", "/", "//", "/a/",
        "/a/x-01234567.js",
        "\"", "`", "`${", "'", "\\", "\n", "\"a/b.css\",", "\"b.css\"\n", "_", "__vite__mapDeps=(", "viteFileDeps[i]",
    ])
    func `twice the script costs twice as much`(part: String) throws {
        let url = try WebURL("http://d.example/a/i-01234567.js")
        for head in ["", "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[", "/a"] {
            func steps(_ count: Int) -> Int {
                var steps = 0
                withUnsafeMutablePointer(to: &steps) { counter in
                    Array((head + String(repeating: part, count: count)).utf8).withUnsafeBufferPointer { buffer in
                        var text = ScanBuffer(buffer)
                        text.steps = counter
                        var found = RecipeReferences(.vite)
                        ViteRecipe.read(RecipeScript(text: text, url: url, goal: .module), into: &found)
                    }
                }
                return steps
            }
            let (once, twice) = (steps(2000), steps(4000))
            #expect(twice <= 2 * once + 65_536, "\(head)\(part)")
        }
    }
    #endif
}
