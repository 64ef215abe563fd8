import Testing

@testable import AFCDiscovery

struct NuxtRecipeTests {
    private static func page(_ data: String, head: String = "", app: String) -> String {
        """
        <head>\(head)</head><script type="application/json" data-nuxt-data="nuxt-app" data-ssr="true" id="__NUXT_DATA__">\
        \(data)</script><script>window.__NUXT__={};window.__NUXT__.config={public:{baseURL:"x"},app:{\(app)}}</script>
        """
    }
    private static let app = #"baseURL:"/b/",buildId:"8b9c-01ef",buildAssetsDir:"/_nuxt/",cdnURL:"""#
    private static let escaped = #"baseURL:"\u002F",buildId:"8b9c",buildAssetsDir:"\u002F_nuxt\u002F",cdnURL:"""#
    private static let cdn = #"baseURL:"/",buildId:"8b9c",buildAssetsDir:"/_nuxt/",cdnURL:"https://c.example/s""#
    private static let builds = [
        "http://d.example/b/_nuxt/builds/meta/8b9c-01ef.json", "http://d.example/b/_nuxt/builds/latest.json",
    ]
    private static let preload = "<link rel=preload as=fetch href=\"/b/p/_payload.json?8b9c-01ef\">"

    private static let script = """
        const a={nuxt:{buildId:"8b9c-01ef"}};function m(){const e=c().nuxt?.buildId;return $fetch(u(`builds/meta/${e}.json`))}
        """

    @Test(arguments: [
        (page("[{\"prerenderedAt\":1},1]", head: preload, app: app), builds),
        (page("[{\"prerenderedAt\":1},1]", app: app).replacing("\"true\"", with: "\"false\""), builds),
        (page("[{\"serverRendered\":1},true]", app: app), builds),
        (
            page("[{\"prerenderedAt\":1},1]", app: app),
            builds + [
                "http://d.example/b/p/_payload.json?_b=8b9c-01ef", "http://d.example/b/p/_payload.json?8b9c-01ef",
            ]
        ),
        (
            page("[]", app: escaped),
            ["http://d.example/_nuxt/builds/meta/8b9c.json", "http://d.example/_nuxt/builds/latest.json"]
        ),
        (
            page("[]", app: cdn),
            ["https://c.example/s/_nuxt/builds/meta/8b9c.json", "https://c.example/s/_nuxt/builds/latest.json"]
        ),
        (page("[]", app: app.replacing("8b9c-01ef", with: "../a")), []), (page("[]", app: "baseURL:\"/\""), []),
        (page("[]", app: app).replacing("__NUXT_DATA__", with: "x"), []),
    ])
    func `a page's configuration names the builds`(page: String, expected: [String]) throws {
        let found = try FoundByRecipes(.nuxt, in: page, "text/html", as: .document, at: "http://d.example/b/p/")
        #expect(found.guesses == expected)
        #expect(found.urls == [])
    }

    @Test(arguments: [
        (script, "/b/_nuxt/entry.0a1b2c3d.js", ["/b/_nuxt/builds/meta/8b9c-01ef.json", "/b/_nuxt/builds/latest.json"]),
        (script.replacing("builds/meta", with: "other/meta"), "/_nuxt/entry.js", []),
        (script.replacing("nuxt:", with: "other:"), "/_nuxt/entry.js", []), (script, "/assets/entry.js", []),
    ])
    func `a script with an ID names the builds`(script: String, path: String, expected: [String]) throws {
        let found = try FoundByRecipes(.nuxt, in: script, as: .module, at: "http://d.example" + path)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
    }

    private static let content = """
        const r=u==="/__nuxt_content/docs/sql_dump.txt"?1:0,s={docs:"v3.5.0--8wldNYNZO8wanYK2WLoJ-_",\
        "blog_2":"v3.5.0--tvppsTSA1ezXsK7cq"},t={docs:"8wldNYNZO8wanYK2WLoJ",v:"v1"};\
        function d(c,p){return $fetch(`/__nuxt_content/${c}/${p}`)}d(x,"sql_dump.txt")
        """

    @Test func `a script of Nuxt Content names the dumps of its collections`() throws {
        let url = "http://d.example/b/_nuxt/a.js"
        let found = try FoundByRecipes(.nuxt, in: Self.content, as: .module, at: url)
        let root = "http://d.example/b/__nuxt_content/"
        #expect(found.urls == ["\(root)docs/sql_dump.txt?v=v3.5.0--8wldNYNZO8wanYK2WLoJ-_"])
        #expect(found.guesses == ["\(root)blog_2/sql_dump.txt?v=v3.5.0--tvppsTSA1ezXsK7cq"])
        let old = Self.content.replacing("sql_dump.txt", with: "sql_dump")
        let oldFound = try FoundByRecipes(.nuxt, in: old, as: .module, at: url)
        #expect(oldFound.urls == ["\(root)docs/sql_dump?v=v3.5.0--8wldNYNZO8wanYK2WLoJ-_"])
        let other = Self.content.replacing("`/__nuxt", with: "`/_nuxt")
        #expect(try FoundByRecipes(.nuxt, in: other, as: .module, at: url).urls == [])
    }

    @Test func `a cut page is read without a crash`() throws {
        let page = Array(Self.page("[{\"prerenderedAt\":1},1]", app: Self.escaped).utf8)
        for end in page.indices {
            _ = try FoundByRecipes(.nuxt, in: Array(page[..<end]), "text/html", as: .document, at: "http://d.example/")
        }
        let script = Array((Self.script + Self.content).utf8)
        for end in script.indices {
            let url = "http://d.example/_nuxt/a.js"
            _ = try FoundByRecipes(.nuxt, in: Array(script[..<end]), as: .module, at: url)
        }
    }
}
