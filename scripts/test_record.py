"""Records an application, and compares what the package serves; see scripts/test-record."""

import contextlib
import functools
import http.server
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile

from listening import wait_until_listening

afcache, work = sys.argv[1], pathlib.Path(sys.argv[2])
here = pathlib.Path(__file__).parent
os.environ["TMPDIR"] = str(work)


@contextlib.contextmanager
def application(*options):
    program = subprocess.Popen([sys.executable, here / "record_app.py", work / "video.webm", *options], stdout=subprocess.PIPE)
    try:
        yield int(program.stdout.readline())
    finally:
        program.kill()
        program.wait()


def record(package, *words, **settings):
    return subprocess.run([afcache, "record", "-o", work / package, *words], **settings)


def lint(package):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([afcache, "lint", "--fail-on", "error", package], check=True, **quiet)


def suite(python):
    certificate, key = work / "app.pem", work / "app.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, stderr=subprocess.DEVNULL,
    )
    test = [python, here / "record_suite.py"]
    pinned = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    for scheme, files, options in [("http", [], []), ("https", [certificate, key], ["--cacert", certificate])]:
        with application(*files) as port:
            url = f"{scheme}://localhost:{port}/"
            for name in ("one.zip", "two.zip"):
                record(name, "--post", "--overwrite", *options, "--", *test, url, check=True, env=pinned)
        if (work / "one.zip").read_bytes() != (work / "two.zip").read_bytes():
            sys.exit(f"two recordings over {scheme} differ")
        print(f"ok   recorded twice over {scheme}: the same bytes", flush=True)
        lint(work / "one.zip")
        for member in ("manifest.afcache", ".afcache/resources.jsonl"):
            text = subprocess.run(["unzip", "-p", work / "one.zip", member], check=True, capture_output=True).stdout
            if b"secret-of-the-user" in text:
                sys.exit(f"a cookie is in {member}")
        serve_again(scheme, test, url)
        for options in [], ["--isolate"]:
            subprocess.run([afcache, "replay", *options, work / "one.zip", "--", *test, url], check=True)
            print(f"ok   the suite passes when it is replayed over {scheme} {' '.join(options)}", flush=True)


def serve_again(scheme, test, url):
    """Runs the suite on the package alone: the application has ended."""
    cache, authority = work / f"cache-{scheme}", work / f"ca-{scheme}"
    subprocess.run([afcache, "load", work / "one.zip", "--cache", cache], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([afcache, "ca", "create", "--ca", authority, "--host", "localhost"], check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(
        [afcache, "serve", "--cache", cache, "--ca", authority, "--expired", "always", "--port", "0", "--no-search"],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        address = server.stdout.readline().removeprefix("serving at http://").strip().rstrip("/")
        wait_until_listening(server, address)
        options = f"--proxy-server=http://{address} --proxy-bypass-list=<-loopback> --ignore-certificate-errors"
        subprocess.run([*test, url], check=True, env={**os.environ, "AFCACHE_CHROMIUM_OPTIONS": options})
    finally:
        server.terminate()
        server.wait()
    print(f"ok   the suite passes on the package over {scheme}", flush=True)


class Bytes(http.server.BaseHTTPRequestHandler):
    """Answers /NUMBER with that many bytes, half of which can be compressed, and /slow/NUMBER with pauses."""

    protocol_version = "HTTP/1.1"
    noise = random.Random(1).randbytes(1 << 16)

    def log_message(self, *_):
        pass

    def do_GET(self):
        size = int(self.path.split("/")[-1])
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.send_header("Content-Type", "application/octet-stream")
        self.end_headers()
        while size:
            piece = (self.noise + bytes(1 << 16))[:size]
            self.wfile.write(piece)
            size -= len(piece)


@contextlib.contextmanager
def origin():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bytes)
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def memory(megabytes):
    with origin() as url:
        recorder = subprocess.Popen(
            [afcache, "record", "-o", work / "large.zip", "--", "curl", "-sS", "-o", "/dev/null", f"{url}/{megabytes * 1_000_000}"]
        )
        most = 0
        while recorder.poll() is None:
            with contextlib.suppress(OSError):
                lines = pathlib.Path(f"/proc/{recorder.pid}/status").read_text().splitlines()
                most = max([most, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))])
            time.sleep(0.05)
    size = (work / "large.zip").stat().st_size
    print(f"recorded {megabytes} MB in a package of {size // 1_000_000} MB with at most {most // 1000} MB of memory")
    if recorder.returncode or most > 100_000:
        sys.exit("the recording failed, or took more than 100 MB")


