"""Small sites for scripts/test_sites.py, by hand: each loads its pages and its search in the way of one tool, or in one way that
many sites have. The text and the code are our own.

A site is a dictionary of paths and contents. In each, a script writes the heading of the start page, or the pages behind its links,
only once it has everything that it loads. `search` writes links for the results of a search into `#search`.
"""

import base64
import hashlib
import json
import pathlib

PAGES = {
    "index": ("Lighthouse handbook", "For keepers and their helpers."),
    "lamps": ("Lamps", "Trim the wick each evening, and polish the lens."),
    "storms": ("Storms", "In a gale, close the shutters. The foghorn sounds each minute."),
}
ICON = "<link rel=icon href=data:,>"
BOX = "<form id=search onsubmit='return false'><input><p></p></form>"
# Shows a page, and the results of a search; `find` gets a word and returns pages with `url` and `title`.
SHOW = """
function show(page) { document.querySelector("main").innerHTML = "<h1>" + page.title + "</h1><p>" + page.text + "</p>"; }
function search(find) {
    document.querySelector("#search input").addEventListener("input", async event => {
        const found = event.target.value ? await find(event.target.value) : [];
        document.querySelector("#search p").innerHTML = found.map(page => `<a href="${page.url}">${page.title}</a>`).join(" ");
    });
}
function having(word, pages) { return pages.filter(page => (page.title + page.text).includes(word)); }
"""
# A minimal module of WebAssembly, which exports nothing.
WASM = b"\0asm\1\0\0\0"


def shell(body, head="", title="Handbook"):
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>{ICON}{head}<body>{body}"


def page(name, head="", more="", box=True):
    """A page with its text, a link to the lamps and the search."""
    title, text = PAGES[name]
    link = "<a href=lamps.html>Lamps</a> <a href=storms.html>Storms</a>" if name == "index" else ""
    return shell(f"{BOX if box else ''}<main><h1>{title}</h1><p>{text}</p>{link}</main>{more}", head, title)


def documents(suffix=".html", prefix=""):
    """The pages for an index."""
    return [
        {"url": prefix + ("./" if name == "index" else name + suffix), "title": title, "text": text}
        for name, (title, text) in PAGES.items()
    ]


def pages(head="", more="", **files):
    """Three pages with the same head and end, and further files."""
    return {f"{name}.html": page(name, head, more) for name in PAGES} | files


INDEX = json.dumps(documents())


def indexed(script, path, index=INDEX, head="", **files):
    """Pages with a script at a path that searches an index."""
    return pages(head=head, more=f"<script src={path}></script>") | {path: SHOW + script} | files


SMALL = {}


def small(name, tool, files, **facts):
    files.setdefault("storms.html", page("storms", box=False))
    SMALL[name] = (tool, files, facts)


# ---- Ways in which scripts name what they load.

small("fetch-in-file", "a script in a folder, relative to the page", indexed(
    'search(async word => having(word, await (await fetch("data/pages.json")).json()));', "lib/app.js") | {"data/pages.json": INDEX})

small("fetch-base", "a base and the ends of addresses", indexed(
    """
    const base = () => document.location.pathname.replace(/[^/]*$/, "");
    search(async word => {
        const settings = await (await fetch(`${base()}settings.json`)).json();
        const found = await import(`${base()}finder/finder.js`);
        return found.find(having, word, await (await fetch(base() + settings.name + ".json")).json());
    });
    """, "_app/a.js") | {
    "settings.json": '{"name": "list"}', "list.json": INDEX, "finder/finder.js": "export const find = (having, word, list) => having(word, list);",
    "_app/b.js": 'const lists = ["list.json"];'} | {"index.html": page("index", more="<script src=_app/a.js></script><script src=_app/b.js></script>")})

small("hugo-book", "Hugo Book", indexed(
    'const searchDataURL = "/en.search-data.min.81418eb2875dd86b.json";\nsearch(async word => having(word, await (await fetch(searchDataURL)).json()));',
    "en.search.min.5f0c.js") | {"en.search-data.min.81418eb2875dd86b.json": INDEX})

small("xhr", "XMLHttpRequest and jQuery", indexed(
    """
    const $ = {getJSON: async (url, then) => then(await (await fetch(url)).json())};
    const load = url => new Promise(done => {
        const request = new XMLHttpRequest();
        request.open("GET", url);
        request.onload = () => done(JSON.parse(request.responseText));
        request.send();
    });
    search(async word => {
        const request = new XMLHttpRequest();
        request.open("GET", "settings.json", false);
        request.send();
        return new Promise(done => $.getJSON("pages.json", pages => done(having(word, pages).slice(0, JSON.parse(request.responseText).most))));
    });
    """, "js/app.js") | {"settings.json": '{"most": 9}', "pages.json": INDEX})

small("worker", "a worker behind a base", indexed(
    """
    const root = document.currentScript.src.replace("scripts/app.js", "");
    const worker = new Worker(root + "scripts/find-worker.js");
    search(word => new Promise(done => {
        worker.onmessage = event => done(event.data);
        worker.postMessage(word);
    }));
    """, "scripts/app.js") | {
    "scripts/find-worker.js": 'importScripts("lib/pages.js");\nonmessage = event => postMessage(pages.filter(page => page.text.includes(event.data)));',
    "scripts/lib/pages.js": f"const pages = {INDEX};"})

