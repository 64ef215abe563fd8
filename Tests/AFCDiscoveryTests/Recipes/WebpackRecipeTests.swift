import Testing

@testable import AFCDiscovery

struct WebpackRecipeTests {
    /// What each runtime has besides its tables.
    private static let failure = "e.message='Loading chunk '+t+' failed.'"

    private static func found(
        _ script: String,
        at url: String = "http://d.example/s/js/run.js",
        as destination: Destination = .script
    ) throws -> [String] {
        let text = script.replacing("FAIL", with: failure)
        let found = try FoundByRecipes(.webpack, in: text, as: destination, at: url)
        #expect(found.guesses == [])
        return found.urls.map { $0.replacing("http://d.example", with: "") }
    }

    /// The end of a worker's runtime, which has no words about failures.
    private static let worker =
        "r.f.i=(u,t)=>{e[u]||importScripts(r.p+r.u(u))};n.pop()]=1;t(u)}})(),u=r.x,"

    @Test(arguments: [
        // One chunk, as the worker of a local search of Docusaurus has it.
        (
            "r.x=()=>{var e=r.O(void 0,[5839],(()=>r(5646)));return e=r.O(e)},r.u=e=>\"assets/js/\"+e+\".91.js\",r.p=\"/s/\",WORKERr.x=()=>r.e(5839).then(u);r.x()",
            ["/s/assets/js/5839.91.js"]
        ),
        (
            "r.x=()=>r.O(void 0,[12,\"a\"],()=>r(7)),r.u=e=>\"\"+e+\".js\",r.p=\"/s/\",WORKERr.x=()=>Promise.all([12,\"a\"].map(r.e,r)).then(u);r.x()",
            ["/s/12.js", "/s/a.js"]
        ),
        // A table.
        (
            "r.u=e=>\"b/\"+e+\"-\"+{105:\"9f\",602:\"1a\"}[e]+\".js\",r.p=\"/\",WORKERr.x=()=>Promise.all([602,105].map(r.e,r)).then(u);r.x()",
            ["/b/105-9f.js", "/b/602-1a.js"]
        ),
        // No chunk, and no runtime.
        ("r.u=e=>e+\".js\",r.p=\"/\",WORKERr.x=u", []),
        ("r.u=e=>e+\".\"+{1:\"a\"}[e]+\".js\",r.p=\"/\",importScripts(\"x.js\")", []),
    ])
    func `a worker's own runtime names its chunks`(script: String, expected: [String]) throws {
        let text = script.replacing("WORKER", with: Self.worker)
        let found = try FoundByRecipes(.webpack, in: text, at: "http://d.example/s/assets/js/5646.b3.js")
        #expect(found.urls == expected.map { "http://d.example\($0)" })
        #expect(found.urls.allSatisfy { found.loads[$0] == .script })
    }