def kills(count):
    chance = random.Random(count)
    states = {"package": 0, "state": 0, "nothing": 0}
    package = work / "killed.zip"
    with origin() as url:
        def begin(first):
            fetch = "for i in $(seq 40); do curl -sS -o /dev/null $0/$((i * 5000 + $1)); done"
            program = ["bash", "-c", fetch, url, str(first)]
            return [afcache, "record", "-q", "-o", package, "--", *program]

        for number in range(count):
            recorder = subprocess.Popen(begin(number), start_new_session=True, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.02, 1.6))
            # The recorder alone is killed, and then what it has started.
            recorder.send_signal(signal.SIGKILL)
            recorder.wait()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(recorder.pid, signal.SIGKILL)
            if package.exists():
                lint(package)
            state = "state" if (work / "killed.zip.crawl").exists() else "package" if package.exists() else "nothing"
            states[state] += 1
        whole = subprocess.run(begin(0), capture_output=True, text=True)
        if whole.returncode or (work / "killed.zip.crawl").exists() or (work / "killed.zip.bodies").exists():
            sys.exit(f"the last recording failed, or left its files: {whole.stderr}")
        lint(package)
    left = [path.name for path in work.iterdir() if path.name.startswith(".afcache-record")]
    print(f"killed {count} recordings; found {states}, then a whole package; temporary folders left: {len(left)}")
    if min(states["package"], states["state"]) == 0:
        sys.exit("the kills met only one state; let them be later or earlier")
    if len(left) > 1:
        sys.exit(f"temporary folders are left: {left}")