small("data-attribute", "Doctum, an attribute that names the index", {
    name: text.replace("<body>", '<body data-search-index-url="doctum-search.json">') for name, text in pages(
        more="<script src=doctum.js></script>").items()} | {"doctum.js": SHOW + """
    const url = document.body.getAttribute("data-search-index-url");
    search(async word => having(word, (await (await fetch(url)).json()).items));
    """, "doctum-search.json": json.dumps({"items": documents()})})

small("form", "a form that leads to the page of results", {
    f"{name}.html": page(name, box=False, more="<form id=search action=./search.html><input name=q></form>") for name in PAGES} | {
    "search.html": shell("<form id=search><input name=q></form><main><h1>Results</h1></main><p id=results></p><script src=find.js></script>"),
    "find.js": SHOW + """
    const word = new URLSearchParams(location.search).get("q");
    document.querySelector("#results").innerHTML = having(word, pages).map(page => `<a href="${page.url}">${page.title}</a>`).join(" ");
    """.replace("pages)", INDEX + ")")}, search={"field": "#search input", "result": "#results a", "enter": True})

small("jazzy", "Jazzy", {
    f"{name}.html": page(name, box=False, more="<form role=search action=search.json id=search><input data-typeahead><p></p></form>"
                         "<script src=js/jazzy.search.js></script>") for name in PAGES} | {
    "js/jazzy.search.js": SHOW + """
    const url = document.querySelector("[role=search]").getAttribute("action");
    search(async word => having(word, Object.values(await (await fetch(url)).json())));
    """, "search.json": json.dumps({page["url"]: page for page in documents()})})

small("service-worker", "a service worker by hand", pages(more="<script src=app.js></script>") | {
    "app.js": SHOW + """
    if (location.protocol == "https:") navigator.serviceWorker.register("sw.js");
    const part = name => ["parts", name].join("/");
    search(async word => having(word, await (await fetch(part("pages"))).json()));
    """, "sw.js": """
    const files = ["./", "lamps.html", "parts/pages"];
    addEventListener("install", event => event.waitUntil(caches.open("v1").then(cache => cache.addAll(files))));
    """, "parts/pages": INDEX})

small("menu", "a menu of versions", {
    "index.html": page("index", box=False, more="<select onchange='location = this.value'><option value=./>2</option>"
                       "<option value=v1/>1</option></select><button id=go>1</button><script src=menu.js></script>"),
    "menu.js": """
    const menu = document.querySelector("select");
    document.querySelector("#go").onclick = () => {
        menu.selectedIndex = 1;
        menu.dispatchEvent(new Event("change"));
    };
    """, "lamps.html": page("lamps", box=False), "v1/index.html": shell("<main><h1>Storms</h1></main>")}, link="#go", target="Storms")

small("redirects", "pages of a script that lead elsewhere", {
    "index.html": page("index", box=False).replace("lamps.html", "old.html"), "lamps.html": page("lamps", box=False),
    "old.html": "<!doctype html><title>x</title><script>window.location.replace('lamps.html' + location.hash)</script>"},
    link="main a")

small("slash", "a script that leads to a folder without its slash", {
    "index.html": page("index", box=False, more="<p><a href=lamps/>Lamps</a>").replace("<a href=lamps.html>Lamps</a> <a href=storms.html>Storms</a>", "<b id=go onclick='location = \"/lamps\"'>Lamps</b>"),
    "lamps/index.html": page("lamps", box=False)}, link="#go")

small("missing-page", "an application in a page for missing URLs, as on GitHub Pages", {
    "index.html": shell("<a id=go href=/lamps>Lamps</a><main></main><script src=/app.js></script>"),
    "404.html": shell("<main></main><script src=/app.js></script>"),
    "app.js": SHOW + "const pages = " + json.dumps({("/" if name == "index" else "/" + name): {"title": title, "text": text}
                                                   for name, (title, text) in PAGES.items()}) + """;
    const open = () => show(pages[location.pathname] || {title: "Nothing here", text: ""});
    document.querySelector("#go")?.addEventListener("click", event => {
        event.preventDefault();
        history.pushState({}, "", event.target.href);
        open();
    });
    open();
    """}, link="#go", absent=("/lamps",))

small("requirejs", "RequireJS, with its own loader", {
    "index.html": page("index", more="<script data-main=js/main src=js/require.js></script>", box=True),
    "lamps.html": page("lamps"), "storms.html": page("storms"),
    "js/require.js": """
    const base = document.currentScript.getAttribute("data-main").replace(/[^/]*$/, ""), waiting = {};
    window.define = (names, make) => { const name = document.currentScript.dataset.name;
        Promise.all(names.map(load)).then(parts => waiting[name].done(make(...parts))); };
    function load(name) {
        name = name.replace("./", "");
        return (waiting[name] ??= (() => { const one = {}; one.promise = new Promise(done => one.done = done);
            const script = document.createElement("script"); script.dataset.name = name; script.src = base + name + ".js";
            document.head.append(script); return one; })()).promise;
    }
    load("main");
    """, "js/main.js": SHOW + 'define(["./pages"], pages => search(async word => having(word, pages)));',
    "js/pages.js": f"define([], () => {INDEX});"})

