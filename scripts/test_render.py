"""A site of 70 pages whose links and data only scripts know, and the comparison of its packages; see scripts/test-render.

test_render.py PROGRAM FOLDER COUNT | --serve ADDRESS PORT
"""

import http.server
import json
import pathlib
import subprocess
import sys
import threading
import zipfile

PAGES = 70
START = '<!doctype html><title>Atlas</title><div id="app"></div><script src="/boot.js"></script>'
# The script makes each URL from numbers, so that nobody can read them from its text.
SCRIPT = """
const number = Number(location.pathname.split('-')[1] ?? 0);
const page = name => ['', 'maps', 'map'].join('/') + '-' + name;
const app = document.getElementById('app');
(async () => {
    const data = await (await fetch(['', 'data', number + '.json'].join('/'))).json();
    app.innerHTML = `<h1></h1><img><details><div id="more"></div></details><input type="search">`;
    app.querySelector('h1').textContent = data.title + ' ' + Math.random() + ' ' + new Date().getFullYear();
    app.querySelector('img').src = '/pictures/' + [data.picture, 'svg'].join('.');
    setTimeout(() => {
        for (const next of data.next) {
            const link = document.createElement('a');
            link.href = page(next);
            link.textContent = next;
            app.append(link);
        }
    }, 1500 * (1 + Math.random()));
    app.querySelector('details').addEventListener('toggle', () => {
        new IntersectionObserver(entries => {
            if (entries.some(entry => entry.isIntersecting)) fetch('/details/' + number % 7 + '.txt');
        }).observe(document.getElementById('more'));
    });
    app.querySelector('input').addEventListener('input', event => fetch('/find/' + event.target.value + '.json'));
    const style = document.createElement('link');
    [style.rel, style.href] = ['stylesheet', '/styles/' + ['theme', number % 3].join('') + '.css'];
    document.head.append(style);
    if (number % 10 == 3) new Worker('/worker' + '.js').postMessage(number);
    if (number % 10 == 5) { let socket = new WebSocket('ws://' + location.host + '/live'); }
    if (number == 9) { fetch('http://192.0.2.1/beacon').catch(() => {}); alert('hello'); window.open('/popup'); }
})();
"""
WORKER = "onmessage = event => fetch(['', 'jobs', event.data + '.bin'].join('/'));"


def resource(path):
    """The type and body of a path; none if the site hasn't it."""
    name = path.strip("/")
    folder, _, last = name.partition("/")
    stem = last.split(".")[0]
    if name == "" or folder == "maps" and last.removeprefix("map-").isdigit() and int(last.removeprefix("map-")) < PAGES:
        return "text/html", START
    if name == "boot.js":
        return "text/javascript", SCRIPT
    if name == "worker.js":
        return "text/javascript", WORKER
    if folder == "data" and stem.isdigit() and int(stem) < PAGES:
        number = int(stem)
        following = [next for next in (2 * number + 1, 2 * number + 2) if next < PAGES]
        return "application/json", json.dumps({"title": f"Map {number}", "picture": number % 12, "next": following})
    if folder == "pictures":
        return "image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg"><text>{stem}</text></svg>'
    if folder == "styles":
        return "text/css", f"body {{ background: url(/pictures/background{stem[-1]}.svg) }}"
    if folder in ("details", "jobs"):
        return "text/plain", f"{name}\n" * 50
    if folder == "find" and stem == "a":
        return "application/json", "[]"
    return None


def expected():
    paths = {"/", "/boot.js", "/worker.js", "/find/a.json"}
    paths |= {f"/maps/map-{number}" for number in range(1, PAGES)} | {f"/data/{number}.json" for number in range(PAGES)}
    paths |= {f"/pictures/{number}.svg" for number in range(12)} | {f"/details/{number}.txt" for number in range(7)}
    paths |= {f"/styles/theme{number}.css" for number in range(3)} | {f"/pictures/background{n}.svg" for n in range(3)}
    return paths | {f"/jobs/{number}.bin" for number in range(3, PAGES, 10)}


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        found = resource(self.path)
        body = (found[1] if found else "").encode()
        self.send_response(200 if found else 404)
        if found:
            self.send_header("Content-Type", found[0])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(address, port):
    return http.server.ThreadingHTTPServer((address, port), Site)


if sys.argv[1] == "--serve":
    serve(sys.argv[2], int(sys.argv[3])).serve_forever()

afcache, work, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
server = serve("127.0.0.1", 0)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "TMPDIR": str(work), "SOURCE_DATE_EPOCH": "1700000000"}
first = None
for number in range(count):
    package = work / f"{number}.zip"
    subprocess.run([afcache, "pack", f"{url}/", "-o", package, "--render", "-q"], check=True, env=environment)
    with zipfile.ZipFile(package) as archive:
        records = archive.read(".afcache/resources.jsonl").decode().splitlines()
    paths = {json.loads(record)["url"].removeprefix(url) for record in records}
    if paths != expected():
        sys.exit(f"missing: {sorted(expected() - paths)}; unexpected: {sorted(paths - expected())}")
    if first is None:
        first = package.read_bytes()
        print(f"ok   a package with all {len(paths)} resources of {PAGES} pages", flush=True)
    elif package.read_bytes() != first:
        sys.exit(f"package {number + 1} differs from the first one")
left = [path.name for path in work.iterdir() if not path.name.endswith(".zip")]
if left:
    sys.exit(f"files are left: {left}")
print(f"ok   {count} packages with the same bytes")
