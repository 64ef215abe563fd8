import AFCURL
import Testing

@testable import AFCDiscovery

/// What scripts of libraries load or open because of attributes, forms and menus.
struct ComponentReferencesTests {
    /// The references of a page, each as `kind loads attribute text`, a guess with a question mark.
    private func found(_ markup: String, usesRecipes: Bool = true) throws -> [String] {
        ReferenceExtractor.references(
            in: Array(markup.utf8),
            mediaType: "text/html",
            charset: "utf-8",
            url: try WebURL("http://d.example/a/"),
            usesRecipes: usesRecipes
        ).references.map { item in
            let reference = item.reference
            let mark = reference.isGuess ? "?" : reference.isConditional ? "*" : ""
            let path = item.url.host == "d.example" ? item.url.path : item.url.description
            return "\(mark)\(reference.kind) \(reference.loads.rawValue) \(reference.attribute) \(path)"
        }
    }

    @Test(arguments: [
        (
            "<model-viewer src=a.glb poster=b.webp></model-viewer>",
            ["requisite other src /a/a.glb", "requisite image poster /a/b.webp"]
        ),
        (
            "<model-viewer src=a.glb environment-image=e.hdr skybox-image='s.jpg' alt=b.png></model-viewer>",
            [
                "requisite other src /a/a.glb", "?requisite other environment-image /a/e.hdr",
                "?requisite image skybox-image /a/s.jpg",
            ]
        ),
        (
            "<a-entity obj-model='obj: url(m.obj); mtl: url( m.mtl )' position='1 2 3'></a-entity>",
            ["?requisite other obj-model /a/m.obj", "?requisite other obj-model /a/m.mtl"]
        ),
        ("<a-entity gltf-model='#id' x='url(' y=') url(#b)'></a-entity><b-entity x='url(a)'>", []),
        ("<lottie-player src=a.json>", ["requisite other src /a/a.json"]),
        ("<zero-md src='x/README.md'>", ["requisite other src /a/x/README.md"]),
        ("<asciinema-player src=/c.cast>", ["requisite other src /c.cast"]),
        ("<SL-ICON src=a.svg>", ["requisite image src /a/a.svg"]),
        ("<a-assets><a-asset-item id=m src=t.gltf></a-asset-item></a-assets>", ["requisite other src /a/t.gltf"]),
        ("<include-fragment src=/part>", ["frame document src /part"]),
        ("<turbo-frame id=x src=part.html loading=lazy>", ["frame document src /a/part.html"]),
        ("<x-player src=v.mp4>", ["?requisite media src /a/v.mp4"]),
        ("<x-picture src=p.png>", ["?requisite image src /a/p.png"]),
        ("<x-data src=d.json>", ["?requisite other src /a/d.json"]),
        ("<redoc spec-url=openapi.yaml></redoc>", ["requisite other spec-url /a/openapi.yaml"]),
        ("<rapi-doc spec-url='/o.json'>", ["requisite other spec-url /o.json"]),
        ("<x-docs spec-url=o.json>", ["?requisite other spec-url /a/o.json"]),
        ("<div hx-get=part.html hx-trigger='load delay:1s, click'>", ["frame document hx-get /a/part.html"]),
        ("<div data-hx-get=part.html data-hx-trigger=revealed>", ["?frame document data-hx-get /a/part.html"]),
        ("<div w3-include-html=head.html>", ["frame document w3-include-html /a/head.html"]),
        ("<section data-markdown=slides.md data-separator='^---'>", ["requisite other data-markdown /a/slides.md"]),
        ("<div data-markdown=x.md>", ["?requisite other data-markdown /a/x.md"]),
        (
            "<section data-background-image='a.png, b.png' DATA-BACKGROUND-VIDEO=v.mp4 data-background-iframe=f.html>",
            [
                "?requisite image data-background-image /a/a.png", "?requisite image data-background-image /a/b.png",
                "?requisite media data-background-video /a/v.mp4", "?frame document data-background-iframe /a/f.html",
            ]
        ),
        ("<tr data-href=row.html>", ["?link document data-href /a/row.html"]),
        ("<button onclick=\"location='x.html'\">", ["link document onclick /a/x.html"]),
        ("<p onclick=\"window.location.href = &quot;/y&quot;; return false\">", ["link document onclick /y"]),
        ("<td onclick=\"window.open('z.html', '_blank')\">", ["link document onclick /a/z.html"]),
        (
            "<a href=# onclick=\"location.assign('z.html')\">",
            ["link document href /a/", "link document onclick /a/z.html"]
        ),
    ])
    func `components load what their attributes name`(markup: String, expected: [String]) throws {
        #expect(try found(markup) == expected)
        let certain = expected.filter { !$0.hasPrefix("?") }
        #expect(try found(markup, usesRecipes: false) == certain)
    }