small("components", "attributes of components", {
    "index.html": page("index", box=False, head="<script src=parts.js defer></script>",
                       more="<zero-md src=notes.md></zero-md><turbo-frame src=frame.html></turbo-frame><api-view spec-url=api.yaml></api-view>")
        .replace("<h1>Lighthouse handbook", "<h1>Loading"),
    "lamps.html": page("lamps", box=False), "notes.md": "# Notes", "frame.html": "<p>A frame", "api.yaml": "openapi: 3.1.0",
    "parts.js": """
    const parts = [...document.querySelectorAll("[src], [spec-url]")].filter(part => part.localName.includes("-"));
    Promise.all(parts.map(part => fetch(part.getAttribute("src") ?? part.getAttribute("spec-url")))).then(all => {
        if (all.length == 3 && all.every(one => one.ok)) document.querySelector("h1").textContent = "Lighthouse handbook";
    });
    """})

small("optional-imports", "imports that nothing calls", pages(head="<script type=module src=app.js></script>") | {
    "app.js": SHOW + """
    const parts = {get pages() { return import("./pages.js"); }, get maps() { return import("./maps.js"); }};
    search(async word => having(word, (await parts.pages).default));
    """, "pages.js": f"export default {INDEX};"})

small("import-map", "modules in files that import names", pages(
    head='<script type=importmap>{"imports": {"finder": "./lib/finder.js", "finder/parts/": "./lib/parts/"}}</script><script type=module src=js/app.js></script>') | {
    "js/app.js": 'import { find } from "finder";\nimport { pages } from "finder/parts/pages.js";\n' + SHOW + "search(async word => find(having, word, pages));",
    "lib/finder.js": 'import { checked } from "finder/parts/deep/checked.js";\nexport const find = (having, word, pages) => checked(having(word, pages));',
    "lib/parts/pages.js": f"export const pages = {INDEX};", "lib/parts/deep/checked.js": "export const checked = pages => pages;"})

small("worker-folder", "a worker beside its script, after what another member of an object tells", indexed(
    """
    const links = {root: document.currentScript.src.replace("scripts/app.js", "")};
    links.folder = links.root + "scripts/";
    const worker = new Worker(links.folder + "pages-worker.js");
    search(word => new Promise(done => {
        worker.onmessage = event => done(event.data);
        worker.postMessage(word);
    }));
    """, "scripts/app.js") | {
    "scripts/pages-worker.js": f"""
    onmessage = event => postMessage({INDEX}.filter(page => (page.title + page.text).includes(event.data)));
    """})

