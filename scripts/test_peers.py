"""Tries the program with servers, proxies and clients of others: in front of it, behind it, and both."""

import argparse
import http.client
import http.server
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

from listening import wait_until_listening

# Of a virtual environment with gunicorn and Django.
PYTHON = sys.executable
IS_ROOT = os.geteuid() == 0
PAGE = b"<!doctype html><title>Page</title><p>" + b"A page of harbour.example. " * 40


class Failure(Exception):
    """A peer that got something else than it should."""


def expect(is_true, problem):
    """Raises a failure with the problem unless the condition holds."""
    if not is_true:
        raise Failure(problem)


def free_port():
    """Returns a port of the loopback address that nobody uses now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Case:
    """A scratch folder, and programs that end with the case."""

    def __init__(self, afcache, name):
        self.afcache = afcache
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"afcache-{name}-"))
        self.folder.chmod(0o755)
        self.programs = []
        self.servers = []

    def start(self, *command, port, **options):
        """Starts a program, and returns when it listens."""
        log = open(self.folder / f"{pathlib.Path(command[0]).name}-{port}.log", "wb")
        program = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, **options)
        self.programs.append(program)
        wait_until_listening(program, f"127.0.0.1:{port}")
        return port

    def serve(self, *options):
        """Starts the program's server with a cache of its own, and returns its port."""
        port = free_port()
        arguments = [str(option) for option in options]
        if not any(argument.endswith(".zip") for argument in arguments):
            arguments += ["--cache", str(self.folder / f"cache-{port}")]
        return self.start(self.afcache, "serve", *arguments, "--port", port, port=port)

    def origin(self, answer):
        """Starts a server whose handler calls a function for each request, and returns its port."""

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                answer(self)

            do_POST = do_HEAD = do_GET

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(server)
        return server.server_port

    def run(self, *arguments):
        """Runs the program to its end, and returns its exit code and what it printed."""
        done = subprocess.run(
            [str(part) for part in (self.afcache, *arguments)], capture_output=True, text=True, timeout=300
        )
        return done.returncode, done.stdout + done.stderr

    def package(self):
        """Makes a package of a small site, and returns its path."""
        site = self.folder / "site"
        site.mkdir()
        (site / "index.html").write_bytes(PAGE)
        package = self.folder / "harbour.zip"
        code, words = self.run("pack", "--folder", site, "--base-url", "http://harbour.example", "-o", package)
        expect(code == 0, f"pack failed with {code}: {words}")
        return package

    def end(self):
        """Ends the programs, and removes the folder."""
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            try:
                program.wait(20)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        for server in self.servers:
            server.shutdown()
            server.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)


def respond(handler, body, **fields):
    """Sends a response with a length."""
    handler.send_response(200)
    for name, value in {"content_type": "text/html", **fields}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)


def ask(port, path, through=None, method="GET", body=None, timeout=60, **fields):
    """Requests a path, perhaps through a proxy, and returns the response and its body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        target = path if through is None else f"http://{through}{path}"
        connection.request(method, target, body, {name.replace("_", "-"): value for name, value in fields.items()})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


# In front of the program


def squid(case):
    """Squid as a client's proxy: a revalidated page stays whole, for its client and for later ones."""
    port = case.serve(case.package())
    proxy = free_port()
    folder = case.folder / "squid"
    folder.mkdir()
    if IS_ROOT:
        # Squid gives up root's rights.
        shutil.chown(folder, "proxy", "proxy")
    (folder / "squid.conf").write_text(f"""http_port 127.0.0.1:{proxy}
http_access allow all
cache_peer 127.0.0.1 parent {port} 0 no-query no-digest default
never_direct allow all
cache_mem 16 MB
pid_filename {folder}/squid.pid
cache_log {folder}/cache.log
access_log none
coredump_dir {folder}
shutdown_lifetime 1 seconds
""")
    case.start("/usr/sbin/squid", "-N", "-f", folder / "squid.conf", port=proxy)
    for number, fields in enumerate([{}, {"Cache_Control": "max-age=0"}, {}, {"Cache_Control": "no-cache"}, {}]):
        response, body = ask(proxy, "/", through="harbour.example", **fields)
        expect(response.status == 200, f"request {number} through Squid is answered with {response.status}")
        expect(body == PAGE, f"request {number} through Squid brings {len(body)} of {len(PAGE)} bytes")


