"""Small sites with one planted fault each, and what 'afcache try' must say about their packages; see scripts/test-try.

test_try.py PROGRAM FOLDER [--list | NAME...]
"""

import http.server
import json
import pathlib
import subprocess
import sys
import threading

TEXT = "Trim the wick each evening, and polish the lens. In bad weather, close the shutters and light the second lamp."
STYLE = "<link rel=stylesheet href=/style.css>"
LINKS = "<p><a href=/lamps.html>Lamps</a> <a href=/storms.html>Storms</a></p>"
IMAGE = (
    "image/png",
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415478da6360f8cf00000301"
        "0100c9fe92ef0000000049454e44ae426082"
    ),
)
SEARCH = """
<input type=search placeholder=Search><ul id=results></ul>
<script>
let index;
document.querySelector('input').addEventListener('input', async event => {
    index ??= await (await fetch('/index.json')).json();
    const word = event.target.value.toLowerCase();
    document.getElementById('results').innerHTML = Object.entries(index)
        .filter(([, text]) => word && text.toLowerCase().includes(word))
        .map(([page, text]) => `<li><a href="${page}">${text.slice(0, 40)}</a></li>`).join('');
});
</script>
"""


def page(title, text=TEXT, head=STYLE, body=LINKS):
    return "text/html", f"<!doctype html><meta charset=utf-8><title>{title}</title>{head}<h1>{title}</h1><p>{text}</p>{body}".encode()


def script(text):
    return "text/javascript", text.encode()


def site(**more):
    """A whole site, with changes: a path is its name with '_' for '.', or is named by a pair."""
    pages = {
        "/": page("Lighthouse handbook", body=LINKS + SEARCH + more.pop("start", "")),
        "/lamps.html": page("Lamps", "The lens is by Fresnel.", body=LINKS + more.pop("lamps", "")),
        "/storms.html": page("Storms", "The foghorn sounds each minute.", body="<a href=/>Handbook</a>"),
        "/style.css": ("text/css", b"body { font-family: serif; color: #223; }"),
        "/index.json": ("application/json", json.dumps({"/lamps.html": "Lamps, by Fresnel", "/storms.html": "Storms and the foghorn"}).encode()),
        "/favicon.ico": IMAGE,
    }
    return pages | more.pop("pages", {})


