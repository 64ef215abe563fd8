"""Runs the commands of the documentation, for scripts/test-snippets.

usage: scripts/test_snippets.py PROGRAM [PAGE...]
"""

import base64
import concurrent.futures
import http.server
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import snippets

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if path.name != "lint-rules.md")]

# The hosts that the pages name, with the folder that each publishes. The private copies of a page may change.
SITES = {
    "docs.example": "sites/docs", "your.site": "sites/docs", "app.example": "sites/docs", "wiki.example": "sites/docs",
    "handbook.example": "sites/docs", "news.example": "sites/docs", "site.example": "sites/docs", "packages.example": "/srv/www",
}
# wiki.example wants one of these.
LOGINS = ("Basic " + base64.b64encode(b"ann:secret").decode(), "Bearer TOKEN")
COOKIE = "session=1"

# What a page's reader has already, and how it is made.
GIVEN = {
    "docs.zip": "afcache pack -q https://docs.example/ -o docs.zip",
    "manual.zip": "afcache pack -q --folder Fixtures/sites/demo --base-url https://manual.example/ --last-modified file -o manual.zip",
    "docs-1.zip": "cd sites/docs && echo '<p>Old' > old.html && sed -i 's|</body>|<a href=/old.html>1</a></body>|' storms.html && cd ../.. && "
        "afcache pack -q https://docs.example/ -o docs-1.zip",
    "docs-2.zip": "cd sites/docs && echo '<p>Tides' > tides.html && sed -i 's|/old.html>1|/tides.html>2|' storms.html && rm old.html && "
        "touch -d '2026-11-26 09:12:44Z' storms.html && cd ../.. && afcache pack -q https://docs.example/ -o docs-2.zip",
    "site.zip": "afcache pack -q https://docs.example/ -o site.zip",
    "broken.zip": "cp -r sites/docs broken && rm broken/assets/chunks/VPLocal* && "
        "afcache pack -q --folder broken --base-url https://docs.example/ -o broken.zip && rm -r broken",
    "handbook.zip": "afcache pack -q --folder Fixtures/sites/vitepress --base-url http://localhost:8000/ -o handbook.zip --name handbook",
    "public": "cp -r Fixtures/sites/vitepress public",
    "news.zip": "afcache pack -q https://news.example/ -o news.zip",
    "packages": "mkdir packages && cp news.zip packages",
    # What was done before, by another page or by a step that the page only describes.
    "loaded-docs": "afcache load -q docs.zip --cache cache",
    "loaded-docs-1": "afcache load -q docs-1.zip --name docs && afcache load -q docs-1.zip --name docs --cache cache",
    "loaded-handbook": "afcache pack -q --folder public --base-url https://handbook.example/ --last-modified -1h -o handbook.zip && "
        "afcache load -q handbook.zip --cache cache",
    "new-handbook": "echo '<p>New' >> public/storms.html && afcache pack -q --folder public --base-url http://localhost:8000/ -o new.zip && "
        "cp new.zip www/handbook.zip",
    "published-docs": "afcache pack -q https://docs.example/ -o /srv/www/docs.zip",
    "afcache.yaml": r"printf 'version: 1\ncache: cache\npackages:\n  - from: https://packages.example/docs.zip\n' > afcache.yaml",
    "packages.yaml": r"printf 'version: 1\ncache: cache\npackges: []\n' > packages.yaml",
    "docs.channel": "for key in old new; do afcache keygen -q -o $key; done; afcache channel new docs --key old.pub -o docs.channel",
    "cookies.txt": r"printf 'wiki.example\tFALSE\t/\tTRUE\t0\tsession\t1\n' > cookies.txt",
    "urls.txt": r"printf 'https://docs.example/%s\n' storms.html lamps.html > urls.txt",
    "missing.txt": "echo https://docs.example/robots.txt > missing.txt",
    "site.key": "cp ../site.pem . && cp ../key.pem site.key",
    # Packages of AFCache. In the second one, two bodies are missing.
    "old.zip": "mkdir -p old/docs.example && echo '<p>Old' > old/docs.example/intro.html && printf "
        "'%s ; Sun, 06 Nov 2011 08:49:37 GMT ; NULL\\n' http://docs.example/intro.html > old/manifest.afcache && (cd old && zip -qrD ../old.zip .)",
    "damaged.zip": "printf '%s ; Sun, 06 Nov 2011 08:49:37 GMT ; NULL\\n' http://docs.example/ http://docs.example/gone.html "
        ">> old/manifest.afcache && (cd old && zip -qrD ../damaged.zip .)",
}