def shop(folder):
    """Makes what programs download: a git repository, packages for pip, npm, Go and apt, and a page."""
    def run(*words, **settings):
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **settings)

    folder.mkdir()
    (folder / "page.html").write_text("<title>Page</title>")
    run("git", "init", "-q", work / "repository")
    (work / "repository/file").write_text("content\n")
    run("git", "-C", work / "repository", "add", "file")
    run("git", "-C", work / "repository", "-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "-qm", "one")
    run("git", "clone", "--bare", work / "repository", folder / "demo.git")
    run("git", "-C", folder / "demo.git", "update-server-info")
    # Ten packages, of which each needs the next, so that pip finds out about them one by one.
    for number in range(10):
        name, need = f"demo{number}", f"Requires-Dist: demo{number + 1}\n" if number < 9 else ""
        index = folder / "simple" / name
        index.mkdir(parents=True)
        with zipfile.ZipFile(index / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}.py", f"value = {number}\n")
            wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{need}")
            wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
        (index / "index.html").write_text(f'<a href="{name}-1.0-py3-none-any.whl">{name}-1.0-py3-none-any.whl</a>')
    (work / "package").mkdir()
    (work / "package/package.json").write_text('{"name":"demo","version":"1.0.0"}')
    run("tar", "-czf", folder / "demo.tgz", "-C", work, "package")
    module = folder / "go/demo.example/demo/@v"
    module.mkdir(parents=True)
    (module / "list").write_text("v1.0.0\n")
    (module / "v1.0.0.info").write_text('{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}')
    (module / "v1.0.0.mod").write_text("module demo.example/demo\n")
    with zipfile.ZipFile(module / "v1.0.0.zip", "w") as archive:
        archive.writestr("demo.example/demo@v1.0.0/go.mod", "module demo.example/demo\n")
        archive.writestr("demo.example/demo@v1.0.0/demo.go", "package demo\n")
    control = work / "deb/DEBIAN"
    control.mkdir(parents=True)
    (control / "control").write_text("Package: demo\nVersion: 1.0\nArchitecture: all\nMaintainer: t <t@t.example>\nDescription: demo\n")
    (folder / "apt").mkdir()
    run("dpkg-deb", "--build", work / "deb", folder / "apt/demo.deb")
    with open(folder / "apt/Packages", "wb") as packages:
        subprocess.run(["dpkg-scanpackages", "."], cwd=folder / "apt", check=True, stdout=packages, stderr=subprocess.DEVNULL)


JAVA = """
public class Get { public static void main(String[] words) throws Exception {
    new java.net.URL(words[0]).openStream().transferTo(System.out); } }
"""

# What each program downloads from $URL into its working folder.
DOWNLOADS = {
    "curl": "curl -sSf -o page $URL/page.html",
    "git": "git clone -q $URL/demo.git cloned",
    "pip": "python3 -m pip install -q --disable-pip-version-check --no-cache-dir --no-compile -t . -i $URL/simple/ demo0",
    "npm": "npm install --silent --no-update-notifier --no-audit --no-fund --cache cache --prefix . $URL/demo.tgz && rm -r cache",
    "go": """
        export GOPROXY=$(echo $URL | sed s/127.0.0.1/shop.localhost/)/go  # Go asks no proxy for 127.0.0.1.
        export GOSUMDB=off GOPATH=$PWD/go GOCACHE=$PWD/cache GOFLAGS=-modcacherw
        go mod download demo.example/demo@v1.0.0 && cp go/pkg/mod/demo.example/demo@v1.0.0/demo.go . && rm -rf go cache""",
    "java": "java ../Get.java $URL/page.html >page",
    "apt": """
        mkdir -p apt/lists/partial apt/cache/archives/partial && echo "deb [trusted=yes] $URL/apt ./" >apt/sources.list
        apt="apt-get -qq -o Dir::State=$PWD/apt -o Dir::State::Lists=$PWD/apt/lists -o Dir::Cache=$PWD/apt/cache"
        apt="$apt -o Dir::Etc::SourceList=$PWD/apt/sources.list -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User="
        $apt update && $apt download demo && rm -r apt""",
}


def files(folder):
    """Returns what a program downloaded, without git's own files, which have times, and the user's settings."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not name.startswith(("cloned/.git/", ".")):
            found[name] = path.read_bytes()
    return found


def download(name, command, package, url):
    """Runs a download below a command of afcache; returns the files, the exit code and the messages."""
    # npm writes the folder's name into its files.
    folder = work / "download"
    folder.mkdir()
    ended = subprocess.run(
        [afcache, *command, *package, "--", "sh", "-c", DOWNLOADS[name]], cwd=folder, env={**os.environ, "URL": url, "HOME": str(folder)},
        capture_output=True, text=True,
    )
    found = files(folder)
    shutil.rmtree(folder)
    return found, ended.returncode, ended.stdout + ended.stderr


def replays():
    """Records downloads of several programs, ends their origin, and lets each download again, twice and isolated."""
    shop(work / "shop")
    (work / "Get.java").write_text(JAVA)
    names = [name for name in DOWNLOADS if shutil.which({"pip": "python3", "apt": "apt-get"}.get(name, name))]
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(http.server.SimpleHTTPRequestHandler, directory=work / "shop")
    )
    server.RequestHandlerClass.func.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    expected = {}
    for name in names:
        expected[name], code, words = download(name, ["record"], ["-o", work / f"{name}.zip"], url)
        if code or not expected[name]:
            sys.exit(f"{name} was not recorded, {code}: {words}")
    server.shutdown()
    server.server_close()
    for name in names:
        for options in [], [], ["--isolate"]:
            found, code, words = download(name, ["replay", *options], [work / f"{name}.zip"], url)
            if code or found != expected[name]:
                sys.exit(f"{name} differs when it is replayed {' '.join(options)}, {code}: {sorted(found)}: {words}")
        # What another program requests isn't in the package.
        _, code, words = download(name, ["replay", "--isolate"], [work / ("git.zip" if name == "curl" else "curl.zip")], url)
        if name not in ("curl", "java") and (not code or "not in the package: GET http://" not in words):
            sys.exit(f"{name} didn't fail without its package, {code}: {words}")
        print(f"ok   {name}: downloads what was recorded, twice and isolated", flush=True)


mode, *values = sys.argv[3:]
if mode == "--suite":
    suite(values[0])
elif mode == "--size":
    memory(int(values[0]) if values else 2000)
elif mode == "--replay":
    replays()
else:
    kills(int(values[0]) if values else 100)