# Each case: the site, the paths that the package lacks, the faults that must be found, and the hints among which one must be.
CASES = {
    "whole": (site(), [], [], None),
    "missing-chunk": (
        site(lamps="<script type=module>import('/chunks/' + 'lamp.js')</script>", pages={"/chunks/lamp.js": script("1")}),
        ["/chunks/lamp.js"], [("missing-script", "/chunks/lamp.js")], None,
    ),
    "script-of-wrong-type": (
        site(lamps="<script src=/app.js></script>", pages={"/app.js": page("Not found")}), [], [("wrong-type", "/app.js")], None,
    ),
    "style-of-wrong-type": (
        site(pages={"/lamps.html": page("Lamps", head="<link rel=stylesheet href=/lamps.css>"), "/lamps.css": page("Not found")}),
        [], [("wrong-type", "/lamps.css")], None,
    ),
    "dead-link": (site(lamps="<a href=/charts.html>Charts</a>", pages={"/charts.html": page("Charts")}), ["/charts.html"],
                  [("dead-link", "/charts.html")], None),
    "blank-after-hydration": (
        site(lamps="<script>addEventListener('load', () => { document.body.replaceChildren(); })</script>"), [],
        [("blank-page", "/lamps.html")], None,
    ),
    "absolute-link": (
        site(lamps="<script src=https://cdn.example/lens.js></script><script>lens.shine()</script>"), [],
        [("exception", "lens is not defined")], ("not-packaged", "https://cdn.example"),
    ),
    "search-index-missing": (site(), ["/index.json"], [("search", "/index.json")], None),
    "missing-data": (
        site(lamps="<script>fetch('/data/' + 'lamps.json').then(answer => answer.json()).catch(() => {})</script>",
             pages={"/data/lamps.json": ("application/json", b"[]")}),
        ["/data/lamps.json"], [("missing-data", "/data/lamps.json")], None,
    ),
    "missing-style": (
        site(pages={"/lamps.html": page("Lamps", head="<link rel=stylesheet href=/lamps.css>"), "/lamps.css": ("text/css", b"p { margin: 0 }")}),
        ["/lamps.css"], [("missing-style", "/lamps.css"), ("unstyled", "/lamps.html")], None,
    ),
    "missing-image": (site(lamps="<img src=/lamp.png>", pages={"/lamp.png": IMAGE}), ["/lamp.png"], [("missing-image", "/lamp.png")], None),
    "missing-font": (
        site(pages={"/style.css": ("text/css", b"@font-face { font-family: Lens; src: url(/lens.woff2) } body { font-family: Lens, serif }"),
                    "/lens.woff2": ("font/woff2", b"wOF2")}),
        ["/lens.woff2"], [], ("missing-font", "/lens.woff2"),
    ),
    "redirect-to-nothing": (
        site(lamps="<iframe src=/old></iframe>", pages={"/old": 302, "/new.html": page("New")}), ["/new.html"],
        [("broken-redirect", "/new.html")], None,
    ),
    "exception": (site(lamps="<script>addEventListener('load', () => { lamp.light(); })</script>"), [], [("exception", "lamp is not defined")], None),
    "worker-missing": (
        site(lamps="<script>new Worker('/lamp-' + 'worker.js')</script>", pages={"/lamp-worker.js": script("1")}), ["/lamp-worker.js"],
        [("missing-script", "/lamp-worker.js")], None,
    ),
    "hanging-page": (site(lamps="<script>setTimeout(() => { while (true); }, 50)</script>"), [], [("dead-page", "/lamps.html")], None),
    "hostile": (
        site(lamps="<script>onbeforeunload = () => 'stay'; alert(1); confirm(2); open('/w'); navigator.serviceWorker?.register('/sw.js');"
             "for (let n = 0; n < 300; n++) console.error('\\u202e\\x1b[2J<script>' + n);"
             "fetch('http://192.0.2.1/beacon').catch(() => {}); new WebSocket('ws://' + location.host + '/live');"
             "navigator.sendBeacon('http://192.0.2.1/b', 'x')</script>"),
        [], [], ("not-packaged", "http://192.0.2.1"),
    ),
}