    @Test(arguments: [
        "<model-viewer src='#x'>", "<model-viewer src=''>", "<x-y src=name>", "<x-y src='{{ url }}/a.png'>",
        "<xy src=a.png>",
        "<svg><x-y src=a.png></svg>", "<div hx-get=a.html>", "<div hx-get=a.html hx-trigger=click>",
        "<div hx-get=a hx-trigger=reload>",
        "<section data-markdown><script type=text/template># a</script></section>", "<p data-markdown='*a* b.md c.'>",
        "<section data-background-color=red data-background-x=a.png>", "<section data-background-video='#v'>",
        "<tr data-href='#x'>", "<tr data-href='javascript:x()'>", "<tr data-href='/p/{id}'>",
        "<p onclick=\"go('x.html')\">", "<p onclick=\"location = base + 'x.html'\">", "<p onclick=\"a.location='x'\">",
        "<p onclick=\"location='x?id=' + id\">", "<p onclick=\"if (location.href == 'x') go()\">",
        "<template><redoc></template>",
    ])
    func `other attributes and values are ignored`(markup: String) throws {
        #expect(try found(markup) == [])
    }

    @Test(arguments: [
        ("<form action=./search.html><input name=q></form>", ["link document action /a/search.html"]),
        ("<form method=GET action='/s?lang=en#x'>", ["link document action /s"]),
        ("<form method=get action=https://d.example/s>", ["link document action /s"]),
        ("<form action=https://other.example/s>", []),
        ("<form action=http://d.example:80/s>", ["link document action /s"]),
        (
            "<form action=https://other.example/s></form><a href=https://other.example/s>x</a>",
            ["link document href https://other.example/s"]
        ),
        ("<form method=post action=/s><button formaction=/t>", []),
        ("<form method=post action=/s><button formaction=/t formmethod=get>", ["link document formaction /t"]),
        (
            "<form><input type=submit formaction=/t><button formaction=/u formmethod=Post></form>",
            ["link document formaction /t"]
        ),
        ("<form></form><button formaction=/t>", []), ("<form method=dialog action=/s>", []),
        ("<form action='?q=x'>", []),
        ("<form action=''>", []), ("<form action='{{ url }}'>", []), ("<form action=javascript:x>", []),
        ("<form method=foo action=/s>", ["link document action /s"]),
        ("<base href=/b/><form action=s.html>", ["link document action /b/s.html"]),
    ])
    func `the address of a form that is sent as a query is a link`(markup: String, expected: [String]) throws {
        #expect(try found(markup) == expected)
    }