    @Test(arguments: [
        // A table of hashes, as in production builds of webpack 5.
        ("r.u=e=>e+\".\"+{7:\"a1\",12:\"b2\"}[e]+\".js\",r.p=\"/x/\";FAIL", ["/x/12.b2.js", "/x/7.a1.js"]),
        // With names.
        (
            "r.u=e=>\"j/\"+({7:\"home\"}[e]||e)+\".\"+{7:\"a1\",12:\"b2\"}[e]+\".js\",r.p=\"/\";FAIL",
            ["/j/12.b2.js", "/j/home.a1.js"]
        ),
        // As functions, with quoted keys, and as readable text.
        (
            "r.u=function(e){return({\"7\":\"home\"}[e]||e)+\"-\"+{\"7\":\"a1\",\"lib~x\":\"b2\"}[e]+\".js\"},r.p='/x/';FAIL",
            ["/x/home-a1.js", "/x/lib~x-b2.js"]
        ),
        (
            """
            __webpack_require__.u = (chunkId) => {
            	// return url for filenames based on template
            	return "" + chunkId + "." + {"7":"a1","12":"b2"}[chunkId] + ".js";
            };
            __webpack_require__.p = "/x/";
            FAIL
            """, ["/x/12.b2.js", "/x/7.a1.js"]
        ),
        // Names of one chunk each, and the rest by table.
        (
            "r.u=e=>179===e?\"x.js\":e===180?\"y.js\":\"c/\"+e+\".\"+({7:\"a1\"})[e]+\".js\",r.p=\"/\";FAIL",
            ["/x.js", "/y.js", "/c/7.a1.js"]
        ),
        (
            "r.u=e=>{if(e===179)return\"x.js\";if({1:1,2:1}[e])return\"\"+e+\".m.js\";return\"c/\"+{7:\"a1\"}[e]+\".js\"},r.p=\"/\";FAIL",
            ["/1.m.js", "/x.js", "/2.m.js", "/c/a1.js"]
        ),
        (
            "r.u=e=>(592===e?\"common\":e)+\".\"+{1:\"a\",592:\"b\"}[e]+\".js\",r.p=\"/\";FAIL",
            ["/1.a.js", "/common.b.js"]
        ),
        // Templates, as Rspack's minifier writes them, and calls of `concat`.
        ("r.u=e=>`a/${e}.${({7:\"a1\"})[e]}.js`,r.p=\"/\";FAIL", ["/a/7.a1.js"]),
        (
            "r.u=function(e){return\"\".concat(e,\".\").concat({7:\"a1\",8:\"b\"}[e],\".js\")},r.p=\"/\";FAIL",
            ["/7.a1.js", "/8.b.js"]
        ),
        // Numbers as minifiers write them.
        ("r.u=e=>e+\".\"+{1e3:\"a\",16e3:\"b\"}[e]+\".js\",r.p=\"/\";FAIL", ["/1000.a.js", "/16000.b.js"]),
        // The hash of the build.
        ("r.h=()=>\"abcdef\",r.u=e=>({7:\"n\"}[e]||e)+\".\"+r.h().slice(0,3)+\".js\",r.p=\"/\";FAIL", ["/n.abc.js"]),
        (
            "r.u=e=>e+\".\"+r.h()+\".js\",r.h=function(){return\"ab\"},r.p=\"/\";FAIL r.e(5).then(r.bind(r,6))",
            ["/5.ab.js"]
        ),
        // Modules.
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".mjs\",r.p=\"https://c.example/x/\";FAIL", ["https://c.example/x/7.a1.mjs"]),
        // One chunk, whose id only calls name.
        (
            "r.u=e=>\"s/\"+e+\".a1.js\",r.p=\"/\";FAIL n.e(787).then(n.bind(n,787)); x.e(1); a.e(2).then(b)",
            ["/s/787.a1.js"]
        ),
        (
            // A container of module federation.
            "r.u=e=>e+\".a1.js?v=a1\",r.p=\"/\";FAIL {\"./a\":()=>t.e(7).then((()=>()=>t(7))),\"./b\":()=>t.e(8).then(()=>()=>t(9)),c:n.e(1).then((()=>n(2)))}",
            ["/7.a1.js?v=a1", "/8.a1.js?v=a1"]
        ),
        (
            "r.u=e=>e+\".js\",r.p=\"/\";FAIL Promise.all([n.e(1),n.e(\"two\")]).then(n.t.bind(n,3))",
            ["/1.js", "/two.js"]
        ),
        // Neither a runtime nor a table.
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",r.p=\"/\"", []),
        ("r.u=e=>e+\".js\",r.p=\"/\";FAIL", []),
        ("r.u=e=>f(e)+\".js\",r.p=\"/\";FAIL", []),
        // A path that a script computes: the chunks are beside the runtime.
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",r.p=window.base;FAIL", ["/s/js/7.a1.js"]),
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\";FAIL", ["/s/js/7.a1.js"]),
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",r.p=\"{{ root }}/\";FAIL", ["/s/js/7.a1.js"]),
        // Another object's path, and what isn't a path.
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",n.p=\"/\";FAIL", ["/s/js/7.a1.js"]),
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",r.p=1;FAIL", ["/s/js/7.a1.js"]),
        ("r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",r.p=\"/\"in x;FAIL", ["/s/js/7.a1.js"]),
        // A computed path, and a runtime in the folder of the chunks.
        ("r.u=e=>\"js/\"+{7:\"a1\"}[e]+\".js\",r.p=window.path;FAIL", ["/s/js/a1.js"]),
        ("r.u=e=>\"other/\"+{7:\"a1\"}[e]+\".js\",r.p=(()=>\"/\")();FAIL", []),
    ])
    func `a runtime's table names scripts`(script: String, expected: [String]) throws {
        #expect(try Set(Self.found(script)) == Set(expected))
    }

    @Test(arguments: [
        // The public path is relative to the page, which isn't known.
        ("r.p=\"\"", "/s/js/run.js", "s/js/", "/s/js/7.js"), ("r.p=\"\"", "/app/s/js/run.js", "js/", "/app/s/js/7.js"),
        ("r.p=\"\"", "/run.js", "", "/7.js"),
        // It is the script's folder, or a folder above it.
        (
            "t=document.currentScript.src;if(!t)throw Error(\"Automatic publicPath is not supported\");r.p=t",
            "/s/run.js", "c/",
            "/s/c/7.js"
        ),
        (
            "if(!t)throw Error(\"Automatic publicPath is not supported\");r.p=t+\"../\"", "/s/js/run.js", "js/",
            "/s/js/7.js"
        ),
    ])
    func `a public path is the script's`(path: String, url: String, folder: String, expected: String) throws {
        let script = "r.u=e=>\"\(folder)\"+{7:\"7\",8:\"8\"}[e]+\".js\",\(path);FAIL"
        let found = try Self.found(script, at: "http://d.example" + url)
        #expect(found.first == expected)
        #expect(found.count == 2)
    }

    @Test func `a module's chunks are relative to it`() throws {
        let script = """
            r.u=e=>e+"."+{7:"a1"}[e]+".mjs",r.p="/wrong/",i=({__webpack_ids__:a})=>a;import("../c/"+r.u(e))
            """
        let found = try FoundByRecipes(.webpack, in: script, as: .module, at: "http://d.example/s/run.mjs")
        #expect(found.urls == ["http://d.example/c/7.a1.mjs"])
        #expect(found.loads["http://d.example/c/7.a1.mjs"] == .module)
    }

    private static let names = "r.u=e=>e+\".\"+{1:\"a\",23:\"b\",24:\"c\",\"x-y\":\"d\"}[e]+\".js\",r.p=\"/\","

    @Test(arguments: [
        ("if(/^(23|24)$/.test(e))n[e]=0;else{", ["1", "x-y"]), ("if(/^2[34]$/.test(e)){", ["23", "24"]),
        ("if(!/^(2[34]|x\\-y)$/.test(e)){", ["1"]), ("if(!/^(1|x\\-y)$/.test(e))n[e]=0;else{", ["1", "x-y"]),
        ("if(23!=e){", ["1", "24", "x-y"]), ("if(23==e)n[e]=0;else{", ["1", "24", "x-y"]),
        ("if(\"x-y\"!=e){", ["1", "23", "24"]), ("if (23 == chunkId) {", ["23"]),
        ("if(0!==r)if(r)t.push(r[2]);else{", ["1", "23", "24", "x-y"]), ("if(/^(a+)+$/.test(e)){", []),
    ])
    func `chunks without a script aren't loaded`(condition: String, expected: [String]) throws {
        let found = try Self.found(Self.names + "r.f.j=(e,t)=>{\(condition)m();FAIL")
        #expect(Set(found.compactMap { $0.split(separator: ".").first }) == Set(expected.map { "/\($0)" }))
    }

    @Test(arguments: [
        ("r.miniCssF=e=>\"css/\"+e+\".\"+{1:\"f\",24:\"g\"}[e]+\".css\"", "", ["/css/1.f.css", "/css/24.g.css"]),
        (
            "r.miniCssF=e=>\"styles.f.css\"",
            "r.f.miniCss=(e,t)=>{n[e]?t.push(n[e]):0!==n[e]&&{532:1}[e]&&t.push(n[e])}", ["/styles.f.css"]
        ),
        (
            "r.miniCssF=function(e){return e+\".css\"}", "r.f.miniCss=(e,t)=>{({1:1,24:1})[e]&&t.push(1)}",
            ["/1.css", "/24.css"]
        ),
        ("r.k=e=>\"css/\"+{1:\"f\",2:\"g\"}[e]+\".css\"", "", ["/css/f.css", "/css/g.css"]),
        ("r.miniCssF=e=>{}", "", []),
    ])
    func `style sheets have a table of their own`(names: String, condition: String, expected: [String]) throws {
        let script = "r.u=e=>e+\".\"+{7:\"a\"}[e]+\".js\",\(names),r.p=\"/\",\(condition);FAIL"
        let found = try FoundByRecipes(
            .webpack,
            in: script.replacing("FAIL", with: Self.failure),
            at: "http://d.example/run.js"
        )
        let styles = found.urls.filter { found.loads[$0] == .style }
        #expect(styles.map { $0.replacing("http://d.example", with: "") } == expected)
        #expect(found.urls.count == expected.count + 1)
    }

    /// A runtime in the form of webpack 4, with style sheets for two of three chunks.
    private static let old = """
        !function(e){var l={},c={0:0},s={0:0};function f(t){if(l[t])return l[t].exports}f.e=function(e){var t=[];\
        c[e]?t.push(c[e]):0!==c[e]&&{2:1,3:1}[e]&&t.push(c[e]=new Promise((function(t,n){\
        for(var r="css/"+({2:"home"}[e]||e)+"."+{1:"31d6cfe0",2:"f2",3:"f3"}[e]+".chunk.css",o=f.p+r,a=0;a<9;a++);\
        u.onerror=function(){var a=new Error("Loading CSS chunk "+e+" failed.");a.code="CSS_CHUNK_LOAD_FAILED"}})));\
        i.src=function(e){return f.p+"js/"+({2:"home"}[e]||e)+"."+{1:"a1",2:"a2",3:"a3"}[e]+".chunk.js"}(e);\
        u.message="Loading chunk "+e+" failed."},f.m=e,f.p="/x/",f.oe=function(e){throw e}}([]);
        """

    private static let oldURLs = [
        "js/1.a1.chunk.js", "js/home.a2.chunk.js", "js/3.a3.chunk.js", "css/home.f2.chunk.css", "css/3.f3.chunk.css",
    ]

    @Test func `a runtime of webpack 4 has tables, too`() throws {
        #expect(try Set(Self.found(Self.old)) == Set(Self.oldURLs.map { "/x/\($0)" }))
    }

    @Test func `a readable runtime of webpack 4 has tables, too`() throws {
        let script = """
            // script path function
            function jsonpScriptSrc(chunkId) {
                return __webpack_require__.p + "" + ({"about":"about"}[chunkId]||chunkId) + "." + {"about":"a1","2":"a2"}[chunkId] + ".js"
            }
            var cssChunks = {"about":1};
            if(installedCssChunks[chunkId] !== 0 && cssChunks[chunkId]) {
                var href = "" + ({"about":"about"}[chunkId]||chunkId) + "." + {"about":"f1","2":"31d6cfe0"}[chunkId] + ".css";
                var err = new Error("Loading CSS chunk " + chunkId + " failed.");
            }
            error.message = 'Loading chunk ' + chunkId + ' failed.';
            __webpack_require__.p = "/x/";
            """
        #expect(try Set(Self.found(script)) == ["/x/about.a1.js", "/x/2.a2.js", "/x/about.f1.css"])
    }

    @Test func `a runtime in a page is relative to the page`() throws {
        let page = "<base href=/b/><script>\(Self.old.replacing("/x/", with: ""))</script>"
        let found = try FoundByRecipes(.webpack, in: page, "text/html", as: .document, at: "http://d.example/a/")
        #expect(Set(found.urls) == Set(Self.oldURLs.map { "http://d.example/b/\($0)" }))
    }

    private static let head = "\"use strict\";(self.webpackChunkapp=self.webpackChunkapp||[]).push([[7],{"

    @Test(arguments: [
        // The folder of the chunk tells the public path.
        (head, "e.exports=r.p+\"static/media/a.1.svg\"", ["/x/static/media/a.1.svg"], []),
        (
            "/*! License */\n(window.webpackJsonp = window.webpackJsonp || []).push([[7],{",
            "a=e.p+\"static/media/a b.png\",b=e.p + \"static/media/f.woff2?v=1\",c=e.p+\"static/w.js\"",
            ["/x/static/media/f.woff2?v=1", "/x/static/w.js"], []
        ),
        // Another folder is a guess.
        (head, "e.exports=r.p+\"img/a.png\",n.p+'b.wasm'", [], ["/x/static/img/a.png", "/x/static/b.wasm"]),
        // Neither a chunk nor a file.
        ("({", "e.exports=r.p+\"static/media/a.1.svg\"", [], []),
        (
            head,
            "r.p+\"static/\"+x,r.p+\"static/a.png\"+x,r.p+\"static/a.unknown\",r.p+\"/static/a.png\",.p+\"static/a.png\"",
            [], []
        ),
    ])
    func `chunks name files`(head: String, script: String, urls: [String], guesses: [String]) throws {
        let found = try FoundByRecipes(.webpack, in: head + script + "}])", at: "http://d.example/x/static/js/7.js")
        #expect(found.urls == urls.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
    }

    @Test func `files without a folder are above the folder of Docusaurus' chunks`() throws {
        let script = Self.head + "e.exports=r.p+\"a.ttf\",r.p+\"img/a.png\"}])"
        let found = try FoundByRecipes(.webpack, in: script, at: "http://d.example/x/assets/js/7.js")
        #expect(found.guesses == ["http://d.example/x/a.ttf", "http://d.example/x/assets/img/a.png"])
    }

    @Test func `a runtime's file names files below its public path`() throws {
        let script = "r.u=e=>e+\".\"+{7:\"a1\"}[e]+\".js\",r.p=\"/y/\";FAIL;e.exports=r.p+\"img/a.png\""
        #expect(try Self.found(script) == ["/y/7.a1.js", "/y/img/a.png"])
    }

    @Test func `cut runtimes are read without a crash`() throws {
        let current = """
            r.h=()=>"abc",r.u=e=>{if(1===e)return"x.js";return`a/${({2:"n"})[e]||e}.${{2:"b",3:"c"}[e]}.`+r.h().slice(0,2)+".js"},\
            r.miniCssF=e=>"c/"+{2:"f"}[e]+".css",r.f.j=(e,t)=>{if(!/^(2[34]|x\\-y)$/.test(e)){m("Loading chunk ")}},\
            r.f.miniCss=(e,t)=>{({2:1})[e]},r.p="/x/",r.e(1).then(r.bind(r,2))
            """
        for text in [current, Self.old, Self.head + "e.exports=r.p + \"a/b.png\""] {
            let bytes = Array(text.utf8)
            for count in 0..<bytes.count {
                // The mark comes first, so that what follows is read whatever its length.
                let cut = Array("'Loading chunk 'CSS_CHUNK_LOAD_FAILED;".utf8) + bytes[..<count]
                _ = try FoundByRecipes(.webpack, in: cut, at: "http://d.example/run.js")
                _ = try FoundByRecipes(.webpack, in: Array(bytes[count...]), at: "http://d.example/run.js")
            }
        }
    }

    @Test func `tables don't yield more than their rows`() throws {
        let rows = (0..<2000).map { "\($0):\"\($0)\"" }.joined(separator: ",")
        let long = String(repeating: "a", count: 100_000)
        #expect(try Self.found("r.u=e=>\"\(long)\"+{\(rows)}[e]+\".js\",r.p=\"/\";FAIL").isEmpty)
        #expect(try Self.found("r.u=e=>({\(rows)})[e]+{\(rows)}[e]+\".js\",r.p=\"/\";FAIL").count == 2000)
        let deep = String(repeating: "(", count: 100_000)
        #expect(try Self.found("r.u=e=>\(deep)e+\".js\",r.p=\"/\";FAIL").isEmpty)
        let classes = String(repeating: "[0123456789]", count: 20)
        #expect(
            try Self.found("r.u=e=>({\(rows)})[e]+\".js\",r.p=\"/\",r.f.j=e=>{if(/^\(classes)$/.test(e)){FAIL").isEmpty
        )
    }
}