small("game", "Phaser and p5: loaders of pictures, sounds and levels", {
    "index.html": shell("<main><h1>Loading</h1><a href=lamps.html>Lamps</a></main><script src=game.js></script>"),
    "lamps.html": page("lamps", box=False),
    "game.js": """
    const files = [], add = (_, url) => files.push(url);
    class Start {
        load = {image: add, spritesheet: add, tilemapTiledJSON: add, audio: (_, urls) => files.push(urls[0])};
        preload() {
            this.load.image("sky", "assets/sky.svg");
            this.load.spritesheet("gulls", "assets/gulls.svg", {frameWidth: 32, frameHeight: 32});
            this.load.audio("horn", ["assets/horn.ogg", "assets/horn.mp3"]);
            this.load.tilemapTiledJSON("level", "assets/level.json");
        }
    }
    new Start().preload();
    Promise.all(files.map(url => fetch(url))).then(all => {
        if (all.every(one => one.ok)) document.querySelector("h1").textContent = "Lighthouse handbook";
    });
    """, "assets/sky.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>", "assets/gulls.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "assets/horn.ogg": "OggS", "assets/horn.mp3": "ID3", "assets/level.json": "{}"})

# ---- Tools.

small("gitbook", "GitBook 3", {
    f"{name}.html": page(name, more="<script src=gitbook/gitbook.js></script><script src=gitbook/gitbook-plugin-search/search-engine.js></script>")
    for name in PAGES} | {
    "gitbook/gitbook.js": SHOW + "window.gitbook = {state: {basePath: '.'}};\nwindow.$ = {getJSON: url => fetch(url).then(answer => answer.json())};",
    "gitbook/gitbook-plugin-search/search-engine.js":
        'search(async word => having(word, Object.values((await $.getJSON(gitbook.state.basePath + "/search_index.json")).store)));',
    "search_index.json": json.dumps({"index": {}, "store": {page["url"]: page for page in documents()}})})

small("bookdown", "bookdown", {
    f"{name}.html": page(name, more="<script src=libs/gitbook-2.6.7/js/app.min.js></script><script src=libs/gitbook-2.6.7/js/plugin-search.js></script>")
    for name in PAGES} | {
    "libs/gitbook-2.6.7/js/app.min.js": SHOW + "window.$ = {getJSON: url => fetch(url).then(answer => answer.json())};",
    "libs/gitbook-2.6.7/js/plugin-search.js": """
    const index = {path: "search_index.json"};
    search(async word => (await $.getJSON("search_index.json")).map(([url, title, text]) => ({url, title, text}))
        .filter(page => page.text.includes(word)));
    """, "search_index.json": json.dumps([[page["url"], page["title"], page["text"]] for page in documents()])})

small("dokka", "Dokka", {
    f"{name}.html": page(name, head='<script>var pathToRoot = "";</script>', more="<div id=sideMenu></div>"
                         "<script src=scripts/navigation-loader.js></script><script src=scripts/main.js></script>") for name in PAGES} | {
    "scripts/navigation-loader.js": 'fetch(pathToRoot + "navigation.html").then(answer => answer.text()).then(text => document.querySelector("#sideMenu").innerHTML = text);',
    "scripts/main.js": SHOW + """
    const files = ["pages"].map(name => pathToRoot + "scripts/" + name + ".json");
    search(async word => (await (await fetch(files[0])).json()).filter(page => page.searchKeys.some(key => key.includes(word)))
        .map(page => ({url: page.location, title: page.name})));
    """, "navigation.html": "<div class=sideMenuPart><a href=storms.html>Storms</a></div>",
    "scripts/pages.json": json.dumps([{"name": page["title"], "location": page["url"], "searchKeys": [page["text"]]} for page in documents()])})

small("scaladoc", "Scaladoc 3", {
    f"{name}.html": page(name, head='<script>var pathToRoot = "";</script><script src=scripts/searchData.js></script>', more="<script src=scripts/searchbar.js></script>")
    for name in PAGES} | {
    "scripts/searchData.js": f"pages = {INDEX};",
    "scripts/searchbar.js": SHOW + """
    const worker = new Worker(pathToRoot + "scripts/inkuire-worker.js");
    search(word => new Promise(done => {
        worker.onmessage = event => done(event.data);
        worker.postMessage({word, pages});
    }));
    """, "scripts/inkuire-worker.js": "onmessage = event => postMessage(event.data.pages.filter(page => page.text.includes(event.data.word)));"})

small("observable", "Observable Framework", {
    "index.html": shell(f"""{BOX}<main><h1>Lighthouse handbook</h1><a href=lamps>Lamps</a> <a href=storms>Storms</a></main>
    <script type=module>
    import {{define, registerFile}} from "./_observablehq/client.js";
    registerFile("./data/pages.json", {{"name":"./data/pages.json","mimeType":"application/json","path":"./_file/data/pages.02abdd2b.json"}});
    define("./data/pages.json");
    </script>"""), "lamps.html": page("lamps", box=False), "storms.html": page("storms", box=False),
    "_observablehq/client.js": SHOW + """
    const files = {};
    export const registerFile = (name, file) => files[name] = new URL(file.path, location);
    export const define = name => search(async word => having(word, await (await fetch(files[name])).json()));
    """, "_file/data/pages.02abdd2b.json": INDEX})

small("storybook", "Storybook 8", {
    "index.html": shell(f"{BOX}<button id=go>Lamps</button><main></main><iframe id=preview></iframe>"
                        "<script type=module src=./sb-manager/runtime.js></script>"),
    "iframe.html": shell("<div id=storybook-root></div><script src=sb-preview.js></script>"),
    "sb-preview.js": 'document.querySelector("#storybook-root").textContent = new URLSearchParams(location.search).get("id");',
    "sb-manager/runtime.js": SHOW + """
    const name = ["index", "json"].join("."), entries = Object.values((await (await fetch("./" + name)).json()).entries);
    const open = () => {
        const id = (new URLSearchParams(location.search).get("path") ?? "/story/index--page").replace("/story/", "");
        document.querySelector("iframe").src = "iframe.html?viewMode=story&id=" + id;
        document.querySelector("iframe").onload = () => show(entries.find(entry => entry.id == id));
    };
    document.querySelector("#go").onclick = () => { history.pushState({}, "", "?path=/story/" + entries[1].id); open(); };
    search(async word => having(word, entries));
    open();
    """, "index.json": json.dumps({"v": 5, "entries": {f"{name}--page": {
        "type": "story", "id": f"{name}--page", "title": title, "name": "Page", "text": text, "url": f"?path=/story/{name}--page"}
        for name, (title, text) in PAGES.items()}})}, link="#go", routed=True)

small("blazor", "Blazor WebAssembly 8", {
    **dict.fromkeys(("index.html", "lamps.html"), shell("<div id=app>Loading</div><noscript><a href=lamps>Lamps</a></noscript><script src=_framework/blazor.webassembly.js></script>", "<base href=/>")),
    "_framework/blazor.webassembly.js": SHOW + f"document.querySelector('#app').innerHTML = `{BOX}<a id=go href=lamps>Lamps</a><main></main>`;" + """
    const folder = new URL("_framework/", document.baseURI), part = name => fetch(new URL(name, folder));
    const boot = await_(["blazor", "boot", "json"].join("."));
    async function await_(name) { return (await part(name)).json(); }
    boot.then(async boot => {
        const names = Object.values(boot.resources).flatMap(list => Object.keys(list));
        const files = Object.fromEntries(await Promise.all(names.map(async name => [name, await (await part(name)).arrayBuffer()])));
        await WebAssembly.instantiate(files["dotnet.native.wasm"]);
        const pages = JSON.parse(new TextDecoder().decode(files["Handbook.wasm"])).pages;
        const open = () => show(pages.find(page => location.pathname.endsWith(page.url)) ?? pages[0]);
        document.querySelector("#go").onclick = event => { event.preventDefault(); history.pushState({}, "", event.target.href); open(); };
        search(async word => having(word, pages).map(page => ({...page, url: "javascript:show(" + JSON.stringify(page).replaceAll('"', "'") + ")"})));
        open();
    });
    """, "_framework/blazor.boot.json": json.dumps({"mainAssemblyName": "Handbook", "resources": {
        "assembly": {"Handbook.wasm": "sha256-x"}, "wasmNative": {"dotnet.native.wasm": "sha256-x"}}}),
    "_framework/Handbook.wasm": json.dumps({"pages": documents("")}), "_framework/dotnet.native.wasm": WASM}, link="#go", routed=True)

small("flutter", "Flutter 3", {
    "index.html": shell("<script src=flutter_bootstrap.js async></script>"),
    "flutter_bootstrap.js": """
    const builds = {"engineRevision":"x","builds":[{"compileTarget":"dart2js","renderer":"canvaskit","mainJsPath":"main.dart.js"}]};
    const script = document.createElement("script");
    script.src = builds.builds[0].mainJsPath;
    document.head.append(script);
    """,
    "main.dart.js": SHOW + f"document.body.innerHTML = `{BOX}<a id=go href=#/lamps>Lamps</a><main></main>`;" + """
    const asset = async name => (await fetch("assets/" + name)).json();
    (async () => {
        const names = Object.values(await asset("AssetManifest" + ".json")).flat();
        const pages = Object.values(await asset(names[0]));
        const open = () => show(pages.find(page => location.hash == "#/" + page.url) ?? pages[0]);
        addEventListener("hashchange", open);
        search(async word => having(word, pages).map(page => ({...page, url: "#/" + page.url})));
        open();
    })();
    """,
    "flutter_service_worker.js": 'const RESOURCES = {"main.dart.js": "1", "index.html": "2", "/": "2", "assets/AssetManifest.json": "3", "assets/packages/handbook/pages": "4"};\nconst CORE = ["main.dart.js"];',
    "assets/AssetManifest.bin.json": '""', "assets/FontManifest.json": "[]",
    "assets/AssetManifest.json": '{"packages/handbook/pages": ["packages/handbook/pages"]}',
    "assets/packages/handbook/pages": json.dumps(documents(""))}, link="#go", routed=True)

small("retype", "Retype", {
    f"{name}.html": page(name, head="<script src=resources/js/retype.js?v=3.5.0 defer></script>") for name in PAGES} | {
    "resources/js/retype.js": SHOW + """
    const query = new URL(document.currentScript.src).search, file = ["search", "json"].join(".");
    search(async word => having(word, await (await fetch("resources/js/" + file + query)).json()));
    """, "resources/js/search.json": INDEX})

small("myst", "MyST", {
    f"{name}.html": page(name, head="<link rel=stylesheet href=/myst-theme.css><script type=module src=/build/entry.client.js></script>") for name in PAGES} | {
    "myst-theme.css": "h1 { color: navy }", "build/entry.client.js": SHOW + """
    const file = kind => ["/myst", kind, "json"].join(".");
    search(async word => having(word, (await (await fetch(file("search"))).json()).records));
    """, "myst.search.json": json.dumps({"version": "1", "records": documents(prefix="/")}), "myst.xref.json": '{"references": []}'})

small("docc", "Swift-DocC", {
    path: shell("<div id=app></div>", '<script>var baseUrl = "/Handbook/"</script><script defer src=/Handbook/js/chunk-vendors.1.js></script>'
                '<script defer src=/Handbook/js/index.2.js></script>', "Documentation")
    for path in ["Handbook/documentation/handbook/index.html", "Handbook/documentation/handbook/lamps/index.html", "Handbook/documentation/handbook/storms/index.html"]} | {
    "Handbook/js/chunk-vendors.1.js": SHOW, "Handbook/js/index.2.js": f"document.querySelector('#app').innerHTML = `{BOX}<nav></nav><main></main>`;" + """
    const read = async path => (await fetch(baseUrl + path.slice(1))).json();
    const open = async () => {
        const data = await read("/data" + location.pathname.slice(baseUrl.length - 1).replace(/\\/$/, "") + ".json");
        const links = Object.values(data.references).filter(one => one.type == "topic");
        document.querySelector("nav").innerHTML = links.map(one => `<a href="${baseUrl.slice(0, -1)}${one.url}">${one.title}</a>`).join(" ");
        show({title: data.metadata.title, text: data.abstract[0].text});
    };
    document.querySelector("nav").onclick = event => {
        event.preventDefault();
        history.pushState({}, "", event.target.href);
        open();
    };
    search(async word => (await read(["", "index", "index.json"].join("/"))).interfaceLanguages.swift[0].children
        .filter(one => one.text.includes(word)).map(one => ({url: baseUrl + one.path.slice(1) + "/", title: one.title})));
    open();
    """, "Handbook/theme-settings.json": "{}", "Handbook/index/index.json": json.dumps({"interfaceLanguages": {"swift": [{
        "path": "/documentation/handbook", "children": [{"path": f"/documentation/handbook/{name}", "title": title, "text": text}
                                                        for name, (title, text) in PAGES.items() if name != "index"]}]}})} | {
    f"Handbook/data/documentation/handbook{'' if name == 'index' else '/' + name}.json": json.dumps({
        "metadata": {"title": title}, "abstract": [{"type": "text", "text": text}], "references": {} if name != "index" else {
            f"doc://x/{other}": {"type": "topic", "title": PAGES[other][0], "url": f"/documentation/handbook/{other}"} for other in ("lamps", "storms")}})
    for name, (title, text) in PAGES.items()}, start="/Handbook/documentation/handbook/", link="nav a[href$=lamps]", routed=True)

small("easyops", "Docusaurus with docusaurus-search-local", {
    f"{name}.html": page(name, more="<script src=/assets/js/runtime~main.1.js></script><script src=/assets/js/main.2.js></script>") for name in PAGES} | {
    "assets/js/runtime~main.1.js": """
    (()=>{"use strict";var e={},t={};function r(o){var n=t[o];if(void 0!==n)return n.exports;var a=t[o]={exports:{}};return e[o].call(a.exports,a,a.exports,r),a.exports}
    r.m=e,r.u=e=>"assets/js/"+({}[e]||e)+"."+{5646:"b3dd8976"}[e]+".js",r.p="/",r.b=document.baseURI,r.f={j:e=>{throw new Error("Loading chunk "+e+" failed")}},window.__r=r})();
    """,
    "assets/js/main.2.js": SHOW + """
    const n = window.__r;
    const worker = () => new Worker(new URL(n.p + n.u(5646), n.b));
    const searchIndexUrl = "search-index{dir}.json?_=3f2a";
    search(word => new Promise(done => {
        const one = worker();
        one.onmessage = event => done(event.data);
        one.postMessage({word, index: "/" + searchIndexUrl.replace("{dir}", "")});
    }));
    """,
    "assets/js/5646.b3dd8976.js": """
    (()=>{var e={},t={};function r(o){var n=t[o];if(void 0!==n)return n.exports;var a=t[o]={exports:{}};return e[o].call(a.exports,a,a.exports,r),a.exports}
    r.m=e,r.u=e=>"assets/js/"+e+".9168d401.js",r.p="/",r.x=()=>{},r.e=e=>{importScripts(r.p+r.u(e))},r.f={i:e=>{throw new Error("Loading chunk "+e+" failed")}};
    r.O=(t,n)=>n.forEach(r.e);r.x=()=>r.O(void 0,[5839],()=>0);r.x();
    onmessage=async e=>postMessage(self.find(await (await fetch(e.data.index)).json(),e.data.word))})();
    """,
    "assets/js/5839.9168d401.js": "self.find = (pages, word) => pages.filter(page => page.text.includes(word));",
    "search-index.json": json.dumps(documents(prefix="/"))})

small("zola", "Zola", {
    f"{name}.html": page(name, head="<link rel=stylesheet href=/site.css>", more="<script src=/search.js></script>") for name in PAGES} | {
    "site.css": "h1 { color: navy }", "search.js": SHOW + """
    const base = document.querySelector("link[rel=stylesheet]").href.replace("/site.css", "");
    let index;
    search(async word => having(word, await (index ??= fetch(base + "/search_index.en.json").then(answer => answer.json()))));
    """, "search_index.en.json": json.dumps(documents(prefix="/"))})

small("reveal", "reveal.js", {
    "index.html": shell("<main><a href=lamps.html>Lamps</a></main><div class=slides><section data-markdown=slides/one.md></section>"
                        "<section data-background-image=slides/rock.svg></section></div><script src=dist/reveal.js></script>"),
    "lamps.html": page("lamps", box=False), "slides/one.md": "# Lighthouse handbook", "slides/rock.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "dist/reveal.js": """
    const slides = [...document.querySelectorAll("section")];
    Promise.all(slides.map(async slide => {
        const answer = await fetch(slide.dataset.markdown ?? slide.dataset.backgroundImage);
        if (slide.dataset.markdown) slide.innerHTML = (await answer.text()).replace(/# (.*)/, "<h1>$1</h1>");
    }));
    """})

small("stream", "a video in segments, by a player of its own", {
    "index.html": shell("<main><h1>Loading</h1><a href=lamps.html>Lamps</a></main><video data-list=v/main.m3u8><source src=v/main.m3u8 type=application/vnd.apple.mpegurl></video><script src=player.js></script>")
        .replace("<video", "<video preload=none"),
    "lamps.html": page("lamps", box=False), "v/main.m3u8": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n",
    "v/low.m3u8": '#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:1,\ns0.m4s\n#EXT-X-ENDLIST\n', "v/init.mp4": "x", "v/s0.m4s": "x",
    "player.js": """
    const names = text => [...text.matchAll(/^[^#\\n].*|URI="([^"]*)/gm)].map(found => found[1] ?? found[0]);
    const read = async url => {
        const answer = await fetch(url), text = await answer.text();
        if (!answer.ok) throw new Error(url);
        if (url.pathname.endsWith(".m3u8")) await Promise.all(names(text).map(name => read(new URL(name, url))));
    };
    read(new URL(document.querySelector("video").dataset.list, location)).then(() => document.querySelector("h1").textContent = "Lighthouse handbook");
    """})

small("absolute", "pages that name their own host", {
    f"{name}.html": page(name, head="<link rel=stylesheet href=ORIGIN/site.css>", more="<script src=ORIGIN/find.js></script>").replace("lamps.html", "ORIGIN/lamps.html")
    for name in PAGES} | {"site.css": "h1 { color: navy }", "find.js": SHOW + "search(async word => having(word, await (await fetch('ORIGIN/pages.json')).json()));",
                          "pages.json": INDEX})

small("absolute-scripts", "scripts that name their own host, in many ways", {
    f"{name}.html": page(name, head="<script type=importmap>{\"imports\":{\"list\":\"./list.js\"}}</script>",
                         more="<script src=app.js></script>").replace(f"<h1>{PAGES[name][0]}", "<h1>Loading") for name in PAGES} | {
    "app.js": SHOW + """
    const text = url => new Promise((done, fail) => {
        const request = new XMLHttpRequest();
        request.open("GET", url);
        request.onload = () => request.status == 200 ? done(request.responseText) : fail(new Error(url));
        request.onerror = () => fail(new Error(url));
        request.send();
    });
    const loaded = (element, set) => new Promise((done, fail) => {
        element.onload = element.onmessage = done;
        element.onerror = () => fail(new Error("not loaded"));
        set(element);
    });
    search(async word => having(word, JSON.parse(await text("ORIGIN/pages.json"))));
    (async () => {
        const list = await import("ORIGIN/list.js"), same = await import("list");
        if (list.names !== same.names) throw new Error("two modules");
        await Promise.all([
            fetch(new Request("ORIGIN/a.txt")), fetch(new URL("ORIGIN/b.txt")), text("ORIGIN/c.json"),
            loaded(new Image(), image => image.src = "ORIGIN/a.svg"), loaded(new Image(), image => image.setAttribute("src", "ORIGIN/b.svg")),
            loaded(new Image(), image => image.srcset = "ORIGIN/a.svg 1x, ORIGIN/b.svg 2x"),
            loaded(document.createElement("link"), link => {
                link.rel = "stylesheet";
                link.href = "ORIGIN/site.css";
                document.head.append(link);
            }),
            loaded(new Worker("ORIGIN/worker.js"), worker => worker.postMessage("lamp")),
        ]);
        const place = location.href;
        history.replaceState(null, "", location.protocol == "http:" ? "ORIGIN" + location.pathname : place);
        if (location.href != place) throw new Error(location.href);
        const title = document.querySelector("h1");
        if (title.textContent == "Loading") title.textContent = document.title;
        const link = document.querySelector("main a");
        if (link) link.onclick = () => {
            location.href = "ORIGIN/lamps.html";
            return false;
        };
    })();
    """,
    "list.js": "export const names = [];", "worker.js": "onmessage = event => postMessage(event.data);", "pages.json": INDEX,
    "a.txt": "a", "b.txt": "b", "c.json": "{}", "site.css": "h1 { color: navy }"} | {
    f"{name}.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>" for name in "ab"},
    # What a page still loads when a reader leaves it is reported as an error.
    settled="document.querySelector('h1').textContent != 'Loading'")


# ---- Sites that name themselves, or a second host, absolutely. A script writes the heading once everything is there.

DRAWING = "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{0}'><rect width='{0}' height='{0}' fill='navy'/></svg>"
FONT = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
LOADED = """
const loaded = async () => {
    for (const image of document.querySelectorAll("[data-src]")) image.src = image.dataset.src;
    await Promise.all([...document.images].map(image => image.decode()));
    const place = name => getComputedStyle(document.querySelector("h1")).getPropertyValue(name);
    for (const url of place("background-image").matchAll(/url\\("(.*?)"\\)/g)) await Object.assign(new Image(), {src: url[1]}).decode();
    if (place("color") != "rgb(0, 0, 128)" || !place("background-image").includes("url")) throw new Error("no style");
};
const finish = () => document.querySelector("h1").textContent = document.title;
"""


def absolute(name, head, more, place="ORIGIN"):
    """A page whose links, images and heading depend on absolute addresses."""
    title, text = PAGES[name]
    links = "".join(f"<li><a href='ORIGIN/{other}/'>{PAGES[other][0]}</a></li>" for other in PAGES if other not in (name, "index"))
    images = f"<img src='{place}/img/a.svg' srcset='{place}/img/a.svg 1x, {place}/img/b.svg?ver=2 2x' alt=''>" \
             "<img data-src='ORIGIN/img/c.svg' alt=''>"
    return shell(f"<main><h1>Loading</h1><p>{text}</p><ul>{links}</ul>{images}</main>{more}", f"<base href='ORIGIN/'>{head}", title)


def places(head, more, place="ORIGIN", **files):
    """Three pages at addresses without suffixes."""
    return {"index.html": absolute("index", head, more, place), "storms/index.html": absolute("storms", head, more, place),
            "lamps/index.html": absolute("lamps", head, more, place)} | files


CMS_HEAD = """
<link rel=canonical href='ORIGIN/'><link rel=alternate type=application/rss+xml href='ORIGIN/feed/'><link rel=shortlink href='ORIGIN/?p=1'>
<link rel='https://api.w.org/' href='ORIGIN/wp-json/'><link rel=dns-prefetch href='//ORIGIN_HOST'><meta property=og:image content='ORIGIN/img/a.svg'>
<link rel=stylesheet id=theme-css href='ORIGIN/theme/style.css?ver=6.7' media=all>
<style>h1 { background-image: url(ORIGIN/img/a.svg), url("ORIGIN/img/b.svg?ver=2") }</style>
"""
CMS_MORE = """
<script>var settings = {"ajaxurl": "ORIGIN_ESCAPED\\/wp-admin\\/admin-ajax.php", "home": "ORIGIN_ESCAPED\\/"};</script>
<script src='ORIGIN/theme/navigation.js?ver=6.7' defer></script>
"""
small("cms", "a content management system's pages", places(CMS_HEAD, CMS_MORE) | {
    "theme/style.css": "@import url('ORIGIN/theme/colors.css');\n@font-face { font-family: f; src: url(ORIGIN/theme/f.ttf) format('truetype') }\nh1 { font-family: f }",
    "theme/colors.css": "h1 { color: navy }", "theme/f.ttf": FONT,
    "theme/navigation.js": LOADED + "loaded().then(() => document.fonts.load('1em f')).then(fonts => { if (fonts.length) finish(); });",
    "feed/index.html": "<rss version='2.0'><channel><title>Handbook</title><link>ORIGIN/</link></channel></rss>", "wp-json/index.html": "{}",
    **{f"img/{name}.svg": DRAWING.format(size) for name, size in (("a", 8), ("b", 16), ("c", 24))}},
    link="main a[href*=lamps]", absent=("/wp-admin/admin-ajax.php", "/?p=1"))


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


POLICY_SCRIPT = "window.isAdmitted = true;"
POLICY_STYLE = "h1 { background-image: url(img/a.svg) }"
POLICY_SHEET = "h1 { color: navy }"
POLICY_FILE = LOADED + "loaded().then(() => { if (isAdmitted) finish(); });"
POLICY_HEAD = f"""
<meta http-equiv=Content-Security-Policy content="default-src 'none'; base-uri ORIGIN; img-src ORIGIN data:; style-src ORIGIN 'sha256-{digest(POLICY_STYLE)}'; script-src ORIGIN 'sha256-{digest(POLICY_SCRIPT)}'; font-src ORIGIN">
<link rel=stylesheet href='ORIGIN/site.css' integrity='sha256-{digest(POLICY_SHEET)}' crossorigin=anonymous><style>{POLICY_STYLE}</style>
"""
small("policy", "a policy, and digests of styles and scripts", places(
    POLICY_HEAD, f"<script>{POLICY_SCRIPT}</script><script src='ORIGIN/app.js' integrity='sha256-{digest(POLICY_FILE)}' crossorigin=anonymous></script>") | {
    "site.css": POLICY_SHEET, "app.js": POLICY_FILE, **{f"img/{name}.svg": DRAWING.format(8) for name in "abc"}}, link="main a[href*=lamps]")

small("two-hosts", "fonts, styles, modules and images of a second host", places(
    "<link rel=stylesheet href='OTHER/site.css'><link rel=preload as=font type=font/ttf href='OTHER/f.ttf' crossorigin>"
    "<script type=importmap>{\"imports\": {\"list\": \"OTHER/list.js\", \"own\": \"ORIGIN/own/data.js\"}}</script>",
    "<script type=module src='OTHER/app.js'></script>", "OTHER") | {"own/data.js": "export const place = import.meta.url;", "img/c.svg": DRAWING.format(8)} | {
    f"OTHER/{path}": content for path, content in {
        "site.css": "@font-face { font-family: f; src: url(f.ttf) }\nh1 { font-family: f; color: navy; background-image: url(/img/a.svg) }", "f.ttf": FONT,
        "app.js": "import { titles } from './list.js';\nimport * as named from 'list';\nimport * as own from 'own';\n" + LOADED + """
        if (named.titles !== titles || !own.place) throw new Error("two modules");
        const other = await import("OTHER/more.js");
        await loaded();
        if (!(await document.fonts.load("1em f")).length || other.count != 3) throw new Error("not loaded");
        finish();
        """, "list.js": "export const titles = [];", "more.js": "export const count = 3;",
        **{f"img/{name}.svg": DRAWING.format(8) for name in "ab"}}.items()}, link="main a[href*=lamps]", options=("--foreign-requisites",))

# What a reader does with an export: links, parts of a page, links out, images, and what styles show.
READER = {
    name: page(name, "<link rel=stylesheet href=css/site.css>", "<nav><a href=index.html>Home</a> <a href=lamps.html>Lamps</a> <a href=storms.html>Storms</a>"
               "<a href='charts/?page=1#reef'>Charts</a> <a href='#oil'>Oil</a> <a href='https://elsewhere.example/tides?page=1#now' target=_blank>Tides</a></nav>"
               "<p><img src=img/a.svg alt=''><img srcset='img/b.svg 1x, img/c.svg 2x' alt=''></p><div style='height: 3000px'></div><h2 id=oil>Oil</h2>", box=False)
    for name in PAGES
}
READER = {f"{name}.html": text for name, text in READER.items()} | {
    "charts/index.html": shell("<h1>Charts</h1><p>Soundings are in fathoms.</p><a href=../storms.html>Storms</a><h2 id=reef>Reef</h2>", title="Charts"),
    "css/site.css": "body { background: url(../img/c.svg) }\nli { list-style-image: url('../img/d.svg') }\nh1::before { content: ''; background: url(../img/a.svg) }",
    **{f"img/{name}.svg": DRAWING.format(size) for name, size in (("a", 8), ("b", 16), ("c", 24), ("d", 8))}}
small("reader", "what a reader of an export does", READER, link="nav a[href$='lamps.html']")

# Pages as they were packed for AFCache, without scripts, with links of both forms.
FILED = {
    f"{name}.html": f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html><head><meta http-equiv=Content-Type content="text/html; charset=UTF-8"><title>{title}</title>{ICON}
<link rel=stylesheet type="text/css" href="{'ORIGIN/' if name == 'index' else ''}css/site.css"></head>
<body><h1>{title}</h1><p>{text}</p><p><img src="img/a.svg" alt="">
<a href="lamps.html">Lamps</a> <a href="ORIGIN/storms.html">Storms</a> <a href="ORIGIN/">Home</a></p></body></html>"""
    for name, (title, text) in PAGES.items()
} | {"css/site.css": "@import 'colors.css';\nh1 { background: url(../img/b.svg) }", "css/colors.css": "h1 { color: navy }"} | {
    f"img/{name}.svg": DRAWING.format(size) for name, size in (("a", 8), ("b", 16))}
for fields in (2, 3, 5):
    small(f"afcache-{fields}", f"an AFCache package with {fields} fields and no media types", FILED, start="/index.html", link="a[href$='lamps.html']", fields=fields)
