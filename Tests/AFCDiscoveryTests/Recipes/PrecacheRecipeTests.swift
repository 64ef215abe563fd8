import Testing

@testable import AFCDiscovery

struct PrecacheRecipeTests {
    @Test(arguments: [
        // Minified, as Workbox and VitePWA write it, and with its own file.
        (
            """
            if(!self.define){let e,s={};const i=(i,n)=>s[i]}define(["./workbox-74f2ef77"],(function(e){"use strict";self.skipWaiting(),\
            e.precacheAndRoute([{url:"index.html",revision:"a1"},{url:"assets/x-1.js",revision:null}],{}),e.cleanupOutdatedCaches()}));
            """, ["/app/workbox-74f2ef77.js", "/app/index.html", "/app/assets/x-1.js"]
        ),
        // Readable.
        (
            """
            workbox.precacheAndRoute([{
              "url": "/",
              "revision": "a1"
            }, {
              "url": "style.css?v=1",
              "revision": "a2"
            }], {});
            """, ["/", "/app/style.css?v=1"]
        ),
        // In a bundle of one's own, with members in another order.
        (
            "(0,n.D)([{'revision':'a1','url':'/static/js/x.js'},{'revision':null,'url':'/static/js/x.js.map'},]||[])",
            ["/static/js/x.js"]
        ),
        // As a file of its own, in release 4.
        (
            """
            self.__precacheManifest = (self.__precacheManifest || []).concat([
              {
                "revision": "a1",
                "url": "/index.html"
              }
            ]);
            """, ["/index.html"]
        ),
        // sw-precache.
        (
            "\"use strict\";var precacheConfig=[[\"/index.html\",\"a1\"],[\"/a b.js\",\"a2\"]],cacheName=1",
            ["/index.html", "/a%20b.js"]
        ),
        // Pages without a suffix.
        ("x=[{url:'/about',revision:'1'},{url:'/v1.2/',revision:'2'}]", ["/about", "/v1.2/"]),
        // Others.
        ("x=[{url:'/a.js'},{url:'/b.js'}]", []), ("x=[{url:'/a.js',revision:1+2}]", []),
        ("x=[{url:'/a.js',revision:'1',other:'2'}]", []), ("x=[{url:'/a.js',revision:'1'}", []),
        ("x=[[\"/index.html\",\"a1\"]]", []), ("x=[\"./workbox-1\"]", []), ("[{revision:'1'}]", []),
    ])
    func `a service worker lists files`(script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.precache, in: script, at: "http://d.example/app/sw.js")
        #expect(found.urls == expected.map { "http://d.example\($0)" })
        #expect(found.guesses == [])
        for url in found.urls {
            let loads: Destination =
                url.contains(".css")
                ? .style : url.hasSuffix("html") || url.hasSuffix("/") || url.hasSuffix("/about") ? .document : .other
            #expect(found.loads[url] == loads)
        }
    }

    @Test(arguments: [
        ("<script src=/x/static/js/main.1.js></script>", ["/x/asset-manifest.json"]),
        ("<script src=static/js/main.1.js></script>", ["/a/asset-manifest.json"]),
        ("<script src=main.1.js></script>", []), ("<script src=/js/main.1.js></script>", []),
        (
            "<link rel=manifest href=m><script src=polyfills-es2015.1.js></script><script src=main.2.js></script>",
            ["/a/ngsw-worker.js"]
        ),
        (
            "<link rel=manifest href=m><script src=/_next/static/chunks/polyfills-1.js></script><script src=/_next/static/chunks/main-2.js></script>",
            []
        ),
        ("<script src=polyfills.1.js></script><script src=main.2.js></script>", []),
        ("<link rel=manifest href=m><script src=main.2.js></script>", []),
    ])
    func `an application may have a list that no page names`(page: String, expected: [String]) throws {
        let found = try FoundByRecipes(.precache, in: page, "text/html", as: .document, at: "http://d.example/a/")
        #expect(found.guesses == expected.map { "http://d.example\($0)" })
        #expect(found.urls == [])
    }

    @Test(arguments: [
        (
            "asset-manifest.json",
            #"{"files":{"main.js":"/static/js/main.1.js","main.css":"./static/css/main.2.css","main.1.js.map":"/static/js/main.1.js.map","index.html":"/x/index.html"},"entrypoints":["static/js/main.1.js"]}"#,
            ["/static/js/main.1.js", "/x/static/css/main.2.css", "/x/index.html"]
        ),
        (
            "asset-manifest.json",
            #"{"main.js":"static/js/main.1.js","main.js.map":"static/js/main.1.js.map","version":"1"}"#,
            ["/x/static/js/main.1.js"]
        ),
        (
            "ngsw.json",
            #"{"configVersion":1,"index":"/x/index.html","assetGroups":[{"urls":["/x/main.js"],"patterns":["\\/a"]}],"hashTable":{"/x/index.html":"a1","/x/main.js":"a2"}}"#,
            ["/x/index.html", "/x/main.js"]
        ),
        ("ngsw.json", #"{"hashTable":{"/x/index.html":"a1"}"#, []),
        ("other.json", #"{"hashTable":{"/x/index.html":"a1"},"files":{"a":"b.js"}}"#, []),
    ])
    func `a data file lists files`(name: String, text: String, expected: [String]) throws {
        let url = "http://d.example/x/\(name)?ngsw-cache-bust=1"
        let found = try FoundByRecipes(.precache, in: text, "application/json", as: .other, at: url)
        #expect(found.urls == expected.map { "http://d.example\($0)" })
    }

    @Test(arguments: [
        (
            "caches.open('v').then(c => c.addAll(['./', 'js/a.js?v=1', \"/b.css\"]))",
            ["/app/", "/app/js/a.js?v=1", "/b.css"]
        ),
        (
            "const F=[\"./\",\"a.js\",\"b.svg\"];addEventListener(\"install\",e=>e.waitUntil(caches.open(\"v\").then(c=>c.addAll(F))))",
            ["/app/", "/app/a.js", "/app/b.svg"]
        ),
        // Other statements follow without a semicolon, and comments are no files.
        (
            """
            const NAME = 'v1' // caches
            var files = [ // 'no.js'
              'a.js', /* 'no.css', */
              'b.html',
            ]
            const others = ['no.json']
            caches.open(NAME).then(function (cache) { return cache.addAll(files).then(() => self.skipWaiting()) })
            """, ["/app/a.js", "/app/b.html"]
        ),
        // Names, spreads, `concat`, `map`, `Object.keys` and `Request`.
        (
            """
            const a=["/a.js"],b=["/b.js"],c=a.concat(b,["/c.js"]),off="off.html";
            caches.open(1).then(e=>e.addAll([...c,off,new Request("/d.js",{cache:"reload"})].map(e=>x(e,"no.js"))));
            """, ["/a.js", "/b.js", "/c.js", "/app/off.html", "/d.js"]
        ),
        (
            "caches;const A={'a.js':'1f','b.css':'2e'};c.addAll(Object.keys(A));c.addAll(new Set(['d.js']))",
            ["/app/a.js", "/app/b.css", "/app/d.js"]
        ),
        // Flutter.
        (
            """
            const RESOURCES = {"main.dart.js": "1f", "assets/a.png": "2e"};const CORE = ["main.dart.js"];
            caches.open(T).then((cache) => { return cache.addAll(CORE.map((value) => new Request(value, {'cache': 'reload'}))); })
            """, ["/app/main.dart.js"]
        ),
        // Names that are bound twice, sums, and texts that aren't addresses.
        ("caches;let f=['a.js'];f=['b.js'];c.addAll(f)", []),
        ("caches;c.addAll([base+'a.js','b'+x,'c d.js','<e>','{f}','g.js'])", ["/app/g.js"]),
        ("caches;f(['a.js']);c.addAll(x(['b.js']));c.addAll(y)", []),
        // Another kind of `addAll`, and other lists.
        ("list.addAll(['a.js'])", []), ("caches.open(1);x(['a.js'])", []),
    ])
    func `a service worker written by hand lists files`(script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.precache, in: script, at: "http://d.example/app/sw.js")
        #expect(found.guesses == expected.map { "http://d.example\($0)" })
        #expect(found.urls == [])
        for url in found.guesses {
            let loads: Destination =
                url.hasSuffix("css") ? .style : url.hasSuffix("html") || url.hasSuffix("/") ? .document : .other
            #expect(found.loads[url] == loads)
        }
    }

    @Test func `Flutter's worker names all files of the application`() throws {
        let script = """
            'use strict';
            const RESOURCES = {"flutter.js": "1f", "/": "2e",
            "assets/A b.bin": "3d"};
            const CORE = ["main.dart.js", "index.html"];
            """
        let found = try FoundByRecipes(.precache, in: script, at: "http://d.example/app/flutter_service_worker.js?v=1")
        #expect(found.urls == ["flutter.js", "", "assets/A%20b.bin"].map { "http://d.example/app/\($0)" })
        #expect(found.guesses == [])
    }

    @Test func `at most 1,024 files of a list written by hand are guessed`() throws {
        let list = (0..<2_000).map { "'f\($0).js'" }.joined(separator: ",")
        let found = try FoundByRecipes(.precache, in: "caches;c.addAll([\(list)])", at: "http://d.example/sw.js")
        #expect(found.guesses.count == 1_024)
    }

    @Test func `Angular's service worker reads its list`() throws {
        let found = try FoundByRecipes(.precache, in: "(() => {})()", at: "http://d.example/x/ngsw-worker.js")
        #expect(found.urls == ["http://d.example/x/ngsw.json"])
    }

    @Test func `cut lists are read without a crash`() throws {
        let script =
            "caches;define(['./workbox-1'],e=>{e.p([{url:\"a.html\",revision:\"a1\"},{'revision':null,'url':'b'}]);precacheConfig = [['/a','b']];a=['x'].concat(Object.keys({'y':1}));c.addAll([...a,new Request('z')]"
        let bytes = Array(script.utf8)
        for count in 0..<bytes.count {
            _ = try FoundByRecipes(.precache, in: Array(bytes[..<count]), at: "http://d.example/sw.js")
            _ = try FoundByRecipes(.precache, in: Array(bytes[count...]), at: "http://d.example/sw.js")
        }
    }
}
