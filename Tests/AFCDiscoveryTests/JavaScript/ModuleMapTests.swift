import AFCURL
import TestSupport
import Testing

@testable import AFCDiscovery

struct ModuleMapTests {
    private func read(_ text: String, at path: String, as type: String = "text/html") throws -> DiscoveredReferences {
        ReferenceExtractor.references(
            in: Array(text.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL("http://d.example" + path),
            destination: type == "text/html" ? .document : .module
        )
    }

    private static let map = """
        {"imports": {"three": "../build/three.js", "three/addons/": "./jsm/", "three/addons/near.js": "./far.js",
        "three/addons/fonts/": "/fonts/", "cdn/": "https://cdn.example/", "./a.js": "./b.js", "odd/": "./odd"},
        "scopes": {"./jsm/": {"three": "./old.js", "part/": "./parts/"}, "/one.js": {"three": "/one-three.js"}}}
        """

    /// HTML §8.1.6.2: the importing module, the name, and its address.
    static let names: [(String, String, String?)] = [
        ("/x/app.js", "three", "http://d.example/build/three.js"),
        ("/x/app.js", "three/addons/controls/Orbit.js", "http://d.example/demo/jsm/controls/Orbit.js"),
        ("/x/app.js", "three/addons/near.js", "http://d.example/demo/far.js"),
        ("/x/app.js", "three/addons/fonts/a.json", "http://d.example/fonts/a.json"),
        ("/x/app.js", "cdn/x@1/y.js", "https://cdn.example/x@1/y.js"),
        ("/x/app.js", "part/a.js", nil), ("/x/app.js", "four", nil), ("/x/app.js", "odd/a.js", nil),
        ("/x/app.js", "three/addons/../../a.js", nil),
        ("/demo/jsm/a.js", "three", "http://d.example/demo/old.js"),
        ("/demo/jsm/a.js", "part/a.js", "http://d.example/demo/parts/a.js"),
        ("/demo/jsm/a.js", "three/addons/b.js", "http://d.example/demo/jsm/b.js"),
        ("/one.js", "three", "http://d.example/one-three.js"),
    ]

    @Test(arguments: names)
    func `a name has the address of the most specific entry`(module: String, name: String, expected: String?) throws {
        let page = try read("<script type=importmap>\(Self.map)</script>", at: "/demo/")
        let map = try #require(page.moduleMap)
        #expect(map.resolve(name, in: try WebURL("http://d.example" + module))?.description == expected)
        #expect(ModuleMap(map.entries) == map)
    }

    @Test func `the page's base counts, and the first of two maps`() throws {
        let text = """
            <base href=/b/><script type=importmap>{"imports": {"a/": "./one/"}}</script>
            <script type=importmap>{"imports": {"a/": "./two/", "c/": "./three/"}}</script>
            """
        let map = try #require(try read(text, at: "/demo/").moduleMap)
        let module = try WebURL("http://d.example/m.js")
        #expect(map.resolve("a/x.js", in: module)?.path == "/b/one/x.js")
        #expect(map.resolve("c/x.js", in: module)?.path == "/b/three/x.js")
        #expect(try read("<p>", at: "/").moduleMap == nil)
    }

    @Test func `a module's names are kept, and its addresses are references`() throws {
        let text = """
            import {A} from 'three/addons/a.js'; import './b.js'; export * from 'three'; import 'https://x.example/c.js';
            const f = () => import('three'); const g = () => import('late'); import 'a name'; require('four');
            """
        let found = try read(text, at: "/m.js", as: "text/javascript")
        #expect(
            found.moduleNames == [
                ModuleName("three/addons/a.js", loads: .module, isConditional: false),
                ModuleName("three", loads: .module, isConditional: false),
                ModuleName("late", loads: .module, isConditional: true),
            ]
        )
        #expect(found.references.map(\.url.description) == ["http://d.example/b.js", "https://x.example/c.js"])
    }
}