def nginx_in_front(case):
    """nginx with a cache in front of a gateway: pages, conditional requests and ranges stay whole."""
    origin = case.origin(lambda handler: respond(handler, PAGE, cache_control="max-age=60", etag='"1"'))
    gateway = case.serve("--origin", f"http://127.0.0.1:{origin}")
    port = nginx(
        case,
        f"proxy_cache_path {case.folder}/stored keys_zone=stored:1m;",
        f"""location / {{
            proxy_pass http://127.0.0.1:{gateway}; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_cache stored; proxy_cache_valid 200 1s; proxy_cache_revalidate on; proxy_ignore_headers Cache-Control;
            proxy_force_ranges on;
        }}""",
    )
    for number in range(4):
        response, body = ask(port, "/page")
        expect(
            (response.status, body) == (200, PAGE), f"request {number} through nginx: {response.status}, {len(body)} B"
        )
        # nginx's copy is older than its second, so that the next request is conditional.
        time.sleep(1.1)
    response, body = ask(port, "/page", Range="bytes=5-9")
    expect((response.status, body) == (206, PAGE[5:10]), f"a range through nginx: {response.status}")
    response, body = ask(port, "/page", If_None_Match='"1"')
    expect((response.status, body) == (304, b""), f"a condition through nginx: {response.status}")


def nginx(case, outside, inside, protocol=""):
    """Starts nginx with a part of its configuration, and returns its port."""
    port = free_port()
    folder = case.folder / "nginx"
    folder.mkdir()
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(f"""daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
{"user root;" if IS_ROOT else ""}
events {{ worker_connections 1024; }}
http {{ include /etc/nginx/mime.types; access_log off; {paths} {outside}
    server {{ listen 127.0.0.1:{port} {protocol}; {inside} }} }}
""")
    return case.start("nginx", "-p", folder, "-e", folder / "errors", "-c", folder / "nginx.conf", port=port)


# Behind the program


APPLICATION = """
def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/":
        body = "".join(f"<a href=/{number}.html>{number}</a>" for number in range(PAGES)).encode()
    elif path == "/robots.txt":
        start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", "0")])
        return [b""]
    else:
        body = b"<p>" + path.encode()
    start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(body)))])
    return [body]
"""


def crawled_whole(case, port, pages):
    """Packs the application's pages, and checks that none is lost and nothing was counted as a failure."""
    package = case.folder / "site.zip"
    started = time.monotonic()
    code, words = case.run("pack", f"http://127.0.0.1:{port}/", "-o", package)
    seconds = time.monotonic() - started
    expect(code == 0, f"pack ends with {code}: {words}")
    found = sum(name.endswith(".html") for name in zipfile.ZipFile(package).namelist())
    expect(found == pages, f"{found} of {pages} pages are packed: {words}")
    expect("failed" not in words and "retr" not in words, f"requests failed: {words}")
    return f"{pages + 1} pages in {seconds:.1f} s"


def uwsgi(case):
    """uWSGI's own router, which closes connections after each response without a word, loses no page."""
    pages = 5000
    (case.folder / "app.py").write_text(APPLICATION.replace("PAGES", str(pages)))
    port = free_port()
    case.start(
        "uwsgi",
        "--plugins",
        "http,python3",
        "--http",
        f"127.0.0.1:{port}",
        "--master",
        "--processes",
        2,
        "--chdir",
        case.folder,
        "--wsgi-file",
        case.folder / "app.py",
        "--die-on-term",
        "--disable-logging",
        "--need-app",
        port=port,
    )
    return crawled_whole(case, port, pages)


def gunicorn(case):
    """gunicorn with connections that end after one second loses no page."""
    pages = 2000
    (case.folder / "app.py").write_text(APPLICATION.replace("PAGES", str(pages)))
    port = free_port()
    case.start(
        PYTHON,
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--worker-class",
        "gthread",
        "--threads",
        4,
        "--keep-alive",
        1,
        "--max-requests",
        700,
        "--max-requests-jitter",
        100,
        "--chdir",
        case.folder,
        "app",
        port=port,
    )
    return crawled_whole(case, port, pages)


