"""A site whose pages try all ways in which a page makes a browser request something: the fixture of scripts/test_exports.py.

Each way has a host of its own, OUT, from which its requests can be told.
"""

import dataclasses

HOME = "home.example"
# The kinds of ways, as docs/developers/attacks.md counts them.
KINDS = (
    "images", "styles", "scripts", "frames", "plug-ins", "redirects", "forms", "hints", "pings", "media", "drawings", "requests by script",
    "other windows", "documents of other types", "pages of odd forms",
)


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    kind: str
    # The page, or what is behind the head of one.
    body: str
    suffix: str = ".html"
    type: str = "text/html"
    # Whether the body is the whole document.
    is_whole: bool = False
    encoding: str = "utf-8"
    # Whether the reader clicks '#go' on the page.
    clicks: bool = False
    # How much longer than others it takes, in seconds.
    patience: float = 0
    # Why an export doesn't stop all of it, as docs/explanation/threat-model.md says; none for the others.
    open: str | None = None
    # Further files: path, type and text.
    others: tuple = ()

    @property
    def host(self):
        return f"{self.name}.out.example"

    def allowed(self, has_scripts):
        """What may be tried all the same, by an export with or without scripts."""
        return ALLOWED[self.open] if self.open and (has_scripts or self.open == GUESSES) else set()

    @property
    def path(self):
        return f"/{self.name}{self.suffix}"

    @property
    def text(self):
        body = self.body.replace("OUT", self.host)
        if not self.is_whole:
            body = f"<!doctype html><html lang=en><meta charset=utf-8><title>{self.name}</title>{body}<p>A page that tries to request something.</p>"
        return body.encode(self.encoding)


def script(name, text, kind="requests by script", **facts):
    return Way(name, kind, f"<script>{text}</script>", **facts)


PING = "<a id=go href=index.html ping=http://OUT/ping>Go</a>"
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90">{}</svg>'
IMAGE = "<img src=http://OUT/image.png alt=''>"
LEADS_AWAY = "a script may lead the reader to another address"
HINTS = "no policy governs hints by scripts"
CONNECTS = "Chromium connects before it heeds the policy"
WEBRTC = "no browser has a policy for WebRTC"
GUESSES = "Firefox guesses the type of a file with another suffix"
ALLOWED = {
    LEADS_AWAY: {"name", "connection", "request"}, HINTS: {"name", "connection"}, CONNECTS: {"name", "connection"},
    WEBRTC: {"name", "datagram", "announcement"}, GUESSES: {"name", "connection", "request"},
}

