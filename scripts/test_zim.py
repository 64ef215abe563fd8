"""Compares ZIM files of 'afcache export' with what other programs say about them: zimcheck, libzim, kiwix-serve.

usage: scripts/test_zim.py AFCACHE
"""
import html.parser
import http.client
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from libzim.reader import Archive

PAGES = {
    "index.html": "<title>Harbour</title><link rel=stylesheet href=/s.css><a href=/guide/>g</a><a href=/guide/?q=1>q</a><a href='/caf\u00e9.html#a'>c</a>"
    "<a href='/a b/50%25.html'>p</a><a href=/>home</a><img src=/p.png><a href=//other.localhost/>out</a><a href=/x:y.html>colon</a>",
    "guide/index.html": "<title>Tides</title><a href=/guide/#s>self</a><a href=../>up</a><a href=two.html>two</a><a href=/big.json>big</a>",
    "guide/two.html": "<meta charset=utf-8><title>Two</title><a href=./>folder</a><a href=/guide/index.html>index</a><a href=/d//e.html>slashes</a>",
    "caf\u00e9.html": "<title>Caf\u00e9</title><a href=/empty.txt>e</a><a href=/big.bin>b</a>",
    "a b/50%.html": "<title>Percent</title><a href=../s.css>s</a>",
    "x:y.html": "<title>Colon</title><a href='./x:y.html'>self</a>",
    "s.css": "p { background: url(/p.png) }",
    "empty.txt": "",
    "feed.xml": "<rss/>",
}


class Links(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, _, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src") and value]


def fail(message):
    sys.exit(f"test-exports: zim: {message}")


def run(*words, **options):
    result = subprocess.run(words, capture_output=True, **options)
    if result.returncode != 0:
        fail(f"'{' '.join(words)}' ends with {result.returncode}: {result.stdout.decode()}{result.stderr.decode()}")
    return result.stdout


def linked(path, text):
    """Returns the paths to which the links on a page lead within the file."""
    for link in Links(text).found:
        url = urllib.parse.urljoin("http://zim.invalid/" + urllib.parse.quote(path), link)
        if url.startswith("http://zim.invalid/"):
            yield urllib.parse.unquote(urllib.parse.urlsplit(url).path[1:])


def served(work, archive, paths):
    """Returns how many entries kiwix-serve returns with the bytes of the file, those of redirects included."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    log = open(work / "kiwix.log", "w")
    server = subprocess.Popen(["kiwix-serve", "--address", "127.0.0.1", "--port", str(port), "a.zim"], cwd=work, stdout=log, stderr=log)
    try:
        for _ in range(150):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        else:
            fail("kiwix-serve doesn't start")

        def get(target):
            client = http.client.HTTPConnection("127.0.0.1", port)
            client.request("GET", target)
            response = client.getresponse()
            return response, response.read()

        def page(target):
            for _ in range(5):
                response, body = get(target)
                if response.status not in (301, 302, 307):
                    return response, body
                target = urllib.parse.urljoin(target, response.headers["Location"])
            fail(f"kiwix-serve redirects {target} again and again")

        root = next(root for root in ("/content/a/", "/a/") if page(root)[0].status == 200)
        for path in paths:
            item = archive.get_entry_by_path(path).get_item()
            response, body = page(root + urllib.parse.quote(path))
            if response.status != 200 or body != bytes(item.content):
                fail(f"kiwix-serve answers {response.status} for {path}, or another body")
        return len(paths)
    finally:
        server.terminate()
        server.wait()


def main(afcache):
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        chance = random.Random(5)
        for name, text in PAGES.items():
            (work / "in" / name).parent.mkdir(parents=True, exist_ok=True)
            (work / "in" / name).write_text(text)
        (work / "in/big.json").write_text('"' + "ab" * 3_000_000 + '"')
        (work / "in/big.bin").write_bytes(chance.randbytes(9_000_000))
        (work / "in/p.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chance.randbytes(3000))
        (work / "in/d").mkdir()
        (work / "in/d/e.html").write_text("<title>E</title>")
        for number in range(300):
            (work / f"in/d/{number}.html").write_text(f"<title>Page {number}</title><a href=e.html>e</a>" + chance.randbytes(9000).hex())
        run(afcache, "pack", "--folder", "in", "--base-url", "https://d.example:8443/", "-o", "p.zip", cwd=work)
        for name in ("a.zim", "b.zim"):
            run(afcache, "export", "p.zip", "-o", name, "--scripts", "keep", cwd=work)
        if (work / "a.zim").read_bytes() != (work / "b.zim").read_bytes():
            fail("two exports differ")
        told = subprocess.run(["zimcheck", "-A", "a.zim"], cwd=work, capture_output=True, text=True)
        if told.returncode != 0 or "[ERROR]" in told.stdout + told.stderr:
            fail(f"zimcheck finds errors: {told.stdout}{told.stderr}")
        archive = Archive(work / "a.zim")
        if not archive.check() or archive.main_entry.get_item().path != "d.example:8443/":
            fail("libzim finds damage, or another first page")
        run(afcache, "export", "p.zip", "-o", "folder", "--scripts", "keep", cwd=work)
        paths, compared = [], 0
        for number in range(archive.entry_count):
            entry = archive._get_entry_by_id(number)
            paths.append(entry.path)
            body = bytes(entry.get_item().content)
            if entry.get_item().mimetype == "text/html":
                for target in linked(entry.path, body.decode()):
                    if not archive.has_entry_by_path(target):
                        fail(f"a link on {entry.path} leads to {target}, which isn't there")
            name = entry.path.removeprefix("d.example:8443/")
            original = work / "in" / urllib.parse.unquote(name)
            if name and not name.endswith(("/", ".html", ".css")):
                if body != (original.read_bytes() or b"\n"):
                    fail(f"{entry.path} has another body than the package")
                compared += 1
        count = served(work, archive, paths)
        print(f"test-exports: zim: {len(paths)} entries, without errors by zimcheck, {compared} with equal bytes by libzim, {count} by kiwix-serve")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
main(os.path.abspath(sys.argv[1]))
