import Testing

@testable import AFCDiscovery

struct VitePressRecipeTests {
    private static let current = #"""
        <!DOCTYPE html><html><head><meta name="generator" content="VitePress v1.6.4">
        <link rel="modulepreload" href="/docs/assets/chunks/theme.BDf1aXpZ.js">
        <link rel="modulepreload" href="/docs/assets/api_readFile.md.C5kLm2aQ.lean.js">
        <script type="module" src="/docs/assets/app.DqS1QZKa.js"></script></head><body>
        <script>window.__VP_HASH_MAP__=JSON.parse("{\"api_readfile.md\":\"C5kLm2aQ\",\"index.md\":\"B1cD2eF3\"}");\#
        window.__VP_SITE_DATA__=JSON.parse("{\"lang\":\"en-US\",\"title\":\"A\",\"base\":\"/docs/\",\"head\":[]}");</script>
        """#
    private static let old = """
        <link rel="modulepreload" href="/assets/guide_index.md.0a1b2c3d.lean.js">
        <link rel="modulepreload" href="/assets/guide_index.lean.js"><script type="module" src="/assets/x.lean.js"></script>
        """
    private static let metadata = #"""
        window.__VP_HASH_MAP__=JSON.parse("{\"index.md\":\"B1cD2eF3\"}");window.__VP_SITE_DATA__=\#
        JSON.parse("{\"lang\":\"de\",\"base\":\"/d/\"}");
        """#

    @Test(arguments: [
        (current, ["/docs/assets/api_readFile.md.C5kLm2aQ.js", "/docs/hashmap.json"]),
        (
            current.replacing("rel=\"modulepreload\"", with: "rel=\"prefetch\""),
            ["/docs/assets/api_readFile.md.C5kLm2aQ.js", "/docs/hashmap.json"]
        ),
        (old, ["/assets/guide_index.md.0a1b2c3d.js"]),
        ("<meta name=generator content='VitePress v2.0.0'><script>x</script>", []),
        ("<script type=module src=/assets/app.01234567.js></script>", []),
    ])
    func `a page names its full script`(page: String, expected: [String]) throws {
        let found = try FoundByRecipes(.vitePress, in: page, "text/html", as: .document, at: "http://d.example/docs/a")
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
        #expect(found.urls.first.map { found.loads[$0] == .module } ?? true)
    }

    @Test(arguments: [("metadata.0a1b2c3d.js", ["http://d.example/d/hashmap.json"]), ("other.0a1b2c3d.js", [])])
    func `the metadata's script has the base`(name: String, expected: [String]) throws {
        let url = "http://d.example/d/assets/chunks/" + name
        #expect(try FoundByRecipes(.vitePress, in: Self.metadata, as: .module, at: url).urls == expected)
    }

    @Test func `a cut page is read without a crash`() throws {
        let page = Array(Self.current.utf8)
        for end in page.indices {
            _ = try FoundByRecipes(
                .vitePress,
                in: Array(page[..<end]),
                "text/html",
                as: .document,
                at: "http://d.example/"
            )
        }
        let script = Array(Self.metadata.utf8)
        for end in script.indices {
            let url = "http://d.example/metadata.0a.js"
            _ = try FoundByRecipes(.vitePress, in: Array(script[..<end]), as: .module, at: url)
        }
    }
}