def closing(case):
    """A server that closes each connection up to four milliseconds after its response, without saying so."""
    pages = 1000
    start = "".join(f"<a href=/{number}.html>{number}</a>" for number in range(pages)).encode()
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def answer(client):
        with client:
            request = b""
            while b"\r\n\r\n" not in request:
                part = client.recv(65536)
                if not part:
                    return
                request += part
            path = request.split()[1]
            status = b"404 Not Found" if path == b"/robots.txt" else b"200 OK"
            body = start if path == b"/" else b"<p>" + path
            client.sendall(
                b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)
            )
            time.sleep(random.random() * 0.004)

    def accept():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        return crawled_whole(case, listener.getsockname()[1], pages)
    finally:
        listener.close()


def heads(case):
    """nginx with long heads over HTTP/2: up to the limit they are read, and beyond it the failure names the limit."""
    key, certificate = certified(case)
    fields = {size: "".join(f'add_header X-{n} "{"v" * 1000}";' for n in range(size)) for size in (100, 300)}
    locations = "".join(f'location /{size} {{ {text} return 200 "a"; }}' for size, text in fields.items())
    security = f"ssl_certificate {certificate}; ssl_certificate_key {key};"
    port = nginx(case, "", f"{security} {locations}", protocol="ssl http2")
    for size, expected in [(100, "packed"), (300, "the response's head is longer than 262144 bytes")]:
        command = ["pack", f"https://localhost:{port}/{size}", "--scope", "page", "--cacert", certificate, "--retries", 0]
        _, words = case.run(*command, "-o", case.folder / f"{size}.zip")
        expect(expected in words, f"a head of {size} kB: {words}")


DJANGO = """
import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"], SECRET_KEY="test", ROOT_URLCONF=__name__,
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
)


def visits(request):
    request.session["visits"] = request.session.get("visits", 0) + 1
    response = HttpResponse(str(request.session["visits"]))
    response.set_cookie("theme", "dark")
    response.set_cookie("place", "harbour")
    return response


def form(request):
    return HttpResponse("posted" if request.method == "POST" else get_token(request))


urlpatterns = [path("visits", visits), path("form", form)]
application = get_wsgi_application()
"""


