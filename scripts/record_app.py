"""A small application to record: pages, a form, GraphQL, redirects and a video with ranges; prints its port.

    record_app.py VIDEO [CERTIFICATE KEY]
"""

import http.server
import json
import os
import ssl
import sys
import urllib.parse

VIDEO = sys.argv[1]
BOOKS = [{"title": "The Sea", "pages": 200}, {"title": "Snow", "pages": 436}]
PAGE = """<!doctype html><title>Library</title><link rel="stylesheet" href="/style.css"><img src="/logo.svg" alt="logo">
<h1>Library</h1><a id="moved" href="/old">an older page</a>
<form method="post" action="/greet"><input name="name"><button id="send">Send</button></form>
<button class="query" data-query="{books{title}}">Titles</button>
<button class="query" data-query="{books{pages}}">Pages</button><pre id="result"></pre>
<video id="video" src="/video.webm" width="320" muted preload="metadata"></video>
<script src="/app.js"></script>"""
SCRIPT = """for (const button of document.querySelectorAll('.query')) button.onclick = async () => {
    const answer = await fetch('/graphql', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({query: button.dataset.query})});
    document.getElementById('result').textContent = JSON.stringify(await answer.json());
};"""


class Application(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == "/":
            # Like most applications, which let nobody keep their pages.
            self.answer(200, PAGE.encode(), Content_Type="text/html; charset=utf-8", Cache_Control="no-store",
                        Set_Cookie="session=secret-of-the-user; HttpOnly")
        elif path == "/style.css":
            self.answer(200, b"h1 { color: rgb(0, 100, 0) }", Content_Type="text/css", ETag='"style-1"')
        elif path == "/app.js":
            self.answer(200, SCRIPT.encode(), Content_Type="text/javascript", Cache_Control="max-age=0, must-revalidate")
        elif path == "/logo.svg":
            logo = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><circle cx="15" cy="15" r="10"/></svg>'
            self.answer(200, logo, Content_Type="image/svg+xml")
        elif path == "/old":
            self.answer(302, Location="/new")
        elif path in ("/new", "/greeted"):
            title = "New" if path == "/new" else "Hello, " + urllib.parse.parse_qs(self.path.partition("?")[2])["name"][0]
            self.answer(200, f"<!doctype html><title>{title}</title><h1>{title}</h1>".encode(), Content_Type="text/html")
        elif path == "/video.webm":
            self.video()
        else:
            self.answer(404, b"<!doctype html><title>Nothing here</title>", Content_Type="text/html")

    do_HEAD = do_GET

    def video(self):
        size = os.path.getsize(VIDEO)
        first, last, status = 0, size - 1, 200
        if "Range" in self.headers:
            start, _, end = self.headers["Range"].partition("=")[2].partition("-")
            first, last, status = int(start), min(int(end or size - 1), size - 1), 206
        self.send_response(status)
        self.send_header("Content-Type", "video/webm")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"video-1"')
        self.send_header("Content-Length", str(last - first + 1))
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        with open(VIDEO, "rb") as file:
            file.seek(first)
            left = last - first + 1
            while left and self.command != "HEAD":
                piece = file.read(min(left, 1 << 16))
                self.wfile.write(piece)
                left -= len(piece)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/greet":
            self.answer(303, Location="/greeted?" + body.decode())
        elif self.path == "/graphql":
            field = json.loads(body)["query"].strip("{}").partition("{")[2]
            data = json.dumps({"data": {"books": [{field: book[field]} for book in BOOKS]}})
            self.answer(200, data.encode(), Content_Type="application/json", Cache_Control="no-store")
        else:
            self.answer(404)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A browser may leave a video at any time."""


server = Server(("127.0.0.1", 0), Application)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[2:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