# In outputs, '…' stands for anything in a line, and a line with only '…' for any lines. The values of these differ in each run.
CHANGING = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "a time"),
    (r"\b\d{4}-\d\d-\d\d\b", "a date"),
    (r"\b[0-9a-f]{16,}\b", "a digest or a key"),
    (r"\b(?:[0-9A-F]{2}:){3,}[0-9A-F]{2}\b", "a fingerprint"),
    (r"(?<=:)[34]\d{4}(?=/)", "a port"),
    (r"\b\d+(?:\.\d+)? (?:B|kB|MB|%)(?!\w)", "a size"),
]
# These run until the page stops them, or until the next one of the same program starts.
SERVERS = re.compile(r"^(?:sudo )?(afcache (?:serve|open)|python3 -m http\.server)\b|&$")


class Failure(Exception):
    pass


def pattern(line):
    """A regular expression for a line of output."""
    parts = re.split("(…|" + "|".join(regex for regex, _ in CHANGING) + ")", line)
    result = ""
    for part in parts:
        changing = next((regex for regex, _ in CHANGING if re.fullmatch(regex.replace("(?<=:)", "").replace("(?=/)", ""), part)), None)
        result += ".*" if part == "…" else changing if changing and part else re.escape(part)
    return result


def matches(shown, *streams):
    """Returns true if the page shows the lines of these streams, in any mixture: to pipes, a program writes one of them later."""
    streams = [[line.rstrip() for line in stream.rstrip("\n").split("\n")] if stream.strip() else [] for stream in streams]
    shown = [line.rstrip() for line in shown]
    ways = {tuple(0 for _ in streams)}
    for line in shown:
        if line.strip() == "…":
            ways = {way for way in itertools.product(*(range(len(stream) + 1) for stream in streams))
                    if any(all(now >= before for now, before in zip(way, earlier)) for earlier in ways)}
            continue
        regex = re.compile(pattern(line))
        ways = {way[:i] + (way[i] + 1,) + way[i + 1 :] for way in ways for i, stream in enumerate(streams)
                if way[i] < len(stream) and regex.fullmatch(stream[way[i]])}
    return tuple(len(stream) for stream in streams) in ways


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".md": "text/markdown"}

    def do_GET(self):
        host = self.headers.get("Host", "").split(":")[0].lower()
        if host == "wiki.example" and self.headers.get("Authorization") not in LOGINS and COOKIE not in self.headers.get("Cookie", ""):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="wiki"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.directory = str(pathlib.Path(self.server.folder, SITES.get(host, "sites/none")))
        super().do_GET()

    def log_message(self, *_):
        pass


class OriginServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, folder, context=None):
        self.folder = folder
        super().__init__(("127.0.0.1", port), Handler)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass


