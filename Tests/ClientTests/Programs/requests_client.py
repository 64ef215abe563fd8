"""A client with Python's requests and http.client. Each check that fails is a line on standard error, and the exit code is 1.

    python3 requests_client.py online PROXY GATEWAY ORIGIN SECURE-ORIGIN AUTHORITY
    python3 requests_client.py offline PROXY AUTHORITY
"""

import http.client
import sys
import urllib.parse

try:
    import requests
except ImportError:
    sys.exit("there is no module 'requests'; 'scripts/setup --tests' installs python3-requests")

failed = False


def check(what, is_right, *seen):
    global failed
    if not is_right:
        failed = True
        print(f"{what}: {seen}", file=sys.stderr)


def session(proxy, authority):
    session = requests.Session()
    # Nothing of the environment, such as another proxy.
    session.trust_env = False
    session.proxies = {"http": proxy, "https": proxy}
    session.verify = authority
    return session


def online(proxy, gateway, origin, secure, authority):
    client = session(proxy, authority)
    url = f"{origin}/a?Cache-Control=max-age=600&ETag=%221%22"
    other = f"{origin}/b?Cache-Control=max-age=600"
    first = client.get(url)
    second = client.get(url)
    check("http is stored", first.text == second.text and "; hit" in second.headers["Cache-Status"], second.headers)
    check("the age is there", int(second.headers["Age"]) < 60, second.headers)
    same = client.get(url, headers={"If-None-Match": '"1"'})
    check("304", same.status_code == 304 and not same.content, same.status_code)
    part = client.get(url, headers={"Range": "bytes=0-1"})
    check("206", part.status_code == 206 and part.text == "/a", part.status_code, part.text)
    for _ in range(2):
        answer = client.get(f"{secure}/s?Cache-Control=max-age=600")
        check("https through the cache", answer.text == "/s 1\n", answer.text)
    before = client.get(other)
    posted = client.post(other, data=(piece for piece in (b"a", b"bc")))
    check("a POST in chunks", posted.status_code == 200, posted.status_code)
    check("after it", client.get(other).text != before.text)
    redirected = client.get(f"{origin}/r?status=302&Location=/a")
    check("a redirect", redirected.status_code == 200 and len(redirected.history) == 1, redirected.history)
    head = client.head(f"{origin}/h?size=123456")
    check("HEAD", head.headers["Content-Length"] == "123456" and not head.content, head.headers)
    with client.get(f"{origin}/l?size=3000000&Cache-Control=max-age=600", stream=True) as large:
        check("a stream", sum(map(len, large.iter_content(65536))) == 3000000)
    odd(gateway)


def odd(gateway):
    """http.client sends what it is told to, in one connection."""
    place = urllib.parse.urlsplit(gateway)
    line = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    for method, target, body, fields in [
        ("GET", "/o?Cache-Control=max-age=600", None, {}),
        ("GET", "/o?Cache-Control=max-age=600", None, {"Accept-Encoding": ""}),
        ("OPTIONS", "/o", None, {}),
        ("DELETE", "/o", b"", {}),
        ("PUT", "/o", b"x" * 100000, {}),
        ("PROPFIND", "/o", b"<a/>", {"Depth": "0"}),
        ("GET", "http://other.example/o", None, {}),
        ("HEAD", "/o", None, {"Range": "bytes=0-0"}),
        ("GET", "/" + "p" * 7000, None, {}),
        ("GET", "/o", None, {f"X-{number}": "v" * 100 for number in range(60)}),
        ("GET", "//o//..//o?a=b&&c", None, {}),
    ]:
        line.request(method, target, body, fields)
        answer = line.getresponse()
        content = answer.read()
        check(f"{method} {target[:40]}", answer.status == 200, answer.status, content[:100])
    first = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    first.connect()
    # Two requests in one piece, the second in halves.
    first.sock.sendall(b"GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\nGET /2 HTTP/1.1\r\nHo")
    answer = http.client.HTTPResponse(first.sock, method="GET")
    answer.begin()
    check("the first", answer.read().startswith(b"/1 "))
    first.sock.sendall(b"st: a.example\r\n\r\n")
    answer = http.client.HTTPResponse(first.sock, method="GET")
    answer.begin()
    check("the second", answer.read().startswith(b"/2 "))
    # One byte at a time, and empty lines before the request line (RFC 9112 §2.2).
    for byte in b"\r\n\r\nGET /3 HTTP/1.0\r\n\r\n":
        first.sock.sendall(bytes([byte]))
    answer = http.client.HTTPResponse(first.sock, method="GET")
    answer.begin()
    check("HTTP/1.0 without Host", answer.status in (200, 400), answer.status)
    answer.read()
    check("and the end", first.sock.recv(1) == b"")


def offline(proxy, authority):
    client = session(proxy, authority)
    page = client.get("https://docs.example/index.html")
    check("https", page.status_code == 200 and page.text == "page", page.status_code, page.text)
    check("a hit", "; hit" in page.headers["Cache-Status"], page.headers)
    same = client.get("https://docs.example/index.html", headers={"If-None-Match": page.headers["ETag"]})
    check("304", same.status_code == 304, same.status_code)
    missing = client.get("https://docs.example/none")
    check("504", missing.status_code == 504, missing.status_code)
    check("405", client.post("https://docs.example/index.html", data="x").status_code == 405)
    plain = client.get("http://docs.example/index.html")
    check("http", plain.status_code in (200, 504), plain.status_code)
    try:
        client.get("https://bank.example/")
        check("no certificate for others", False)
    except requests.exceptions.RequestException:
        pass
    stranger = requests.Session()
    stranger.trust_env = False
    stranger.proxies = client.proxies
    try:
        stranger.get("https://docs.example/index.html")
        check("an authority that isn't trusted", False)
    except requests.exceptions.SSLError:
        pass


globals()[sys.argv[1]](*sys.argv[2:])
sys.exit(1 if failed else 0)