def curl(*arguments):
    """Runs curl, and returns what it printed."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--insecure", "--max-time", "30", *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    expect(done.returncode == 0, f"curl failed: {done.stderr}")
    return done.stdout


def certified(case):
    """Makes a key and a certificate for this machine, and returns their paths."""
    key, certificate = case.folder / "key.pem", case.folder / "certificate.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    return key, certificate


def django(case):
    """Django behind a gateway: sessions and forms, over HTTP/1.1 and HTTP/2 with several cookies."""
    key, certificate = certified(case)
    (case.folder / "django_site.py").write_text(DJANGO)
    origin = free_port()
    case.start(
        PYTHON, "-m", "gunicorn", "--bind", f"127.0.0.1:{origin}", "--chdir", case.folder, "django_site", port=origin
    )
    options = ["--origin", f"http://127.0.0.1:{origin}", "--tls-cert", certificate, "--tls-key", key]
    for mode, more in [("the origin's host", []), ("the client's host", ["--preserve-host"])]:
        port = case.serve(*options, *more)
        for version in ("--http1.1", "--http2"):
            jar = case.folder / f"cookies-{port}{version}"
            counts = [curl(version, "-b", jar, "-c", jar, f"https://localhost:{port}/visits") for _ in range(3)]
            expect(counts == ["1", "2", "3"], f"visits of a session over {version} with {mode}: {counts}")
            if not more:
                continue
            token = curl(version, "-b", jar, "-c", jar, f"https://localhost:{port}/form")
            sent = ["-H", f"Origin: https://localhost:{port}", "-d", f"csrfmiddlewaretoken={token}"]
            answer = curl(version, "-b", jar, *sent, f"https://localhost:{port}/form")
            expect(answer == "posted", f"a form over {version}: {re.sub('<[^>]*>', ' ', answer)[:300]}")


def events(case):
    """Three hundred event streams through a gateway, and then an ordinary page."""
    stop = threading.Event()

    def answer(handler):
        if handler.path == "/page":
            return respond(handler, PAGE)
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Cache-Control", "no-store")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"data: 1\n\n")
        stop.wait(120)

    port = case.serve("--origin", f"http://127.0.0.1:{case.origin(answer)}")
    clients = []
    try:
        for number in range(300):
            # Less than the time after which a gateway gives up streams that say nothing.
            client = socket.create_connection(("127.0.0.1", port), timeout=20)
            client.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            received = b""
            while b"data: 1" not in received:
                part = client.recv(65536)
                expect(part, f"event stream {number} ended")
                received += part
            clients.append(client)
        started = time.monotonic()
        response, body = ask(port, "/page")
        expect(
            (response.status, body) == (200, PAGE), f"beside event streams, a page is answered with {response.status}"
        )
        return f"beside 300 streams, a page took {1000 * (time.monotonic() - started):.0f} ms"
    finally:
        stop.set()
        for client in clients:
            client.close()


def chain(case):
    """Two gateways in a row, and a forward proxy in front of them."""
    origin = case.origin(lambda handler: respond(handler, PAGE, cache_control="no-cache"))
    inner = case.serve("--origin", f"http://127.0.0.1:{origin}")
    outer = case.serve("--origin", f"http://127.0.0.1:{inner}")
    proxy = case.serve("--forward-proxy", "--allow-private", "--allow-port", outer)
    for where, arguments in [("gateways", (outer, "/page")), ("a proxy", (proxy, "/page", f"127.0.0.1:{outer}"))]:
        response, body = ask(*arguments)
        expect((response.status, body) == (200, PAGE), f"{where} in a row answer with {response.status}: {body[:200]}")


# Clients


def apt(case):
    """apt updates its lists and downloads a package through the forward proxy."""
    tree = case.folder / "deb"
    control = tree / "hello" / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    control.write_text(
        "Package: afcache-hello\nVersion: 1.0\nArchitecture: all\nMaintainer: Test <test@harbour.example>\n"
        "Description: a package for a test\n"
    )
    subprocess.run(
        ["dpkg-deb", "--build", "hello", "afcache-hello_1.0_all.deb"], cwd=tree, check=True, capture_output=True
    )
    shutil.rmtree(tree / "hello")
    with open(tree / "Packages", "wb") as packages:
        subprocess.run(
            ["dpkg-scanpackages", "-m", "."], cwd=tree, check=True, stdout=packages, stderr=subprocess.DEVNULL
        )
    release = subprocess.run(["apt-ftparchive", "release", "."], cwd=tree, check=True, capture_output=True)
    (tree / "Release").write_bytes(release.stdout)
    origin = nginx(case, "", f"root {tree};")
    proxy = case.serve("--forward-proxy", "--allow-private", "--allow-port", origin)
    state = case.folder / "apt"
    for name in ("lists/partial", "archives/partial", "etc"):
        (state / name).mkdir(parents=True)
    (state / "sources").write_text(f"deb [trusted=yes] http://127.0.0.1:{origin} ./\n")
    options = [
        "-o",
        f"Dir::State::lists={state}/lists",
        "-o",
        f"Dir::Cache={state}",
        "-o",
        f"Dir::Etc::sourcelist={state}/sources",
        "-o",
        "Dir::Etc::sourceparts=-",
        "-o",
        "APT::Sandbox::User=root",
        "-o",
        f"Acquire::http::Proxy=http://127.0.0.1:{proxy}",
        "-o",
        "Acquire::http::No-Cache=false",
        "-o",
        "Acquire::Languages=none",
    ]
    for number in range(2):
        done = subprocess.run(["apt-get", *options, "update"], capture_output=True, text=True, timeout=120)
        expect(
            done.returncode == 0 and "Err" not in done.stdout, f"apt-get update {number}: {done.stdout}{done.stderr}"
        )
    done = subprocess.run(
        ["apt-get", *options, "download", "afcache-hello"], cwd=state, capture_output=True, text=True, timeout=120
    )
    expect(done.returncode == 0, f"apt-get download: {done.stdout}{done.stderr}")
    expect((state / "afcache-hello_1.0_all.deb").stat().st_size > 100, "apt-get downloaded nothing")


def pip(case):
    """pip downloads a wheel through the forward proxy, twice."""
    index = case.folder / "simple" / "afcache-hello"
    index.mkdir(parents=True)
    wheel = "afcache_hello-1.0-py3-none-any.whl"
    with zipfile.ZipFile(index / wheel, "w") as archive:
        archive.writestr("afcache_hello.py", "WORD = 'hello'\n")
        archive.writestr(
            "afcache_hello-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: afcache-hello\nVersion: 1.0\n"
        )
        archive.writestr(
            "afcache_hello-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(
            "afcache_hello-1.0.dist-info/RECORD",
            "afcache_hello.py,,\nafcache_hello-1.0.dist-info/METADATA,,\nafcache_hello-1.0.dist-info/WHEEL,,\n",
        )
    (index / "index.html").write_text(f"<!doctype html><a href={wheel}>{wheel}</a>")
    origin = nginx(case, "", f"root {case.folder}; location ~ [.]whl$ {{ types {{}} default_type application/zip; }}")
    proxy = case.serve("--forward-proxy", "--allow-private", "--allow-port", origin)
    for number in range(2):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "--isolated",
                "download",
                "--no-cache-dir",
                "--no-deps",
                "--proxy",
                f"http://127.0.0.1:{proxy}",
                "--index-url",
                f"http://127.0.0.1:{origin}/simple/",
                "-d",
                case.folder / f"wheels-{number}",
                "afcache-hello",
            ],
            capture_output=True,
            text=True,
            timeout=120,
        )
        expect(done.returncode == 0, f"pip download: {done.stdout}{done.stderr}")
        expect((case.folder / f"wheels-{number}" / wheel).exists(), "pip downloaded nothing")


def git(case):
    """git clones a repository through the forward proxy, and sees a new commit at once."""
    work, bare = case.folder / "work", case.folder / "repository.git"

    def run(*arguments):
        name = ["-c", "user.name=Test", "-c", "user.email=test@harbour.example"]
        subprocess.run(["git", *name, *map(str, arguments)], check=True, capture_output=True, timeout=60)

    run("init", "-q", "-b", "main", work)
    run("-C", work, "commit", "-q", "--allow-empty", "-m", "first")
    run("clone", "-q", "--bare", work, bare)
    run("-C", bare, "update-server-info")
    origin = nginx(case, "", f"root {case.folder};")
    proxy = case.serve("--forward-proxy", "--allow-private", "--allow-port", origin)
    clone = case.folder / "clone"
    through = ["-c", f"http.proxy=http://127.0.0.1:{proxy}"]
    run(*through, "clone", "-q", f"http://127.0.0.1:{origin}/repository.git", clone)
    # nginx's validators have a resolution of one second.
    time.sleep(1.1)
    run("-C", work, "commit", "-q", "--allow-empty", "-m", "second")
    run("-C", work, "push", "-q", bare, "main")
    run("-C", bare, "update-server-info")
    run(*through, "-C", clone, "pull", "-q")
    log = subprocess.run(["git", "-C", clone, "log", "--format=%s"], check=True, capture_output=True, text=True).stdout
    expect(log == "second\nfirst\n", f"git pulled {log!r}")


CASES = [squid, nginx_in_front, uwsgi, gunicorn, closing, heads, django, events, chain, apt, pip, git]


def main():
    names = ", ".join(case.__name__ for case in CASES)
    parser = argparse.ArgumentParser(description=f"The cases are: {names}.")
    parser.add_argument("--program", required=True, help="the program to try")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="the cases to run (default: all)")
    arguments = parser.parse_args()
    unknown = set(arguments.cases) - {case.__name__ for case in CASES}
    if unknown:
        parser.error(f"there is no case {', '.join(sorted(unknown))}; there are {names}")
    passed = failed = 0
    for function in CASES:
        if arguments.cases and function.__name__ not in arguments.cases:
            continue
        case = Case(arguments.program, function.__name__)
        try:
            words = function(case)
            print(f"{function.__name__}: passed" + (f": {words}" if words else ""), flush=True)
            passed += 1
        except (Failure, SystemExit, OSError, http.client.HTTPException, subprocess.SubprocessError) as problem:
            print(f"{function.__name__}: failed: {problem}", flush=True)
            failed += 1
        finally:
            case.end()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