WAYS = [
    Way("img", "images", IMAGE),
    Way("srcset", "images", "<img srcset='http://OUT/image.png 1x, http://OUT/two.png 2x' alt=''>"),
    Way("picture", "images", "<picture><source srcset=http://OUT/image.webp type=image/webp><img src=data:, alt=''></picture>"),
    Way("input-image", "images", "<form><input type=image src=http://OUT/image.png alt=''></form>"),
    Way("background", "images", "<body background=http://OUT/image.png>"),
    Way("icon", "images", "<link rel=icon href=http://OUT/icon.png>"),
    Way("css-image", "styles", "<style>body { background: url(http://OUT/image.png) }</style>"),
    Way("css-attribute", "styles", "<p style='background: url(http://OUT/image.png)'>x</p>"),
    Way("css-import", "styles", "<style>@import 'http://OUT/style.css';</style>"),
    Way("css-font", "styles", "<style>@font-face { font-family: f; src: url(http://OUT/font.woff2) } p { font-family: f }</style>"),
    Way("css-link", "styles", "<link rel=stylesheet href=http://OUT/style.css>"),
    Way("css-file", "styles", "<link rel=stylesheet href=css-file.css><p>x</p>", others=(("/css-file.css", "text/css", "p { background: url(http://OUT/image.png) }"),)),
    Way("script", "scripts", "<script src=http://OUT/script.js></script>"),
    Way("module", "scripts", "<script type=module src=http://OUT/script.js></script>"),
    Way("module-import", "scripts", "<script type=module>import 'http://OUT/script.js'</script>"),
    Way("iframe", "frames", "<iframe src=http://OUT/frame></iframe>"),
    Way("srcdoc", "frames", f'<iframe srcdoc="{IMAGE}"></iframe>'),
    Way("data-frame", "frames", '<iframe src="data:text/html,<img src=http://OUT/image.png>"></iframe>'),
    Way("frameset", "frames", "<!doctype html><html><head><title>f</title></head><frameset cols='*'><frame src=http://OUT/frame></frameset></html>", is_whole=True),
    script("blob-frame", """const frame = document.createElement('iframe');
        frame.src = URL.createObjectURL(new Blob(['<img src=http://OUT/image.png>'], {type: 'text/html'})); document.documentElement.append(frame)""", "frames"),
    script("script-frame", "const frame = document.createElement('iframe'); frame.src = 'http://OUT/frame'; document.documentElement.append(frame)", "frames",
           open=CONNECTS),
    script("blank-frame", """const frame = document.createElement('iframe'); document.documentElement.append(frame);
        frame.contentDocument.write('<img src=http://OUT/image.png>')""", "frames"),
    Way("object", "plug-ins", "<object data=http://OUT/object type=image/png></object>"),
    Way("embed", "plug-ins", "<embed src=http://OUT/embed type=image/png>"),
    Way("refresh", "redirects", "<meta http-equiv=refresh content='0; url=http://OUT/next'>"),
    Way("refresh-late", "redirects", "<p>First<meta http-equiv=refresh content='0; url=http://OUT/next'>"),
    *(Way(name, "scripts", body, suffix, kind, is_whole, open=leads, others=((f"/{name}.js", "text/javascript", "top.location.href = 'http://OUT/next'"),))
      for name, leads, body, suffix, kind, is_whole in (
        ("script-file", LEADS_AWAY, "<script src=script-file.js></script>", ".html", "text/html", False),
        ("script-async", LEADS_AWAY, "<SCRIPT/src=script-async.js async></SCRIPT>", ".html", "text/html", False),
        ("script-deferred", LEADS_AWAY, "<script defer src=script-deferred.js type=text/javascript></script>", ".html", "text/html", False),
        ("script-module", None, "<script type=module src=script-module.js></script>", ".html", "text/html", False),
        ("script-drawn", LEADS_AWAY, "<svg><script href=script-drawn.js></script></svg>", ".html", "text/html", False),
        ("script-within", None, "<iframe srcdoc='&lt;scr&#105;pt src=script-within.js>&lt;/script>'></iframe>", ".html", "text/html", False),
        ("script-xhtml", None, '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>x</h:title></h:head><h:body><h:script src="script-xhtml.js"/></h:body></h:html>', ".xhtml", "application/xhtml+xml", True),
        ("script-large", LEADS_AWAY, f"<script src=script-large.js></script><!--{'x' * (33 << 20)}-->", ".html", "text/html", False),
    )),
    script("location", "location.href = 'http://OUT/next'", "redirects", open=LEADS_AWAY),
    script("script-address", "location.href = 'javascript:new Image().src=\\'http://OUT/image.png\\''", "redirects"),
    script("replace", "onload = () => location.replace('http://OUT/next')", "redirects", open=LEADS_AWAY),
    script("click", "onload = () => { const link = document.createElement('a'); link.href = 'http://OUT/next'; link.click() }", "redirects", open=LEADS_AWAY),
    Way("form", "forms", "<form id=f action=http://OUT/form method=post><input name=a value=b></form><script>f.submit()</script>", open=CONNECTS),
    Way("form-get", "forms", "<form id=f action=http://OUT/form><input name=a value=b></form><script>f.submit()</script>", open=CONNECTS),
    Way("form-frame", "forms", "<iframe name=t></iframe><form id=f action=http://OUT/form target=t></form><script>f.submit()</script>", open=CONNECTS),
    Way("form-window", "forms", "<form id=f action=http://OUT/form target=_blank></form><script>f.submit()</script>"),
    Way("prefetch", "hints", "<link rel=prefetch href=http://OUT/next>", patience=1),
    Way("preload", "hints", "<link rel=preload as=image href=http://OUT/image.png>"),
    Way("modulepreload", "hints", "<link rel=modulepreload href=http://OUT/script.js>"),
    Way("dns-prefetch", "hints", "<link rel=dns-prefetch href=http://OUT>", patience=0.5),
    Way("preconnect", "hints", "<link rel=preconnect href=http://OUT>", patience=0.5),
    Way("link-names", "hints", "<meta http-equiv=x-dns-prefetch-control content=on><a href=http://OUT/next>Out</a>", patience=0.5),
    Way("prerender", "hints", "<link rel=prerender href=http://OUT/next>", patience=1),
    Way("speculation", "hints", '<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["http://OUT/next"], "eagerness": "immediate"}]}</script>', patience=1),
    Way("manifest", "hints", "<link rel=manifest href=http://OUT/app.webmanifest>", patience=0.5),
    script("script-hint", """for (const rel of ['dns-prefetch', 'preconnect']) { const link = document.createElement('link'); link.rel = rel;
        link.href = 'http://OUT'; document.head.append(link) }""", "hints", patience=0.5, open=HINTS),
    script("script-prefetch", """for (const rel of ['prefetch', 'prerender', 'preload']) { const link = document.createElement('link');
        link.rel = rel; link.as = 'image'; link.href = 'http://OUT/next'; document.head.append(link) }""", "hints", patience=1),
    Way("ping", "pings", PING, clicks=True),
    Way("video", "media", "<video src=http://OUT/video.mp4 autoplay muted></video>"),
    Way("poster", "media", "<video poster=http://OUT/poster.png></video>"),
    Way("audio", "media", "<audio autoplay preload=auto><source src=http://OUT/audio.mp3></audio>"),
    Way("track", "media", "<video src='data:video/mp4;base64,' muted><track default kind=subtitles src=http://OUT/track.vtt></video><script>document.querySelector('track').track.mode = 'showing'</script>"),
    Way("svg-use", "drawings", "<svg><use href='http://OUT/drawing.svg#a'></use></svg>"),
    Way("svg-image", "drawings", "<svg><image href=http://OUT/image.png width=9 height=9></image></svg>"),
    Way("svg-script", "drawings", "<svg><script href=http://OUT/script.js></script></svg>"),
    Way("svg-filter", "drawings", "<svg width=9 height=9><filter id=f><feImage href=http://OUT/image.png /></filter><rect width=9 height=9 filter=url(#f) /></svg>"),
    Way("svg-style", "drawings", "<svg><style>rect { fill: url(http://OUT/drawing.svg#a) }</style><rect width=9 height=9 /></svg>"),
    script("fetch", "fetch('http://OUT/data', {mode: 'no-cors'}).catch(() => 0)"),
    script("xhr", "const request = new XMLHttpRequest; request.open('GET', 'http://OUT/data'); request.send()"),
    script("websocket", "new WebSocket('ws://OUT/socket')"),
    script("eventsource", "new EventSource('http://OUT/events')"),
    script("beacon", "navigator.sendBeacon('http://OUT/beacon', 'x')"),
    script("worker", "new Worker(URL.createObjectURL(new Blob([\"importScripts('http://OUT/script.js')\"])))"),
    script("worker-fetch", "new Worker(URL.createObjectURL(new Blob([\"fetch('http://OUT/data', {mode: 'no-cors'})\"])))"),
    script("worker-data", "new Worker('data:text/javascript,' + encodeURIComponent(\"fetch('http://OUT/data', {mode: 'no-cors'})\"))"),
    script("import", "import('http://OUT/script.js').catch(() => 0)"),
    script("new-image", "new Image().src = 'http://OUT/image.png'"),
    script("font-face", "new FontFace('f', 'url(http://OUT/font.woff2)').load().catch(() => 0)"),
    script("webtransport", "new WebTransport('https://OUT/').closed.catch(() => 0)", patience=0.5),
    script("webrtc", """const connection = new RTCPeerConnection({iceServers: [{urls: 'stun:OUT:3478'}]}); connection.createDataChannel('x');
        connection.createOffer().then(offer => connection.setLocalDescription(offer))""", patience=2, open=WEBRTC),
    script("xslt", """const style = new DOMParser().parseFromString('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        + '<xsl:import href="http://OUT/style.xsl"/></xsl:stylesheet>', 'text/xml'); const processor = new XSLTProcessor; processor.importStylesheet(style)"""),
    script("open", "open('http://OUT/next')", "other windows", open=LEADS_AWAY),
    script("open-blank", "const other = open('about:blank'); other?.document.write('<img src=http://OUT/image.png>')", "other windows"),
    Way("drawing", "documents of other types", DRAWING.format('<image href="http://OUT/image.png" width="9" height="9"/>'), ".svg", "image/svg+xml", True),
    Way("drawing-script", "documents of other types", DRAWING.format("<script>fetch('http://OUT/data', {mode: 'no-cors'}); new Image().src = 'http://OUT/image.png'</script>"), ".svg", "image/svg+xml", True),
    Way("drawing-frame", "documents of other types", "<iframe src=drawing-frame.svg></iframe>", others=(
        ("/drawing-frame.svg", "image/svg+xml", DRAWING.format('<image href="http://OUT/image.png" width="9" height="9"/>')),)),
    Way("xml", "documents of other types", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head/><body><img src="http://OUT/image.png"/></body></html>', ".xml", "application/xml", True),
    Way("xml-script", "documents of other types", "<?xml version='1.0'?><r xmlns:h='http://www.w3.org/1999/xhtml'><h:script>new Image().src = 'http://OUT/image.png'</h:script></r>", ".xml", "text/xml", True),
    Way("xml-style", "documents of other types", "<?xml version='1.0'?><?xml-stylesheet type='text/css' href='http://OUT/style.css'?><r>x</r>", ".xml", "application/xml", True),
    Way("xhtml", "documents of other types", '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><img src="http://OUT/image.png" alt=""/></body></html>', ".xhtml", "application/xhtml+xml", True),
    Way("xhtml-headless", "documents of other types", '<html xmlns="http://www.w3.org/1999/xhtml"><body><img src="http://OUT/image.png" alt=""/></body></html>', ".xhtml", "application/xhtml+xml", True),
    Way("xhtml-prefix", "documents of other types", '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>x</h:title></h:head><h:body><h:img src="http://OUT/image.png" alt=""/></h:body></h:html>', ".xhtml", "application/xhtml+xml", True),
    Way("feed", "documents of other types", "<?xml version='1.0'?><rss version='2.0' xmlns:h='http://www.w3.org/1999/xhtml'><channel><title>x</title><h:img src='http://OUT/image.png'/></channel></rss>", ".xml", "application/rss+xml", True),
    Way("bytes", "documents of other types", f"<!doctype html><title>x</title>{IMAGE}", ".html", "application/octet-stream", True),
    Way("bytes-htm", "documents of other types", f"<!doctype html><title>x</title>{IMAGE}", ".HTM", "application/octet-stream", True),
    Way("bytes-shtml", "documents of other types", f"<!doctype html><title>x</title>{IMAGE}", ".shtml", "application/octet-stream", True),
    Way("bytes-svg", "documents of other types", DRAWING.format('<image href="http://OUT/image.png" width="9" height="9"/>'), ".svg", "application/octet-stream", True),
    Way("untyped", "documents of other types", f"<!doctype html><title>x</title>{IMAGE}", ".html", "", True),
    Way("bare", "documents of other types", f"<!doctype html><html><title>x</title>{IMAGE}", "", "application/octet-stream", True),
    Way("bare-untyped", "documents of other types", f"<!doctype html><html><title>x</title>{IMAGE}", "", "", True),
    Way("odd-suffix", "documents of other types", f"<!doctype html><html><title>x</title>{IMAGE}", ".qqq", "application/x-qqq", True, open=GUESSES),
    Way("archive", "documents of other types", 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://OUT/\r\n\r\n'
        f"<!doctype html><title>x</title>{IMAGE}\r\n--b--\r\n", ".mhtml", "multipart/related", True),
    Way("text", "documents of other types", f"<!doctype html><html><title>x</title>{IMAGE}", ".html", "text/plain", True),
    Way("json", "documents of other types", f"<!doctype html><html><title>x</title>{IMAGE}", ".html", "application/json", True),
    Way("no-markup", "pages of odd forms", f"Hello <title>x</title>{IMAGE}", is_whole=True),
    Way("end-first", "pages of odd forms", f"</br><title>x</title>{IMAGE}", is_whole=True),
    Way("comment-first", "pages of odd forms", f"<!--> <script>new Image().src = 'http://OUT/image.png'</script> --><title>x</title>{IMAGE}", is_whole=True),
    Way("body-text", "pages of odd forms", f"<!doctype html><html>Text <head><title>x</title></head>{IMAGE}</html>", is_whole=True),
    Way("head-text", "pages of odd forms", f"<!doctype html><html><head>Text <title>x</title></head>{IMAGE}</html>", is_whole=True),
    Way("two-heads", "pages of odd forms", f"<!doctype html><html></head><head><title>x</title></head>{IMAGE}</html>", is_whole=True),
    Way("template-first", "pages of odd forms", f"<template></template><title>x</title>{IMAGE}", is_whole=True),
    Way("noscript-first", "pages of odd forms", f"<noscript><p></noscript><title>x</title>{IMAGE}", is_whole=True),
    Way("utf-16", "pages of odd forms", f"\ufeff<!doctype html><html><title>x</title>{IMAGE}</html>", is_whole=True, encoding="utf-16-le"),
    Way("iso-2022-jp", "pages of odd forms", f"<!doctype html><html><meta charset=iso-2022-jp><title>灯台</title>{IMAGE}</html>", is_whole=True, encoding="iso-2022-jp"),
    Way("own-base", "pages of odd forms", "<base href=http://OUT/><img src=image.png alt=''>"),
    Way("own-policy", "pages of odd forms", f"<meta http-equiv=Content-Security-Policy content='default-src * data: blob:'>{IMAGE}"),
    Way("many-references", "pages of odd forms", f"{'<a href=x></a>' * 300_000}{IMAGE}", patience=2),
    Way("large", "pages of odd forms", f"{IMAGE}<!--{'x' * (33 << 20)}-->", patience=2),
]


def answer(path):
    """Status, type and body of a path on the site."""
    if path == "/":
        links = "".join(f"<li><a id={way.name} href={way.path[1:]}>{way.name}</a>" for way in WAYS)
        return 200, "text/html", f"<!doctype html><html lang=en><meta charset=utf-8><title>Ways out</title><link rel=icon href=data:,><h1>Ways out</h1><ul>{links}</ul>".encode()
    for way in WAYS:
        if path == way.path:
            # Browsers heed a charset that a server states.
            return 200, way.type, way.text
        for other, kind, text in way.others:
            if path == other:
                return 200, kind, text.replace("OUT", way.host).encode()
    return 404, "text/plain", b"not found\n"


def answer_elsewhere(path):
    """The same for the hosts that a page tries to reach; each answers with what the page may want."""
    kinds = {".css": "text/css", ".js": "text/javascript", ".png": "image/png", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}
    return 200, next((kind for suffix, kind in kinds.items() if path.endswith(suffix)), "text/html"), b""