class Origin(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pages):
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                requests.append(self.path)
                found = pages.get(self.path)
                self.send_response(found if isinstance(found, int) else 200 if found else 404)
                body = b"" if not found or isinstance(found, int) else found[1]
                if isinstance(found, int):
                    self.send_header("Location", "/new.html")
                elif found:
                    self.send_header("Content-Type", found[0])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def run(*command, allowed=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"'{' '.join(map(str, command[1:]))}' ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def tried(afcache, package, *options):
    done = run(afcache, "try", package, "--json", "-q", *options, allowed=(0, 1))
    report = json.loads(done.stdout)
    if report["worksOffline"] != (done.returncode == 0) or report["worksOffline"] != (not report["faults"]):
        sys.exit(f"{package}: the exit code {done.returncode} isn't that of the report")
    return done.stdout, report


def problems(afcache, work, name):
    """What 'try' says wrongly about a case."""
    pages, lacked, faults, hint = CASES[name]
    package, missing = work / f"{name}.zip", work / f"{name}.txt"
    origin = Origin(pages)
    try:
        # The files that only scripts name are start pages, too, so that the package would have them.
        extra = [origin.url + path for path in pages if path.startswith(("/chunks", "/data", "/lamp-")) and path not in lacked]
        excluded = [option for path in lacked for option in ("--exclude", origin.url + path)]
        run(afcache, "pack", origin.url + "/", *extra, "-o", package, "-q", *excluded, allowed=(0, 5))
        before = len(origin.requests)
        options = ["--missing", missing] + (["--render-timeout", "6s"] if name == "hanging-page" else [])
        first, report = tried(afcache, package, *options)
        if len(origin.requests) != before:
            yield f"the origin was asked for {origin.requests[before:]}"
    finally:
        origin.shutdown()
        origin.server_close()

    def short(found):
        return [(finding["kind"], finding["subject"].removeprefix(origin.url)) for finding in found]

    found = short(report["faults"])
    for kind, subject in faults:
        if not any(kind == other and text.endswith(subject) for other, text in found):
            yield f"no fault '{kind}' about '{subject}' is found, but {found}"
    if not faults and found:
        yield f"there are no faults, but these are found: {found}"
    # A fault has consequences, but of kinds that follow from it.
    strange = {kind for kind, _ in found} - {kind for kind, _ in faults} - {"exception", "unstyled"}
    if faults and strange:
        yield f"other faults are found: {[fault for fault in found if fault[0] in strange]}"
    if hint and not any(kind == hint[0] and subject.endswith(hint[1]) for kind, subject in short(report["hints"])):
        yield f"no hint {hint} is found, but {short(report['hints'])}"
    listed = missing.read_text().splitlines()
    for kind, subject in faults:
        if kind.startswith(("missing", "search", "dead-link", "broken")) and origin.url + subject not in listed:
            yield f"'{subject}' isn't listed as missing: {listed}"
    if name == "whole":
        if (report["search"] or {}).get("outcome") != "found":
            yield f"the search isn't found: {report['search']}"
        if report["hints"]:
            yield f"there are hints: {report['hints']}"
    second, _ = tried(afcache, package, *options)
    if first != second:
        yield "two runs differ"


def python_problems(afcache, work):
    """What 'try' says wrongly about the documentation of Python, which works offline."""
    folder = pathlib.Path("/usr/share/doc/python3.11/html")
    files = {path: path for path in folder.rglob("*") if path.is_file()}
    pages = {}
    kinds = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".png": "image/png", ".svg": "image/svg+xml"}
    for path in files:
        pages[f"/{path.relative_to(folder)}"] = (kinds.get(path.suffix, "application/octet-stream"), path.read_bytes())
    origin = Origin(pages)
    package = work / "python.zip"
    run(afcache, "pack", f"{origin.url}/index.html", "-o", package, "-q", allowed=(0, 5))
    origin.shutdown()
    origin.server_close()
    first, report = tried(afcache, package, "--html", work / "python.html", "--junit", work / "python.xml")
    for fault in report["faults"]:
        yield f"a fault is found: {fault}"
    if (report["search"] or {}).get("outcome") != "found":
        yield f"the search isn't found: {report['search']}"
    if len(report["pages"]) != 11 or len({page["template"] for page in report["pages"]}) < 3:
        yield f"the pages are {[page['url'] for page in report['pages']]}"
    if (work / "python.html").read_text().count("data:image/jpeg;base64,") != 11:
        yield "the report doesn't have 11 pictures"
    same, report = tried(afcache, package, "--against", package)
    if any(page["missingWords"] != 0 for page in report["pages"]):
        yield f"the package has other texts than itself: {report['pages']}"
    second, _ = tried(afcache, package)
    if first != second:
        yield "two runs differ"


def main():
    afcache, work, *names = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]
    if names == ["--list"]:
        print("\n".join([*CASES, "python3-doc"]))
        return 0
    unknown = set(names) - set(CASES) - {"python3-doc"}
    if unknown:
        print(f"test-try: there is no site '{unknown.pop()}'; see 'scripts/test-try --list'", file=sys.stderr)
        return 64
    failures = 0
    for name in names or [*CASES, "python3-doc"]:
        found = list(python_problems(afcache, work) if name == "python3-doc" else problems(afcache, work, name))
        failures += bool(found)
        print(f"ok   {name}" if not found else "".join(f"FAIL {name}: {problem}\n" for problem in found).rstrip(), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
