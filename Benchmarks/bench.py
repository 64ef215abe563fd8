"""Compares afcache with other programs that do the same work, alternately, in one run.

    scripts/bench [--pages 2000] [--runs 5] [--memory] [--lint] [--entries 1000000] [--crawl | --updates | --search | --serve]
                  [--site FOLDER [--port N]] [--against PROGRAM]

Prints medians, and the ratio of afcache to the other program: below 1 means that afcache takes less. Everything runs in
a temporary folder and on loopback.
"""

import argparse
import http.client
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import make_site

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../scripts"))
from listening import wait_until_listening

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ worker_connections 2048; }}
http {{
    include /etc/nginx/mime.types; access_log off; sendfile on; keepalive_requests 1000000;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def timed(command, cwd=None, allowed=(0,)):
    """Return the wall seconds, processor seconds and peak resident megabytes of a command."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed:
        sys.exit(f"bench: {command[0]} ended with {process.returncode}: {' '.join(command)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def median(rows, column):
    return statistics.median(row[column] for row in rows)


def compare(name, ours, theirs, runs, prepare=lambda: None):
    """Run both alternately, after one run of each that doesn't count."""
    one, other = [], []
    for turn in range(runs + 1):
        pair = ((ours, one), (theirs, other))
        for work, rows in pair if turn % 2 else reversed(pair):
            prepare()
            row = work()
            if turn > 0:
                rows.append(row)
    report(name, one, other)


def report(name, one, other):
    cells = []
    for column, unit in ((0, "s"), (1, "s"), (2, "MB")):
        a, b = median(one, column), median(other, column)
        cells.append(f"{a:.2f} / {b:.2f} {unit} = {a / b:.2f}")
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


class Served:
    """A server on loopback that runs until the block ends."""

    def __init__(self, command, address=None):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if address is None:
            address = self.process.stdout.readline().strip().partition("://")[2].rstrip("/")
        self.address = address
        wait_until_listening(self.process, address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def processors(self):
        """Processor seconds of the server and its children so far."""
        ticks = 0
        for pid in [self.process.pid] + children(self.process.pid):
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(text) for text in file.read().split()]


def nginx(work, folder, port=None):
    port = port or free_port()
    with open(f"{work}/nginx.conf", "w") as file:
        file.write(NGINX.format(work=work, port=port, folder=folder))
    return Served(["nginx", "-c", f"{work}/nginx.conf"], f"127.0.0.1:{port}")


def varnish(work, origin):
    """Varnish in front of a server, with everything in memory."""
    port = free_port()
    host, origin_port = origin.split(":")
    with open(f"{work}/varnish.vcl", "w") as file:
        file.write(f'vcl 4.1; backend default {{ .host = "{host}"; .port = "{origin_port}"; }}\n')
        file.write("sub vcl_backend_response { set beresp.ttl = 1h; }\n")
    os.makedirs(f"{work}/varnish", exist_ok=True)
    command = ["varnishd", "-F", "-n", f"{work}/varnish", "-a", f"127.0.0.1:{port}", "-f", f"{work}/varnish.vcl"]
    return Served(command + ["-s", "malloc,512m", "-T", "none"], f"127.0.0.1:{port}")


def load_test(server, script, connections=64):
    """Return requests per second and the server's processor time per request in microseconds, by wrk."""
    before = server.processors()
    command = ["wrk", "-t1", f"-c{connections}", "-d4s", "-s", script, f"http://{server.address}/"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = server.processors() - before
    requests = int(next(line for line in output.splitlines() if " requests in " in line).split()[0])
    errors = [line.strip() for line in output.splitlines() if "Non-2xx" in line or "Socket errors" in line]
    return requests / 4, used / requests * 1e6, errors


def serve(work, folder, afcache, store, runs):
    paths = [make_site.page_path(number) for number in range(0, 200)]
    quoted = ", ".join(f'"/{path}"' for path in paths)
    # The second one has a field that keeps afcache from repeating a response from memory.
    for name, field in (("wrk", ""), ("looked-up", ', ["Cache-Control"] = "max-stale"')):
        with open(f"{work}/{name}.lua", "w") as file:
            file.write(
                f"local paths = {{ {quoted} }}\nlocal requests = {{}}\nlocal n = 0\n"
                "init = function() for i, path in ipairs(paths) do\n"
                f'  requests[i] = wrk.format("GET", path, {{ ["Host"] = "site.example"{field} }}) end end\n'
                "request = function() n = n % #requests + 1\n  return requests[n] end\n"
            )
    script = f"{work}/wrk.lua"
    names = ("afcache", "afcache, looked up", "nginx", "varnish")
    rows = {name: [] for name in names}
    command = [afcache, "serve", "--cache", store, "--port", "0"]
    for turn in range(min(runs, 3) + 1):
        results = {}
        with Served(command) as server:
            results["afcache"] = load_test(server, script)
        with Served(command) as server:
            results["afcache, looked up"] = load_test(server, f"{work}/looked-up.lua")
        with nginx(work, folder) as server:
            results["nginx"] = load_test(server, script)
            with varnish(work, server.address) as cache:
                load_test(cache, script)
                results["varnish"] = load_test(cache, script)
        for name, result in results.items():
            if result[2]:
                sys.exit(f"bench: {name}: {result[2]}")
            if turn > 0:
                rows[name].append(result)
    print("\n| serve, 64 connections | requests per second | us of processor per request | relative to nginx |")
    print("| --- | --- | --- | --- |")
    nginx_cost = median(rows["nginx"], 1)
    for name in names:
        rate, cost = median(rows[name], 0), median(rows[name], 1)
        print(f"| {name} | {rate:.0f} | {cost:.1f} | {cost / nginx_cost:.2f} |")
    with Served(command) as server:
        rate, cost, errors = load_test(server, script, connections=1000)
        print(f"\n1,000 connections: {rate:.0f} requests per second, {cost:.1f} us; {'; '.join(errors) or 'no errors'}")


def parse(storebench, path):
    """Return the seconds that the parser alone takes."""
    run = subprocess.run([storebench, "manifest", path], capture_output=True, text=True, check=True)
    return float(next(line for line in run.stdout.splitlines() if line.startswith("parse:")).split()[1])


def write_manifest(path, lines, name):
    with open(path, "w") as file:
        for number in range(lines):
            file.write(
                f"http://docs.example/{name(number)}.html ; Tue, 14 Nov 2023 22:13:20 GMT ; "
                "Sat, 14 Nov 2093 22:13:20 GMT ; text/html; charset=utf-8\n"
            )


def lint(work, afcache, storebench, runs):
    """Measure bare manifests: sorted, which takes no memory, and the same URLs unsorted."""
    print("\n| manifest | parse alone, s | ns per line | lint, s | MB/s | peak MB |\n| --- | --- | --- | --- | --- | --- |")
    rows = [(lines, "", lambda number: f"pages/{number:07d}/index") for lines in (10_000, 100_000, 1_000_000)]
    rows.append((1_000_000, " in no order", lambda number: f"pages/{number * 7919 % 1_000_000:07d}/index"))
    for lines, order, name in rows:
        path = f"{work}/manifest.afcache"
        write_manifest(path, lines, name)
        alone = parse(storebench, path)
        timings = [timed([afcache, "lint", "--quiet", path]) for _ in range(min(runs, 5))]
        wall = median(timings, 0)
        size = os.path.getsize(path) / 1e6
        columns = [f"{lines} lines{order}", f"{alone:.4f}", f"{alone / lines * 1e9:.0f}", f"{wall:.3f}"]
        print("| " + " | ".join([*columns, f"{size / wall:.0f}", f"{median(timings, 2):.0f}"]) + " |", flush=True)


def memory(work, afcache):
    folder = f"{work}/big"
    block = ("The keeper writes the log at dawn, and the lamp goes out. " * 20).encode()
    for number in range(40):
        path = f"{folder}/body{number:02d}.txt"
        os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            for count in range(50_000_000 // (len(block) + 16)):
                file.write(b"%016d" % (count * 7919 + number) + block)
    size = sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder))
    package, store = f"{work}/big.zip", f"{work}/bigstore"
    print(f"\n{size / 1e9:.2f} GB in 40 files, peak resident memory:")
    rows = {
        "pack": timed([afcache, "pack", "--folder", folder, "--base-url", "http://big.example", "-o", package]),
        "lint": timed([afcache, "lint", package]),
        "load": timed([afcache, "load", package, "--cache", store]),
    }
    for name, row in rows.items():
        print(f"  {name}: {row[2]:.0f} MB, {row[0]:.1f} s")
    with Served([afcache, "serve", "--cache", store, "--port", "0"]) as server:
        for number in range(40):
            connection = http.client.HTTPConnection(server.address)
            connection.request("GET", f"/body{number:02d}.txt", headers={"Host": "big.example"})
            answer = connection.getresponse()
            while answer.read(1 << 20):
                pass
            connection.close()
        peak = server.resident()
    print(f"  serve: {peak:.0f} MB")
    worst = max([row[2] for row in rows.values()] + [peak])
    print(f"  worst: {worst:.0f} MB ({'below' if worst < 150 else 'ABOVE'} the promised 150 MB)")
    shutil.rmtree(folder)


def large(work, afcache, storebench, count):
    """Measure loading a package of very many entries, opening its cache, and finding a URL."""
    package, store = f"{work}/large.zip", f"{work}/largestore"
    # In a process of its own, because this one's memory would count toward its children's peak.
    subprocess.run([sys.executable, make_site.__file__, package, "--entries", str(count)], check=True)
    wall, processor, peak = timed([afcache, "load", package, "--cache", store])
    print(f"{count} entries: load {wall:.1f} s, {processor:.1f} s of processor, {peak:.0f} MB peak")
    print(subprocess.run([storebench, store], capture_output=True, text=True, check=True).stdout, end="")
    wall, processor, peak = timed([afcache, "get", "http://large.example/007/page0000007.html", "--cache", store])
    print(f"get of one URL as a process: {wall * 1000:.0f} ms, {peak:.0f} MB")
    wall, processor, peak = timed([afcache, "cache", "verify", "--cache", store])
    print(f"verify: {wall:.1f} s, {peak:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("afcache")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--entries", type=int, metavar="N", help="only a package of N entries")
    parser.add_argument("--crawl", action="store_true", help="only crawls: other programs, updates, latency, a million pages")
    parser.add_argument("--updates", action="store_true", help="only updates of a package, compared with wget2's second run")
    parser.add_argument("--site", metavar="FOLDER", help="a site to crawl instead of the generated one")
    parser.add_argument("--port", type=int, help="the port to serve that site on, if its links name a port of 127.0.0.1")
    parser.add_argument("--lint", action="store_true", help="only manifests of up to a million lines")
    parser.add_argument("--memory", action="store_true", help="only the peak memory of a 2 GB package")
    parser.add_argument("--serve", action="store_true", help="only serving: hot pages, all files, misses, large bodies, HTTP/2")
    parser.add_argument("--mount", action="store_true", help="only serving a package from its zip, and mounting a large one")
    parser.add_argument("--search", action="store_true", help="only searches in a million words, compared with kiwix")
    parser.add_argument("--against", metavar="PROGRAM", help="only a comparison with another version of afcache")
    arguments = parser.parse_args()
    afcache = os.path.abspath(arguments.afcache)
    storebench = os.path.join(os.path.dirname(afcache), "storebench")
    work = tempfile.mkdtemp(prefix="afcache-bench-")
    os.chmod(work, 0o755)  # nginx's worker is another user
    try:
        if arguments.entries:
            return large(work, afcache, storebench, arguments.entries)
        if arguments.lint:
            return lint(work, afcache, storebench, arguments.runs)
        if arguments.memory:
            return memory(work, afcache)
        if arguments.search:
            import search

            return search.run(work, arguments.site, afcache, arguments.runs)
        folder = arguments.site or f"{work}/site"
        if not arguments.site:
            make_site.make(folder, arguments.pages)
        if arguments.serve:
            import serving

            other = os.path.abspath(arguments.against) if arguments.against else None
            return serving.run(work, folder, afcache, arguments.runs, other)
        if arguments.mount:
            import mounting

            return mounting.run(work, folder, afcache, storebench, arguments.runs, 200_000)
        if arguments.against:
            import versions

            return versions.run(work, folder, afcache, os.path.abspath(arguments.against), arguments.runs)
        if arguments.updates:
            import crawl

            return crawl.updates(work, os.path.abspath(folder), afcache, arguments.runs, arguments.port)
        if arguments.crawl:
            import crawl

            return crawl.run(work, os.path.abspath(folder), afcache, arguments.runs, arguments.port)
        count = sum(len(files) for _, _, files in os.walk(folder))
        print(f"{count} files; afcache / other = ratio, medians of {arguments.runs} runs, alternating\n")
        print("| work | wall | processor | peak memory |\n| --- | --- | --- | --- |")
        ours, theirs, store = f"{work}/ours.zip", f"{work}/theirs.zip", f"{work}/store"

        def clean():
            for path in (ours, theirs, f"{work}/crawl.zip"):
                if os.path.exists(path):
                    os.remove(path)
            shutil.rmtree(f"{work}/mirror", ignore_errors=True)

        pack = [afcache, "pack", "--folder", folder, "--base-url", "http://site.example", "--last-modified", "file", "-o", ours]
        compare("pack a folder / zip -6", lambda: timed(pack), lambda: timed(["zip", "-6qr", theirs, "."], folder), arguments.runs, clean)
        timed(pack)
        timed(["zip", "-6qr", theirs, "."], folder)

        # Each run gets a new folder, because creating files is slow where others were just removed.
        fresh = (f"{work}/tree{number}" for number in range(1000))
        compare(
            "load (verified, durable) / unzip (neither)",
            lambda: timed([afcache, "load", ours, "--cache", next(fresh)]),
            lambda: timed(["unzip", "-q", theirs, "-d", next(fresh)]),
            arguments.runs,
            os.sync,
        )
        compare(
            "export as a folder (rewritten, with a search) / unzip (neither)",
            lambda: timed([afcache, "export", ours, "--as", "folder", "-o", next(fresh)]),
            lambda: timed(["unzip", "-q", theirs, "-d", next(fresh)]),
            arguments.runs,
            os.sync,
        )
        if shutil.which("wget2"):
            with nginx(work, folder) as origin:
                site = f"http://{origin.address}/"
                mirror = f"wget2 -q -m -p -P {work}/mirror {site} && cd {work}/mirror && zip -6qr {theirs} ."
                compare(
                    "pack a crawl / wget2 -m -p and zip -6",
                    lambda: timed([afcache, "pack", site, "-o", f"{work}/crawl.zip"]),
                    lambda: timed(["sh", "-c", mirror]),
                    arguments.runs,
                    clean,
                )
            clean()
            timed(pack)
        timed([afcache, "load", ours, "--cache", store])
        serve(work, folder, afcache, store, arguments.runs)
        lint(work, afcache, storebench, arguments.runs)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