class Page:
    """Runs a page's blocks, within its namespaces."""

    def __init__(self, name, folder, program, verbose):
        self.name, self.folder, self.verbose = name, folder, verbose
        self.run_count, self.skipped, self.servers = 0, 0, []
        tools, home = folder / "tools", folder / "home"
        tools.mkdir()
        home.mkdir()
        (tools / "afcache").symlink_to(program)
        for tool, script in {"sudo": 'exec "$@"', "xdg-open": "exit 0"}.items():
            (tools / tool).write_text(f"#!/bin/sh\n{script}\n")
            (tools / tool).chmod(0o755)
        self.work = folder / "work"
        self.work.mkdir()
        (self.work / "Fixtures").symlink_to(ROOT / "Fixtures")
        shutil.copytree(ROOT / "Fixtures/sites/vitepress", self.work / "sites/docs")
        self.environment = {
            "PATH": f"{tools}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8",
            "PYTHONUNBUFFERED": "1", "TMPDIR": str(folder), "BROWSER": "true", "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC",
        }

    def prepare(self):
        """Gives the page's namespaces a network with its hosts, and empty folders in place of the machine's."""
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost " + " ".join(SITES) + "\n::1 localhost\n")
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        # The address by which other machines would reach this one.
        subprocess.run(["ip", "link", "add", "outside", "type", "veth", "peer", "name", "inside"], check=True)
        subprocess.run(["ip", "address", "add", "192.0.2.2/24", "dev", "outside"], check=True)
        subprocess.run(["ip", "link", "set", "outside", "up"], check=True)
        bundle = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        trusted = self.folder / "trusted.pem"
        names = ",".join(f"DNS:{name}" for name in SITES)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
             "/CN=snippets", "-addext", f"subjectAltName={names}", "-keyout", self.folder / "key.pem", "-out", self.folder / "site.pem"],
            check=True, capture_output=True)
        trusted.write_text((bundle.read_text() if bundle.exists() else "") + (self.folder / "site.pem").read_text())
        for source, target in ((hosts, "/etc/hosts"), (trusted, bundle)):
            subprocess.run(["mount", "--bind", source, target], check=True)
        for target in ("/srv", "/media", "/var/lib"):
            subprocess.run(["mount", "-t", "tmpfs", "none", target], check=True)
        os.makedirs("/srv/www")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "site.pem", self.folder / "key.pem")
        OriginServer(80, self.work)
        OriginServer(443, self.work, context)

    def fail(self, number, command, problem):
        raise Failure(f"{self.name}:{number}: '{command}': {problem}")

    def shell(self, command, **options):
        return subprocess.run(["bash", "-c", command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=90, **options)

    def execute(self, number, command, shown, exit_code):
        if SERVERS.search(command):
            return self.serve(number, command.removesuffix("&"), shown)
        self.run_count += 1
        started = time.monotonic()
        done = self.shell(command)
        done.stdout, done.stderr = self.plain(done.stdout), self.plain(done.stderr)
        printed = done.stdout + done.stderr
        self.tell(f"$ {command}\n{printed}[{done.returncode}] {time.monotonic() - started:.1f} s")
        if exit_code is None and any(line.startswith("error: ") for line in shown or []):
            if done.returncode == 0:
                self.fail(number, command, "succeeded, although the page shows an error")
        elif done.returncode != (exit_code or 0):
            self.fail(number, command, f"exit code {done.returncode}, not {exit_code or 0}\n{printed}")
        self.compare(number, command, shown, done.stdout, done.stderr)

    def plain(self, output):
        """Returns an output as that of a reader, whose folders have other names."""
        return output.replace(self.environment["HOME"], "~")

    def compare(self, number, command, shown, *printed):
        if shown is not None and not matches(shown, *printed):
            self.fail(number, command, "the page shows\n" + "\n".join(shown) + "\nbut the command printed\n" + "".join(printed))

    def serve(self, number, command, shown):
        self.run_count += 1
        kind = SERVERS.search(command)
        kind = kind[1].split()[0] if kind else command
        self.stop(kind)
        output = self.folder / f"server-{self.run_count}"
        with open(output, "w") as file:
            process = subprocess.Popen(["bash", "-c", "exec " + command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        self.servers.append((kind, number, command, process, output))
        end = time.monotonic() + 30
        while not (matches(shown, output.read_text()) if shown else re.search(r"http|listening", output.read_text())):
            if process.poll() is not None or time.monotonic() > end:
                self.compare(number, command, shown, output.read_text())
                self.fail(number, command, f"doesn't serve\n{output.read_text()}")
            time.sleep(0.05)
        self.tell(f"$ {command} &\n{output.read_text()}")

    def stop(self, kind=None):
        """Stops servers as Control-C does."""
        for entry in [entry for entry in self.servers if kind in (None, entry[0])]:
            _, number, command, process, output = entry
            self.servers.remove(entry)
            os.killpg(process.pid, signal.SIGINT)
            try:
                code = process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.fail(number, command, "didn't end at Control-C")
            if command.startswith("afcache") and code != 0:
                self.fail(number, command, f"exit code {code} at Control-C\n{output.read_text()}")

    def tell(self, text):
        if self.verbose:
            print(text, flush=True)

    def run(self):
        self.prepare()
        try:
            for problem in snippets.problems(self.name):
                raise Failure(problem)
            for block in snippets.blocks(ROOT / self.name):
                self.run_block(block)
            self.stop()
        finally:
            for entry in self.servers:
                if entry[3].poll() is None:
                    os.killpg(entry[3].pid, signal.SIGKILL)
        return self.run_count, self.skipped

    def run_block(self, block):
        exit_code, skipped = None, False
        for verb, words in block.directives:
            if verb == "given":
                for name in words.split():
                    self.hidden(block, GIVEN[name])
            elif verb == "$":
                self.hidden(block, words)
            elif verb == "stop":
                self.stop()
            elif verb == "file":
                (self.work / words).parent.mkdir(parents=True, exist_ok=True)
                (self.work / words).write_text("\n".join(block.lines) + "\n")
                if block.is_script:
                    (self.work / words).chmod(0o755)
            elif verb == "exit":
                exit_code = int(words)
            elif verb == "skip":
                skipped = True
        if not block.is_session or any(verb in ("text", "file") and not block.is_script for verb, _ in block.directives):
            return
        commands = [(block.number, "\n".join(block.lines), None)] if block.is_script else block.commands()
        if skipped:
            self.skipped += len(commands)
            return
        for index, (number, command, shown) in enumerate(commands):
            self.execute(number, command, shown, exit_code if index == len(commands) - 1 else None)

    def hidden(self, block, command):
        if SERVERS.search(command):
            self.run_count -= 1
            return self.serve(block.number, command.removesuffix("&"), None)
        done = self.shell(command)
        self.tell(f"({command}) {done.stdout}{done.stderr}")
        if done.returncode != 0:
            self.fail(block.number, command, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")


def inside(name, program, verbose):
    with tempfile.TemporaryDirectory(prefix="snippets-") as folder:
        try:
            print("ran", *Page(name, pathlib.Path(folder), program, verbose == "1").run())
        except Failure as failure:
            sys.exit(str(failure))
        except subprocess.TimeoutExpired as failure:
            sys.exit(f"{name}: '{failure.cmd[-1]}' took longer than {failure.timeout} s")


def enter(name, program, verbose):
    """Runs a page in namespaces of its own."""
    # Processes end with their namespace, also those that a page left.
    command = ["unshare", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, __file__, "--inside", name,
               program, str(int(verbose))]
    return subprocess.run(command, stdout=None if verbose else subprocess.PIPE, stderr=subprocess.STDOUT if not verbose else None, text=True)


def main():
    if sys.argv[1] == "--inside":
        return inside(*sys.argv[2:])
    program, names = sys.argv[1], sys.argv[2:]
    if names:
        sys.exit(max(enter(name, program, True).returncode for name in names))
    started, counts, failures = time.monotonic(), [0, 0], 0
    with_commands = [name for name in PAGES if any(block.is_session or block.directives for block in snippets.blocks(ROOT / name))]
    # Pages that need a browser take longest, so they come first.
    with_commands.sort(key=lambda name: not re.search(r"afcache try|--render", (ROOT / name).read_text()))
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        for name, done in zip(with_commands, pool.map(lambda name: enter(name, program, False), with_commands)):
            result = re.search(r"^ran (\d+) (\d+)$", done.stdout, re.M)
            if done.returncode != 0 or not result:
                print(done.stdout.strip() or f"{name}: ended with {done.returncode}", file=sys.stderr)
                failures += 1
                continue
            counts = [counts[0] + int(result[1]), counts[1] + int(result[2])]
    print(f"snippets: {counts[0]} commands of {len(with_commands)} pages ran, {counts[1]} are skipped, {time.monotonic() - started:.0f} s")
    if not failures and counts[1] > counts[0] / 2:
        sys.exit("snippets: too many commands are skipped")
    sys.exit(1 if failures else 0)


main()