    @Test(arguments: [
        (
            "<select onchange='location=this.value'><option value=v1/>1</option><option value=v2>2</option></select>",
            ["v1/", "v2"]
        ),
        (
            "<select onchange='window.location.href = this.options[this.selectedIndex].value'><option value=/v1/>",
            ["/v1/"]
        ),
        ("<select><option value=''>choose<option value=../v1/><option value=../v2/></select>", ["../v1/", "../v2/"]),
        (
            "<select><option value=a.html><option value='b.html?x'></select><option value=c.html>",
            ["a.html", "b.html?x"]
        ),
        ("<select data-navigate><option value=v1>", ["v1"]),
        ("<select data-action='change->menu#redirect'><option value=v1>", ["v1"]),
        ("<select onchange=\"location='/docs/'+this.value\"><option value=v1>", []),
        ("<select onchange='filter(this.value)'><option value=red>", []),
        ("<select><option value=text/html><option value=Europe/Berlin></select>", []),
        ("<select><option value=/a/><option value=red></select>", []),
        ("<select><option value=1/2><option value='/ week'></select>", []),
        ("<datalist><option value=/a/></datalist>", []),
    ])
    func `the choices of a menu of pages are guesses`(markup: String, values: [String]) throws {
        let all = ReferenceExtractor.references(
            in: Array(markup.utf8),
            mediaType: "text/html",
            charset: "utf-8",
            url: try WebURL("http://d.example/a/b/")
        ).references
        #expect(all.map(\.reference.text) == values)
        #expect(all.allSatisfy { $0.reference.isGuess && $0.kind == .link && $0.reference.loads == .document })
    }

    @Test func `a menu with too many choices is no menu of pages unless its script says so`() throws {
        let options = (0..<2_000).map { "<option value=/\($0)/>" }.joined()
        #expect(try found("<select>" + options).isEmpty)
        #expect(try found("<select onchange='location=value'>" + options).count == 256)
    }

    @Test(arguments: [
        ("<script>window.location.replace('new.html')</script>", ["redirect document location /a/new.html"]),
        (
            "<p>text<a href=x>x</a><script>location.href=\"n\";</script>",
            ["link document href /a/x", "redirect document location /a/n"]
        ),
        (
            "<script>setTimeout(function(){location='n'},100)</script><p>You are redirected.",
            ["redirect document location /a/n"]
        ),
        ("<script>onload=()=>{top.location.assign('n')}</script><a href=n>", ["link document href /a/n"]),
        ("<script>if (a) { location = 'n' }</script><img src=i>", ["requisite image src /a/i"]),
        ("<script type=module>location.replace('n')</script>", ["redirect document location /a/n"]),
        ("<script type=text/template>location.replace('n')</script>", []),
        ("<script>window.open('n')</script>", []),
    ])
    func `a script that opens a page at once is a redirect`(markup: String, expected: [String]) throws {
        #expect(try found(markup) == expected)
    }

    @Test func `a script's function is no redirect if the page has text`() throws {
        let script = "<script>function f(){location='n'}</script>"
        #expect(try found(script + String(repeating: "word ", count: 400)).isEmpty)
        #expect(try found(script + String(repeating: " ", count: 4_000)).count == 1)
    }

    @Test(arguments: [
        (
            "<script data-main=js/main src=js/require.js></script>",
            ["requisite script data-main /a/js/main.js", "requisite script src /a/js/require.js"]
        ),
        (
            "<script data-main=/app.js src=/lib/require.min.js></script>",
            ["requisite script data-main /app.js", "requisite script src /lib/require.min.js"]
        ),
        (
            "<script data-main=x src=y.js></script>",
            ["?requisite script data-main /a/x.js", "requisite script src /a/y.js"]
        ),
        (
            "<script data-main=js/main src=require.js></script><script>require(['./a','b/c','https://cdn.example/x.js'])</script>",
            [
                "requisite script data-main /a/js/main.js", "requisite script src /a/require.js",
                "*requisite script require /a/js/a.js",
                "?requisite script require /a/js/b/c.js", "?requisite script require https://cdn.example/x.js",
            ]
        ),
        (
            "<script>require.config({baseUrl: '/js', paths: {jq: 'lib/jq', 'x': ['//cdn.example/x', 'lib/x']}});require(['jq','app'])</script>",
            [
                "?requisite script require /js/lib/jq.js", "?requisite script require http://cdn.example/x.js",
                "?requisite script require /js/lib/x.js",
                "?requisite script require /js/app.js",
            ]
        ),
    ])
    func `modules of an AMD loader are found in pages`(markup: String, expected: [String]) throws {
        #expect(try found(markup) == expected)
    }
}
