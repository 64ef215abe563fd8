import AFCCrawlRules
import AFCCrawler
import AFCPackager
import TestOrigin
import Testing

/// Ways in which pages and scripts name what they load, each as a site of a few lines that is crawled as it is.
struct LoadingFormTests {
    typealias Answer = TestOrigin.Answer

    /// A form, the site's files, and those that are found besides the start page.
    struct Form: CustomTestStringConvertible, Sendable {
        var name: String
        var files: [String: String]
        var found: [String]
        var absent = 0
        var testDescription: String { name }
    }

    private static let icon = "<link rel=icon href=data:,>"
    private static let next = """
        <a href="/about/">a</a><script>(self.__next_f=self.__next_f||[]).push([0])</script>\
        <script>self.__next_f.push([1,"0:{\\"P\\":null,\\"b\\":\\"x\\",\\"p\\":\\"\\",\\"c\\":[\\"\\",\\"\\"],\\"i\\":false}\\n"])</script>
        """

    private static let forms = [
        Form(
            name: "data of Next.js beside pages",
            files: [
                "/": next, "/index.txt": "1:\"$S\"", "/about/": "<script>self.__next_f=[]</script>",
                "/about/index.txt": "1:\"$S\"", "/__next._tree.txt": "0:{}", "/about/__next._tree.txt": "0:{}",
            ],
            found: ["/about/", "/about/index.txt", "/about/__next._tree.txt"]
        ),
        Form(
            name: "relative to the page, in a file",
            files: [
                "/": "<script src=lib/boot.js></script>", "/lib/boot.js": "fetch('data/boot.json').then(f)",
                "/data/boot.json": "{}",
            ],
            found: ["/data/boot.json"]
        ),
        Form(
            name: "behind an unknown base",
            files: [
                "/": "<script src=/_nuxt/a.js></script>",
                "/_nuxt/a.js": "fetch(`${b}config.json`);fetch(b+'list.json');import(`${b}pagefind/pagefind.js`)",
                "/config.json": "{}", "/list.json": "[]", "/pagefind/pagefind.js": "1",
            ],
            found: ["/config.json", "/list.json", "/pagefind/pagefind.js"]
        ),
        Form(
            name: "in a variable",
            files: [
                "/": "<script src=a.js></script>",
                "/a.js": "var u=`./index.json`;const s='/en.search-data.min.81418eb2.json';fetch(u);fetch(s)",
                "/index.json": "{}", "/en.search-data.min.81418eb2.json": "[]",
            ],
            found: ["/index.json", "/en.search-data.min.81418eb2.json"]
        ),
        Form(
            name: "XMLHttpRequest and jQuery",
            files: [
                "/": "<script src=a.js></script><script>$.getJSON('i.json',f)</script>",
                "/a.js": "x.open('GET','/j.json');$.ajax({url:'/k.json',dataType:'json'});$.get('/l.html',f)",
                "/i.json": "{}", "/j.json": "{}", "/k.json": "{}", "/l.html": "x",
            ],
            found: ["/i.json", "/j.json", "/k.json", "/l.html"]
        ),
        Form(
            name: "the action of a form",
            files: ["/": "<form action=./search.html><input name=q></form>", "/search.html": "x"],
            found: ["/search.html"]
        ),
        Form(
            name: "a stream's playlists",
            files: [
                "/": "<video><source src=v/main.m3u8></video>",
                "/v/main.m3u8": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n",
                "/v/low.m3u8": "#EXTM3U\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\ns.m4s\n#EXT-X-ENDLIST\n",
                "/v/i.mp4": "x", "/v/s.m4s": "x",
            ],
            found: ["/v/low.m3u8", "/v/i.mp4", "/v/s.m4s"]
        ),
        Form(
            name: "a worker behind a base",
            files: [
                "/": "<script src=scripts/app.js></script>", "/scripts/app.js": "new Worker(root+'scripts/w.js')",
                "/scripts/w.js": "1",
            ],
            found: ["/scripts/w.js"]
        ),
        Form(
            name: "the list of a service worker",
            files: [
                "/": "<script>navigator.serviceWorker.register('sw.js')</script>",
                "/sw.js": "const F=['./','js/w.js','t/car.svg'];caches.open('v').then(c=>c.addAll(F))",
                "/js/w.js": "1", "/t/car.svg": "<svg/>",
            ],
            found: ["/js/w.js", "/t/car.svg"]
        ),
        Form(
            name: "registered files of Observable Framework",
            files: [
                "/":
                    "<script type=module>registerFile('./d.json',{\"name\":\"./d.json\",\"path\":\"./_file/d.02ab.json\"})</script>",
                "/_file/d.02ab.json": "{}",
            ],
            // The name is none.
            found: ["/_file/d.02ab.json"]
        ),
        Form(
            name: "an import that nothing calls",
            files: [
                "/": "<script type=module src=a.js></script>",
                "/a.js": "export const x={get y(){return import('./b.js')}}",
            ],
            found: ["/a.js"],
            absent: 1
        ),
        Form(
            name: "modules of RequireJS",
            files: [
                "/": "<script data-main=js/main src=js/require.js></script>", "/js/require.js": "1",
                "/js/main.js": "define(['./dep'],f)", "/js/dep.js": "define([],1)",
            ],
            found: ["/js/main.js", "/js/dep.js"]
        ),
        Form(
            name: "modules of RequireJS whose name is elsewhere",
            files: [
                "/": "<script data-main=main.js src=require.js></script>", "/require.js": "1",
                "/main.js": "require.config({paths:{locales:'./locales/locale'}});require(['locales'])",
                "/locales/locale.js": "define(['./locales/ca.js','./locales/de.js'],f)",
                "/locales/ca.js": "define({})", "/locales/de.js": "define({})",
            ],
            found: ["/locales/ca.js", "/locales/de.js"]
        ),
        Form(
            name: "a script that opens another page",
            files: [
                "/": "<a href=o.html>o</a>", "/o.html": "<script>location.replace('n.html')</script>", "/n.html": "n",
            ],
            found: ["/n.html"]
        ),
        Form(
            name: "a menu of versions",
            files: [
                "/": "<select onchange='location=this.value'><option value=v1/>1</option></select>", "/v1/": "one",
            ],
            found: ["/v1/"]
        ),
        Form(
            name: "attributes of components, and a member of an argument",
            files: [
                "/": "<redoc spec-url=o.yaml></redoc><model-viewer src=a.glb></model-viewer><script src=i.js></script>",
                "/o.yaml": "openapi: 3.1.0", "/a.glb": "x", "/i.js": "Bundle({url:'./p.json',id:'#x'})",
                "/p.json": "{}",
            ],
            found: ["/o.yaml", "/a.glb", "/p.json"]
        ),
        Form(
            name: "an attribute for a script",
            files: ["/": "<a href=d/>d</a>", "/d/": "<body data-search-index-url='../find.json'>", "/find.json": "{}"],
            found: ["/find.json"]
        ),
        Form(
            name: "data of Swift-DocC beside pages",
            files: [
                "/": "<a href=/documentation/lamp/>l</a>",
                "/documentation/lamp/": "<script>var baseUrl = \"/\"</script><script src=/js/index.1.js></script>",
                "/js/index.1.js": "1", "/index/index.json": "{}", "/theme-settings.json": "{}",
                "/data/documentation/lamp.json":
                    "{\"references\":{\"a\":{\"url\":\"/documentation/lamp/wick\"},\"b\":{\"variants\":[{\"url\":\"/images/w.png\"}]}}}",
                "/documentation/lamp/wick": "x", "/data/documentation/lamp/wick.json": "{}", "/images/w.png": "x",
            ],
            found: [
                "/data/documentation/lamp.json", "/documentation/lamp/wick", "/data/documentation/lamp/wick.json",
                "/images/w.png",
            ]
        ),
    ]

    private static func answer(_ path: String, _ text: String) -> Answer {
        let types = [
            "js": "text/javascript", "json": "application/json", "svg": "image/svg+xml", "txt": "text/plain",
            "m3u8": "application/vnd.apple.mpegurl", "png": "image/png", "yaml": "application/yaml",
        ]
        let suffix = path.split(separator: ".").last.map(String.init) ?? ""
        let isPage = path.hasSuffix("/") || path.hasSuffix(".html") || !path.contains(".")
        return isPage ? .html(icon + text) : .text(text, type: types[suffix] ?? "application/octet-stream")
    }

    @Test(arguments: forms)
    func `what a page needs is found`(form: Form) async throws {
        let routes = Dictionary(uniqueKeysWithValues: form.files.map { ($0, [Self.answer($0, $1)]) })
        let (targets, report) = try await crawled(routes)
        #expect(Set(form.found).subtracting(targets) == [])
        #expect(report.outcome == .complete && report.failures == [])
        #expect(report.absentGuesses == form.absent)
    }
}
