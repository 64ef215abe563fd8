"""Compares web archives of 'afcache export' with what other programs say about them: warcio, fastwarc, cdxj-indexer, wacz, pywb.

usage: scripts/test_archives.py AFCACHE
"""
import collections
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

LETTERS = "aAbB09-_.~!$&'()*+,;=:@/?%[]|^`{}\\\"<>\u00e9 "
SESSION = "0123456789abcdef0123456789ABCDEF"
PATHS = [
    "/", "/big", "/redirect", "/page1", "/page2", "/same1", "/same2", "/empty", "/A/B/", "/a/b", "/a//b", "/a/b?", "/?b=2&a=1", "/?a=1&b=2",
    f"/x?JSESSIONID={SESSION}&q=1", f"/x?q=1&sid={SESSION}", "/x?cfid=12&cftoken=34&z=1", "/(s(0123456789abcdefghijklmn))/p.aspx",
    "/(0123456789abcdefghijklmn)/p.aspx?x", "/%25%32%35", "/caf%C3%A9", "/sp%20ace?q=%20x+y%26", "/q?a&a=&a=1&b&=x", "/q?x=%2525", "/a%00b",
]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, media, fields = 200, "text/plain", {}
        body = hashlib.sha256(self.path.encode("latin1")).hexdigest().encode()
        if self.path.startswith("/same"):
            body = b"the same text " * 1000
        elif self.path.startswith("/page"):
            media, body = "text/html; charset=iso-8859-1", b"<title>Caf\xe9</title>" + body
        elif self.path == "/big":
            media, body = "application/octet-stream", random.Random(1).randbytes(6_000_000)
        elif self.path == "/redirect":
            status, fields, body = 302, {"Location": "/page1"}, b""
        elif self.path == "/empty":
            body = b""
        self.send_response(status)
        self.send_header("Content-Type", media)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def fail(message):
    sys.exit(f"test-exports: archives: {message}")


def run(*words, **options):
    result = subprocess.run(words, capture_output=True, **options)
    if result.returncode != 0:
        fail(f"'{' '.join(words)}' ends with {result.returncode}: {result.stdout.decode()}{result.stderr.decode()}")
    return result.stdout


def replayed(work, records, lines, bodies):
    """Returns how many responses pywb returns like the package."""
    run("wb-manager", "init", "c", cwd=work)
    run("wb-manager", "add", "c", str(records), cwd=work)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    log = open(work / "pywb.log", "w")
    server = subprocess.Popen(["wayback", "-b", "127.0.0.1", "-p", str(port)], cwd=work, stdout=log, stderr=log)
    try:
        for _ in range(150):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        else:
            fail("pywb doesn't start")
        keys = collections.Counter(line.split(" ", 1)[0] for line in lines)
        count = 0
        for line in lines:
            key, _, entry = line.split(" ", 2)
            entry = json.loads(entry)
            if keys[key] > 1:
                continue
            client = http.client.HTTPConnection("127.0.0.1", port)
            client.putrequest("GET", "/c/id_/" + entry["url"])
            client.endheaders()
            response = client.getresponse()
            if response.status != int(entry["status"]) or response.read() != bodies[entry["url"]]:
                fail(f"pywb answers {response.status} for {entry['url']}, or another body")
            count += 1
        return count
    finally:
        server.terminate()
        server.wait()


def main(afcache):
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        origin = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=origin.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{origin.server_port}"
        chance = random.Random(7)
        urls = [base + path for path in PATHS]
        urls += [f"http://{host}.localhost:{origin.server_port}/w" for host in ("www", "www2", "wwwx", "a.b")]
        urls += [base + "/r" + "".join(chance.choice(LETTERS) for _ in range(chance.randint(0, 18))) for _ in range(400)]
        (work / "urls.txt").write_text("\n".join(urls) + "\n")
        run(afcache, "pack", "--list", "urls.txt", "--scope", "page", "--depth", "0", "--delay", "0s", "--ignore-robots", "--quiet", "-o", "p.zip", cwd=work)
        for name in ("a.wacz", "b.wacz", "p.warc"):
            run(afcache, "export", "p.zip", "-o", name, cwd=work)
        if (work / "a.wacz").read_bytes() != (work / "b.wacz").read_bytes():
            fail("two exports differ")
        run("wacz", "validate", "-f", "a.wacz", cwd=work)
        run("python3", "-m", "zipfile", "-e", "a.wacz", "x", cwd=work)
        records = work / "x/archive/data.warc.gz"
        for file in (str(records), "p.warc"):
            run("warcio", "check", file, cwd=work)
            run("fastwarc", "check", file, cwd=work)
        index = (work / "x/indexes/index.cdx").read_text()
        if run("cdxj-indexer", "--sort", str(records), cwd=work).decode() != index:
            fail("the index differs from that of cdxj-indexer")
        lines = index.splitlines()
        revisits = sum('"warc/revisit"' in line for line in lines)
        if revisits != 1:
            fail(f"{revisits} bodies were written once for several URLs, not 1")
        bodies = {}
        for line in run(afcache, "ls", "p.zip", "--json", cwd=work).decode().splitlines():
            url = json.loads(line)["url"]
            bodies[url] = run(afcache, "get", url, "--package", "p.zip", cwd=work) if "/redirect" not in url else b""
        count = replayed(work, records, lines, bodies)
        print(f"test-exports: archives: {len(lines)} responses, indexed as by cdxj-indexer, {count} returned by pywb with equal bytes")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
main(os.path.abspath(sys.argv[1]))
