import AFCURL
import Testing

@testable import AFCDiscovery

struct RecipeTableTests {
    private static func table(_ rows: String) throws -> RecipeTable {
        var table = RecipeTable.builtIn
        try table.add(Array("{\"version\":1,\"recipes\":[\(rows)]}".utf8))
        return table
    }

    /// What one row finds.
    private static func found(
        _ row: String,
        in text: String,
        _ type: String = "text/javascript",
        as destination: Destination? = .script,
        at path: String
    ) throws -> FoundByRecipes {
        let table = try table(#"{"name":"x","# + row + "}")
        return try FoundByRecipes(
            Recipe("x"),
            in: text,
            type,
            as: destination,
            at: "http://d.example" + path,
            table: table
        )
    }

    // MARK: Rows

    @Test(arguments: [
        (#""in":"script","file":"a.js","add":"b.json""#, "x", ["/s/b.json"]),
        (#""in":"script","file":["c.js","s/*.js"],"add":["b","c"]"#, "x", ["/s/b", "/s/c"]),
        (#""in":"script","file":"t/a.js","add":"b.json""#, "x", []),
        (#""in":"script","file":"a.js","text":["one","two"],"add":"b""#, "two one", ["/s/b"]),
        (#""in":"script","file":"a.js","text":["one","two"],"add":"b""#, "one", []),
        (#""in":"script","file":"a.js","unlessText":"one","add":"b""#, "one", []),
        // Strings behind a text, without regard to white space.
        (
            #""in":"script","file":"a.js","read":{"after":"f(a, "},"add":"{}.x""#, "f( a,\n'b'),gf(a,'c'),f(a,d)",
            ["/s/b.x"]
        ),
        (
            #""in":"script","file":"a.js","read":{"after":"base:"},"base":"host","add":"{}""#, "base:\"b\\u0041\"",
            ["/bA"]
        ),
        (#""in":"script","file":"a.js","read":{"after":"v=","until":";"},"add":"{}""#, "v=one;v=two", ["/s/one"]),
        (
            #""in":"script","file":"a.js","read":{"after":["v=","w="],"until":";"},"add":"{}""#, "w=one;v= two ;",
            ["/s/two", "/s/one"]
        ),
        (
            #""in":"script","file":"a.js","read":{"strings":true},"ends":".json","without":"no","add":"{}""#,
            "f('a.json?x');// 'b.json'\n'no.json'", ["/s/a.json?x"]
        ),
        (
            #""in":"script","file":"a.js","read":{"strings":true},"starts":["a","b"],"contains":"/","cut":".HTML","add":"{}.md""#,
            "['a/c.html','b.html','c/d.html','a/e.js']", ["/s/a/c.md"]
        ),
        (
            #""in":"script","file":"a.js","read":{"strings":true},"base":"folder","add":"{}""#, "'/x.json'",
            ["/s/x.json"]
        ),
        // JSON within a script.
        (
            #""in":"script","file":"a.js","read":{"json":"f.*.n","from":"/*start*/"},"add":"{}""#,
            "c(/*start*/{\"f\":[{\"n\":\"b\"},{\"m\":\"c\"}]}/*end*/)", ["/s/b"]
        ),
        (#""in":"script","file":"a.js","read":{"json":"f","from":"j="},"add":"{}""#, "j={\"f\":\"b\",}", []),
    ])
    func `a row reads scripts`(row: String, script: String, expected: [String]) throws {
        let found = try Self.found(row, in: script, at: "/s/a.js")
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == [])
    }

    @Test(arguments: [
        (#""read":{"json":"*"},"add":"{}""#, #"["a","b",{"c":"d"}]"#, ["/d/a", "/d/b"]),
        (#""read":{"json":""},"add":"{}""#, #""a""#, ["/d/a"]),
        (#""read":{"json":["a.b","*"]},"add":"{1}/{}""#, #"{"a.b":{"c":"d","e":["f"]},"a":{"b":"g"}}"#, ["/d/c/d"]),
        (#""read":{"keys":"a.*"},"add":"{1}/{}""#, #"{"a":{"b":{"c":1,"d":{}},"e":[]},"f":{}}"#, ["/d/b/c", "/d/b/d"]),
        (
            #""read":{"objects":"*"},"where":{"t":"x"},"add":"{.n}/{.m}""#,
            #"[{"n":"a","m":"b","t":"x"},{"n":"c","t":"x"},{"n":"d","m":"e","t":"y"}]"#, ["/d/a/b"]
        ),
        (#""read":{"keys":"a"},"add":"{}""#, #"{"a":{"b":1}"#, []),
        (
            #""read":{"markdown":true},"add":"{}""#,
            "[a](b.md#c) ![d]( e.png \"t\")\n[f]: g/h.md\n[i](http://x/) [j](#k)", ["/d/b.md", "/d/e.png", "/d/g/h.md"]
        ),
    ])
    func `a row reads data`(row: String, text: String, expected: [String]) throws {
        let found = try Self.found(
            #""in":"data","file":"x.json","# + row,
            in: text,
            "application/json",
            as: .other,
            at: "/d/x.json"
        )
        #expect(found.urls == expected.map { "http://d.example" + $0 })
    }

    @Test(arguments: [
        (#""loads":"js/app.js","add":"b""#, "<script src=/x/js/app.js?v=1></script>", ["/p/b"]),
        (#""loads":"app.css","add":"b""#, "<a href=app.css>x</a>", []),
        (
            #""loads":"app*.css","read":{"loads":"app*.css"},"add":"{}data{*}.json{query}""#,
            "<link rel=stylesheet href=../t/app.3.css?v=1#x>", ["/t/data.3.json?v=1"]
        ),
        (#""generator":"Tool","add":"b""#, "<meta name=generator content='Tool 1.2'>", ["/p/b"]),
        (#""generator":"Tool","add":"b""#, "<meta name=generator content='A Tool'>", []),
        (
            #""inline":"start(","read":{"after":"start("},"add":"{}""#,
            "<base href=/q/><script>start('b')</script>start('c')", ["/q/b"]
        ),
        (#""inline":"start(","add":"b""#, "start(", []), (#""text":"start(","add":"b""#, "start(", ["/p/b"]),
        (
            #""element":"c","read":{"json":"a"},"add":"{}""#,
            "<script id=c type=application/json>{\"a\":\"b\"}</script>", ["/p/b"]
        ),
        (
            #""text":"data-i","read":{"attribute":"data-i"},"add":"{}""#,
            "<p data-index=a><p class=c data-i=\"b&amp;c\">", ["/p/b&c"]
        ),
        (
            #""text":"m","read":{"meta":"a:b"},"add":"{}""#,
            "<meta name=a:bc content=x><meta property='a:b' content=y>", ["/p/y"]
        ),
    ])
    func `a row reads pages`(row: String, page: String, expected: [String]) throws {
        let found = try Self.found(#""in":"page","# + row, in: page, "text/html", as: .document, at: "/p/")
        #expect(found.urls == expected.map { "http://d.example" + $0 })
    }

    @Test func `a row says what an address is`() throws {
        let rows = """
            {"name":"x","in":"script","file":"a.js","add":"g","guess":true,"as":"image"},
            {"name":"x","in":"script","file":"a.js","add":"l","link":true,"as":"document"},
            {"name":"x","in":"script","file":"a.js","add":"r","as":"style"}
            """
        let result = ReferenceExtractor.references(
            in: Array("x".utf8),
            mediaType: "text/javascript",
            charset: nil,
            url: try WebURL("http://d.example/a.js"),
            destination: .script,
            recipes: try Self.table(rows)
        )
        let found = result.references.map(\.reference)
        #expect(found.map(\.text) == ["g", "l", "r"])
        #expect(found.map(\.loads) == [.image, .document, .style])
        #expect(found.map(\.kind) == [.requisite, .link, .requisite])
        #expect(found.map(\.isGuess) == [true, false, false])
        #expect(found.allSatisfy { $0.recipe == Recipe("x") && $0.attribute == "x" })
    }

    @Test func `values and guesses are bounded`() throws {
        let strings = (0..<20_000).map { "'a\($0)'" }.joined(separator: ",")
        let row = #""in":"script","file":"a.js","read":{"strings":true},"add":"{}""#
        #expect(try Self.found(row, in: strings, at: "/a.js").urls.count == 10_000)
        #expect(try Self.found(row + #","guess":true"#, in: strings, at: "/a.js").guesses.count == 64)
        #expect(try Self.found(row + #","guess":true,"limit":100"#, in: strings, at: "/a.js").guesses.count == 100)
    }

    // MARK: Errors

    @Test(arguments: [
        ("[]", 1, "the table must be an object with 'version' and 'recipes'"),
        ("{\"recipes\":[]}", 1, "'version' is missing; add \"version\": 1"),
        ("{\"version\":2,\"recipes\":[]}", 1, "this program knows version 1 of recipes only"),
        ("{\"version\":1}", 1, "'recipes' is missing, or no list"),
        ("{\"version\":1,\n\"rows\":[]}", 2, "unknown key 'rows'; a table has 'version' and 'recipes'"),
        (
            "{\"version\":1,\n\n\"recipes\":[,]}", 3,
            "this is not JSON; check quotes, commas and brackets before this place"
        ),
        ("{\"version\":1,\n\"version\":1}", 2, "the key 'version' occurs twice; remove one"),
    ])
    func `a malformed table is refused with its line`(file: String, line: Int, message: String) throws {
        var table = RecipeTable.builtIn
        let error = #expect(throws: RecipeTableError.self) { try table.add(Array(file.utf8)) }
        #expect(error?.line == line)
        #expect(error?.message == message)
        #expect(table.added.isEmpty)
    }

    @Test(arguments: [
        (#"3"#, "a recipe must be an object"),
        (#"{"in":"page"}"#, "'name' is missing; reports show it"),
        (#"{"name":"A b"}"#, "'name' must have at most 32 characters: a to z, digits and '-'"),
        (#"{"name":"a"}"#, "'in' is missing; it is 'page', 'script' or 'data'"),
        (#"{"name":"a","in":"css"}"#, "'in' can't be 'css'; it is one of 'page', 'script', 'data'"),
        (
            #"{"name":"a","in":"script","file":"a.js"}"#,
            "'add' is missing; it lists the addresses that follow, for example \"{}index.json\""
        ),
        (
            #"{"name":"a","in":"script","add":"b"}"#,
            "'file' is missing; it says which files are meant, for example \"search.js\""
        ),
        (
            #"{"name":"a","in":"page","add":"b"}"#,
            "nothing says which pages are meant; add 'generator', 'loads', 'element', 'inline' or 'text'"
        ),
        (
            #"{"name":"a","in":"page","file":"b","add":"b"}"#,
            "'file' is for scripts and data; a page has 'generator', 'loads', 'element' or 'inline'"
        ),
        (
            #"{"name":"a","in":"data","file":"b","inline":"c","add":"b"}"#,
            "'generator', 'loads', 'element' and 'inline' are for pages; use 'text'"
        ),
        (
            #"{"name":"a","in":"data","file":"*b*","add":"b"}"#,
            "\"*b*\" is no pattern for the end of a path; it has no empty segments and one '*' in each at most"
        ),
        (
            #"{"name":"a","in":"data","file":"b","add":"{x}"}"#,
            "\"{x}\" has an unknown place; places are {}, {1} to {4}, {.member}, {query} and {*}"
        ),
        (#"{"name":"a","in":"data","file":"b","add":"{}"}"#, "\"{}\": there is no value without 'read'; remove {}"),
        (
            #"{"name":"a","in":"data","file":"b","read":{"json":"a.*"},"add":"{2}"}"#,
            "\"{2}\": the path has too few '*' for {2}"
        ),
        (
            #"{"name":"a","in":"data","file":"b","read":{"json":"a..b"},"add":"{}"}"#,
            "'json' must be a path such as \"files.*.name\", with at most 16 names"
        ),
        (#"{"name":"a","in":"data","file":"b","read":{"meta":"a"},"add":"{}"}"#, "'meta' is for pages"),
        (
            #"{"name":"a","in":"data","file":"b","read":{"json":"a","after":"b"},"add":"{}"}"#,
            "'read' must have one of after, strings, attribute, meta, json, keys, objects, loads, markdown"
        ),
        (
            #"{"name":"a","in":"data","file":"b","add":"b","as":"picture"}"#,
            "'as' can't be 'picture'; it is one of 'document', 'style', 'script', 'module', 'image', 'media', 'font', 'manifest', 'sitemap', 'feed', 'rendition', 'segment', 'other'"
        ),
        (#"{"name":"a","in":"data","file":"b","add":"b","guess":1}"#, "'guess' must be true or false"),
        (#"{"name":"a","in":"data","file":"b","add":"b","limit":7}"#, "'limit' is for guesses; add \"guess\": true"),
        (
            #"{"name":"a","in":"data","file":"b","add":"b","guess":true,"link":true}"#,
            "a recipe is either a guess or a link; a guess 'as' a document is followed, too"
        ),
        (#"{"name":"a","in":"data","file":"","add":"b"}"#, "'file' must have 1 to 512 bytes"),
    ])
    func `a malformed recipe is refused with a remedy`(row: String, message: String) throws {
        let error = #expect(throws: RecipeTableError.self) { _ = try Self.table("\n" + row) }
        #expect(error?.line == 2)
        #expect(error?.message == message)
    }

    @Test func `an unknown key is refused with the known ones`() throws {
        let error = #expect(throws: RecipeTableError.self) { _ = try Self.table(#"{"nam":"a"}"#) }
        #expect(error?.message.hasPrefix("unknown key 'nam'; a recipe has name, in, file") == true)
    }

    @Test func `too many recipes are refused`() throws {
        let row = #"{"name":"a","in":"data","file":"b","add":"c"}"#
        _ = try Self.table(Array(repeating: row, count: 1_000).joined(separator: ","))
        #expect(throws: RecipeTableError.self) {
            _ = try Self.table(Array(repeating: row, count: 1_001).joined(separator: ","))
        }
        var table = try Self.table(Array(repeating: row, count: 600).joined(separator: ","))
        let more = Array(repeating: row, count: 600).joined(separator: ",")
        #expect(throws: RecipeTableError.self) { try table.add(Array("{\"version\":1,\"recipes\":[\(more)]}".utf8)) }
    }

    @Test func `every cut of a file is refused without a crash`() throws {
        let file = Array(
            #"{"version":1,"recipes":[{"name":"a","in":"data","file":["b"],"read":{"json":"a.*","from":"x"},"add":"{1}"}]}"#
                .utf8
        )
        for count in 0..<file.count {
            var table = RecipeTable.builtIn
            #expect(throws: RecipeTableError.self) { try table.add(Array(file[..<count])) }
        }
    }

    // MARK: Kinds

    /// Texts of sites of the kinds that only rows know, and what these find.
    private static let kinds: [(name: String, path: String, text: String, expected: [String], guesses: [String])] = [
        (
            "flutter", "/app/flutter_bootstrap.js",
            #"_flutter.buildConfig = {"builds":[{"compileTarget":"dart2js","renderer":"canvaskit","mainJsPath":"main.dart.js"}]};"#,
            ["/app/main.dart.js"],
            [
                "/app/flutter_service_worker.js", "/app/assets/AssetManifest.json",
                "/app/assets/AssetManifest.bin.json", "/app/assets/FontManifest.json",
            ]
        ),
        (
            "flutter", "/assets/AssetManifest.json", #"{"assets/a.png":["assets/a.png","assets/2.0x/a.png"]}"#,
            ["/assets/assets/a.png", "/assets/assets/2.0x/a.png"], []
        ),
        // Made with Python's struct and base64: a map of two assets, of which one has a variant for another density.
        (
            "flutter", "/assets/AssetManifest.bin.json",
            #""DQIHDGFzc2V0cy9hLnBuZwwCDQEHBWFzc2V0Bwxhc3NldHMvYS5wbmcNAgcFYXNzZXQHEWFzc2V0cy8yLjB4L2EucG5nBwNkcHIGAAAAAAAAAAAAAAAAQAcNZm9udHMvYiBjLnR0ZgwBDQEHBWFzc2V0Bw1mb250cy9iIGMudHRm""#,
            ["/assets/assets/a.png", "/assets/assets/2.0x/a.png", "/assets/fonts/b%20c.ttf"], []
        ),
        (
            "flutter", "/b/AssetManifest.bin.json", #""DQIHDGFzc2V0cy9hLnBuZwwCDQEHBWFzc2V0Bwxhc3NldHMvYS5wbg==""#,
            ["/b/assets/a.png"], []
        ),
        ("flutter", "/b/AssetManifest.bin.json", #""DQH/////fw==""#, [], []),
        (
            "flutter", "/assets/FontManifest.json",
            #"[{"family":"MaterialIcons","fonts":[{"asset":"fonts/MaterialIcons-Regular.otf"}]}]"#,
            ["/assets/fonts/MaterialIcons-Regular.otf"], []
        ),
        (
            "systemjs", "/app/src/import-map.json",
            #"{"imports":{"cc":"./../cocos-js/cc.js","lib/":"./lib/"},"scopes":{"/x/":{"a":"../y/a.mjs"}}}"#,
            ["/app/cocos-js/cc.js", "/app/y/a.mjs"], []
        ),
        (
            "blazor", "/_framework/blazor.webassembly.js", "x", [],
            ["/_framework/blazor.boot.json", "/sample-data/weather.json"]
        ),
        (
            "unity", "/Build/w.json",
            "{\"dataUrl\":\"w.data\",\"wasmCodeUrl\":\"w.code\",\"wasmFrameworkUrl\":\"w.js\",\"x\":\"y\"}",
            ["/Build/w.data", "/Build/w.code", "/Build/w.js"], []
        ),
        (
            "blazor", "/_framework/blazor.boot.json",
            #"{"config":["appsettings.json"],"resources":{"assembly":{"A.wasm":"sha256-1"},"runtime":{"dotnet.js":"2"},"pdb":{"A.pdb":"3"},"satelliteResources":{"de":{"A.resources.wasm":"4"}}}}"#,
            ["/_framework/A.wasm", "/_framework/dotnet.js", "/_framework/de/A.resources.wasm"], ["/appsettings.json"]
        ),
        (
            "blazor", "/_framework/blazor.boot.json",
            #"{"resources":{"assembly":{"A.dll":"1"},"runtime":{"dotnet.3.2.0.js":"2","dotnet.wasm":"3"}}}"#,
            ["/_framework/_bin/A.dll", "/_framework/wasm/dotnet.3.2.0.js", "/_framework/wasm/dotnet.wasm"], []
        ),
        (
            "blazor", "/_framework/dotnet.a1b2.js",
            #"ft.withConfig(/*json-start*/{"resources":{"hash":"1","jsModuleNative":[{"name":"dotnet.native.r6.js"}],"assembly":[{"virtualPath":"A.wasm","name":"A.x1.wasm"}],"corePdb":[{"name":"A.pdb"}],"satelliteResources":{"de":[{"name":"A.resources.y2.wasm"}]}}}/*json-end*/)"#,
            ["/_framework/dotnet.native.r6.js", "/_framework/A.x1.wasm", "/_framework/de/A.resources.y2.wasm"], []
        ),
        (
            "docsify", "/docs/",
            "<div id=app></div><script>window.$docsify = { loadSidebar: true, homepage: 'start.md' }</script>", [],
            ["/docs/README.md", "/docs/_sidebar.md", "/docs/start.md"]
        ),
        (
            "docsify", "/docs/_sidebar.md", "* [Home](/)\n* [Guide](guide/intro.md)\n* [API](/api)\n* [More](more/)",
            [],
            [
                "/docs/guide/intro.md", "/docs/guide/_sidebar.md", "/docs/_sidebar.md", "/docs/more/_sidebar.md",
                "/docs/README.md", "/docs/more/README.md", "/docs/api.md",
            ]
        ),
        (
            "jupyterlite", "/lab/index.html",
            "<script id=jupyter-config-data type=application/json data-jupyter-lite-root='..'>{}</script>", [],
            [
                "/jupyter-lite.json", "/jupyter-lite.ipynb", "/api/contents/all.json", "/api/translations/all.json",
                "/api/translations/en.json", "/lab/jupyter-lite.json", "/lab/jupyter-lite.ipynb",
            ]
        ),
        (
            "jupyterlite", "/jupyter-lite.json",
            #"{"jupyter-config-data":{"federated_extensions":[{"extension":"./extension","load":"static/remoteEntry.1.js","name":"@a/b"}],"appUrl":"./lab","settingsUrl":"./lab/build/schemas","themesUrl":"./build/themes"}}"#,
            [],
            [
                "/lab/build/schemas/all.json", "/lab/", "/lab/index.html",
                "/build/themes/@jupyterlab/theme-light-extension/index.css", "/extensions/@a/b/static/remoteEntry.1.js",
            ]
        ),
        (
            "jupyterlite", "/jupyter-lite.json",
            #"{"jupyter-config-data":{"faviconUrl":"./lab/favicon.ico","fullLabextensionsUrl":"./lab/extensions","federated_extensions":[{"load":"static/r.js","name":"@a/b"}]}}"#,
            [], ["/lab/favicon.ico", "/lab/extensions/@a/b/static/r.js"]
        ),
        (
            "jupyterlite", "/a/lab/jupyter-lite.json", #"{"jupyter-config-data":{"themesUrl":"./build/themes"}}"#, [],
            [
                "/a/lab/build/themes/@jupyterlab/theme-light-extension/index.css",
                "/a/build/themes/@jupyterlab/theme-light-extension/index.css",
            ]
        ),
        (
            "jupyterlite", "/api/contents/all.json",
            #"{"content":[{"name":"a.ipynb","path":"a.ipynb","type":"notebook"},{"path":"d","type":"directory"}]}"#,
            ["/files/a.ipynb", "/api/contents/d/all.json"], []
        ),
        (
            "godot", "/game/",
            "<script>const GODOT_CONFIG = {\"args\":[],\"executable\":\"index\",\"fileSizes\":{\"index.pck\":9,\"index.wasm\":8},\"gdextensionLibs\":[\"x.wasm\"]};</script>",
            ["/game/index.pck", "/game/index.wasm", "/game/x.wasm"],
            ["/game/index.audio.worklet.js", "/game/index.audio.position.worklet.js"]
        ),
        (
            "unity", "/game/",
            "<script>var buildUrl = \"Build\"; var loaderUrl = buildUrl + \"/w.loader.js\";\nvar c = { dataUrl: buildUrl + \"/w.data.gz\", codeUrl: \"Build/w.wasm\" }; createUnityInstance(x, c);</script>",
            [], ["/game/Build/w.loader.js", "/game/Build/w.data.gz", "/game/Build/w.wasm"]
        ),
        (
            "storybook", "/ui/", "<script type=module>import './sb-manager/runtime.js';</script>", [],
            ["/ui/index.json", "/ui/project.json", "/ui/iframe.html"]
        ),
        (
            "storybook", "/ui/", "<script src=runtime~main.1a2b.bundle.js></script>", [], ["/ui/iframe.html"]
        ),
        (
            "emscripten", "/game/w.js", #"var PACKAGE_NAME="w.data";var REMOTE_PACKAGE_BASE="w.data";"#, [],
            ["/game/w.data"]
        ),
        (
            "myst", "/book/intro/", "<link rel=stylesheet href=/book/myst-theme.css>", [],
            ["/book/myst.search.json", "/book/myst.xref.json"]
        ),
        (
            "observable", "/a",
            #"<script type=module>import {registerFile} from "./s.js";registerFile("./data/x.json", {"name":"./data/x.json","path":"./_file/data/x.02abdd2b.json"});</script>"#,
            ["/_file/data/x.02abdd2b.json"], []
        ),
        (
            "dokka", "/api/lib/index.html",
            "<script>var pathToRoot = \"../\";</script><script src=../scripts/navigation-loader.js></script>",
            ["/api/navigation.html", "/api/scripts/pages.json"], []
        ),
        (
            "dokka", "/api/index.html",
            "<script>var pathToRoot = \"\";</script><script src=scripts/navigation-loader.js></script>",
            ["/api/navigation.html", "/api/scripts/pages.json"], []
        ),
        (
            "retype", "/a/b/", "<script src=/resources/js/retype.js?v=3.5.0></script>",
            ["/resources/js/search.json?v=3.5.0"], []
        ),
        (
            "gdevelop", "/game/data.js",
            #"gdjs.projectData = {"name":"x","resources":{"resources":[{"file":"red.png","kind":"image"},{"file":"ф a.wav","kind":"audio"}]}};"#,
            [], ["/game/red.png", "/game/%D1%84%20a.wav"]
        ),
        (
            "playcanvas", "/game/__settings__.js",
            "window.SCENE_PATH = \"23.json\";\nwindow.PRELOAD_MODULES = [\n {'moduleName' : 'A', 'glueUrl' : 'f/a.js', 'wasmUrl' : 'f/a.wasm'},\n];",
            ["/game/23.json", "/game/f/a.js", "/game/f/a.wasm"], []
        ),
        (
            "playcanvas", "/game/config.json",
            #"{"application_properties":{},"assets":{"1":{"file":{"filename":"A.png","url":"files/1/A.png","hash":"ab","variants":{"basis":{"url":"files/1/A.basis","hash":"cd"}}}},"2":{"file":null}}}"#,
            ["/game/files/1/A.png?t=ab"], ["/game/files/1/A.basis?t=cd"]
        ),
        (
            "tensorflow", "/m/face-weights_manifest.json", #"[{"weights":[{"name":"a"}],"paths":["face-shard1"]}]"#,
            ["/m/face-shard1"], []
        ),
        (
            "tensorflow", "/m/model.json", #"{"modelTopology":{},"weightsManifest":[{"paths":["g1.bin"]}]}"#,
            ["/m/g1.bin"], []
        ),
        (
            "stencil", "/build/app.esm.js",
            #"bootstrapLazy([["app-root",[[1,"app-root",{"a":[1]}]]],["app-x_2",[[0,"app-x"]]]], o)"#,
            [], ["/build/app-root.entry.js", "/build/app-x_2.entry.js"]
        ),
        (
            "stencil", "/build/docs.esm.js", #"e([["p-a2bd",[[0,"docs-page"]]]])"#, [],
            ["/build/p-a2bd.entry.js"]
        ),
        (
            "gwt", "/app/app.nocache.js", "var Mb='0176BFA5D0194FC6FB9562B368F6A8FA',x='.cache.html',y='user.agent';",
            [],
            [
                "/app/0176BFA5D0194FC6FB9562B368F6A8FA.cache.js",
                "/app/0176BFA5D0194FC6FB9562B368F6A8FA.cache.html",
            ]
        ),
        (
            "construct", "/game/", "<script src=c2runtime.js></script>", [], ["/game/data.js", "/game/offline.js"]
        ),
        (
            "construct", "/game/offline.js", "{\"version\": 1, \"fileList\": [\"data.js\", \"images/gull.png\"]}",
            [], ["/game/data.js", "/game/images/gull.png"]
        ),
        (
            "construct", "/game/data.js",
            "{\"project\": [null,\"Main\",[[\"images/gull.png\",1]],[[\"horn.m4a\",7],[\"horn.ogg\",9]]]}",
            [], ["/game/images/gull.png", "/game/media/horn.m4a", "/game/media/horn.ogg"]
        ),
        (
            "construct", "/game/", "<script src=scripts/supportcheck.js></script>",
            [], ["/game/data.json", "/game/offline.json"]
        ),
        (
            "construct", "/game/offline.json", "{\"version\":1,\"fileList\":[\"images/gull.webp\"]}",
            [], ["/game/images/gull.webp"]
        ),
        (
            "fumadocs", "/docs/_next/static/chunks/5.js", "s({type:\"static\",from:\"/docs/api/search\"})",
            [], ["/docs/api/search"]
        ),
        (
            "fumadocs", "/_next/static/chunks/6.js", "Symbol(\"orama.removals\");f=({from:e=\"/api/search\"})=>e",
            [], ["/api/search"]
        ),
        (
            "nextra", "/docs/a/",
            "<div class=nextra-content></div><script src=/docs/_next/static/chunks/main-5c.js></script>",
            [], ["/docs/_next/static/chunks/nextra-data-en-US.json"]
        ),
        (
            "gltf", "/m/a.gltf",
            "{\"buffers\":[{\"uri\":\"a.bin\"}],\"images\":[{\"uri\":\"t/a.png\"},{\"uri\":\"data:image/png,x\"}]}",
            ["/m/a.bin", "/m/t/a.png"], []
        ),
        ("obj", "/m/a.obj", "# x\nmtllib a.mtl\r\nv 0 0 0\n", [], ["/m/a.mtl"]),
        (
            "obj", "/m/a.mtl", "newmtl x\nmap_Kd t/a.png\nmap_Bump  b.jpg\r\nmap_Ks -s 1 1 1 c.png\n",
            [], ["/m/t/a.png", "/m/b.jpg"]
        ),
        ("collada", "/m/a.dae", "x<init_from>t/a.png</init_from><init_from>id</init_from>", [], ["/m/t/a.png"]),
        ("bitmap-font", "/f/a.fnt", "info face=\"A\"\npage id=0 file=\"a_0.png\"\n", [], ["/f/a_0.png"]),
        ("tiled", "/m/a.tmx", " <?xml?><map><tileset firstgid=\"1\" source=\"a.tsx\"/></map>", [], ["/m/a.tsx"]),
        (
            "json-reference", "/api/o.yaml",
            "a:\n  $ref: 'x.yaml#/b'\n  c: {$ref: \"p/y.json\"}\n  d:\n  - $ref: z.yml\n  - $ref: '#/e'\n",
            [], ["/api/x.yaml", "/api/p/y.json", "/api/z.yml"]
        ),
        ("import-map", "/a/importmap.json", "{\"imports\":{\"x\":\"./x.js\"}}", [], ["/a/x.js"]),
        (
            "map-style", "/s/style.json", "{\"version\":8,\"sources\":{},\"sprite\":\"img/s\",\"layers\":[]}", [],
            ["/s/img/s.json", "/s/img/s.png", "/s/img/s@2x.json", "/s/img/s@2x.png"]
        ),
        (
            "egret", "/g/manifest.json", "{\"initial\":[\"l/a.js\"],\"game\":[\"main.js\"]}",
            ["/g/l/a.js", "/g/main.js"], []
        ),
        (
            "defold", "/g/archive/archive_files.json",
            "{\"content\":[{\"name\":\"g.dmanifest\",\"pieces\":[{\"name\":\"g0.dmanifest\",\"offset\":0}]}]}",
            ["/g/archive/g0.dmanifest"], []
        ),
        (
            "allure", "/r/data/suites.json",
            "{\"uid\":\"r\",\"children\":[{\"uid\":\"g\",\"children\":[{\"uid\":\"t\",\"parentUid\":\"g\",\"status\":\"passed\"}]}]}",
            ["/r/data/test-cases/t.json"], []
        ),
        (
            "allure", "/r/data/test-cases/t.json",
            "{\"testStage\":{\"steps\":[{\"attachments\":[{\"source\":\"a.txt\"}]}],\"attachments\":[{\"source\":\"b.png\"}]}}",
            [], ["/r/data/attachments/b.png", "/r/data/attachments/a.txt"]
        ),
        ("nextra", "/docs/a/", "<script src=/docs/_next/static/chunks/main-5c.js></script>", [], []),
        (
            "javadoc", "/api/search.js", "x = \"<img src='\" + pathtoroot + \"link.svg' alt=''>\"", [],
            ["/api/link.svg"]
        ),
        (
            "monaco", "/edit/", "<script src=lib/vs/loader.js></script>",
            [],
            [
                "/edit/lib/vs/editor/editor.main.js", "/edit/lib/vs/editor/editor.main.css",
                "/edit/lib/vs/editor/editor.main.nls.js", "/edit/lib/vs/base/worker/workerMain.js",
            ]
        ),
        (
            "pdfjs", "/web/viewer.js", "x={defaultUrl: {\n value: \"guide.pdf\",\n kind: 2}}", [], ["/web/guide.pdf"]
        ),
        (
            "pdfjs", "/web/viewer.js", "x=[[\"defaultUrl\", {\n value: \"guide.pdf\",\n kind: 2}]]", [],
            ["/web/guide.pdf"]
        ),
        (
            "pdfjs", "/web/locale/locale.json", "{\"de\":\"de/viewer.ftl\",\"en-us\":\"en-US/viewer.ftl\"}",
            [], ["/web/locale/en-US/viewer.ftl", "/web/locale/de/viewer.ftl"]
        ),
    ]

    @Test(arguments: kinds.indices)
    func `the program's rows know kinds of sites`(index: Int) throws {
        let kind = Self.kinds[index]
        let isPage = kind.text.hasPrefix("<")
        let isScript = kind.path.hasSuffix(".js")
        let type = isPage ? "text/html" : isScript ? "text/javascript" : "application/octet-stream"
        let loads: Destination = isPage ? .document : isScript ? .script : .other
        let url = "http://d.example" + kind.path
        let found = try FoundByRecipes(Recipe(kind.name), in: kind.text, type, as: loads, at: url)
        #expect(found.urls == kind.expected.map { "http://d.example" + $0 })
        #expect(found.guesses == kind.guesses.map { "http://d.example" + $0 })
        try readEveryPrefix(Recipe(kind.name), of: kind.text, type, as: loads, at: url)
    }

    #if DEBUG || COUNTING
    @Test(arguments: [
        #""after":"f(a,""#, #""strings":true"#, #""markdown":true"#, #""json":"*.*""#, #""keys":"*""#,
    ])
    func `twice the text costs twice as much`(read: String) throws {
        let table = try Self.table(#"{"name":"x","in":"data","file":"x","read":{"# + read + #"},"add":"{}"}"#)
        let url = try WebURL("http://d.example/x")
        func steps(_ part: String, _ count: Int) -> Int {
            var steps = 0
            withUnsafeMutablePointer(to: &steps) { counter in
                Array(String(repeating: part, count: count).utf8).withUnsafeBufferPointer { buffer in
                    var bytes = ScanBuffer(buffer)
                    bytes.steps = counter
                    _ = table.references(in: RecipeData(text: bytes, url: url))
                }
            }
            return steps
        }
        for part in ["f(a,", "f(a,\"", "f ", "[x](", "](y ", "'a',", "[\"a\",", "{\"a\":", "[["] {
            let (once, twice) = (steps(part, 1_000), steps(part, 2_000))
            #expect(twice <= 2 * once + 16_384, "\(part)")
            #expect(once <= 128 * 1_000 * part.utf8.count + 65_536, "\(part)")
        }
    }
    #endif
}
