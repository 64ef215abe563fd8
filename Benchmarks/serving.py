"""Compares 'afcache serve' with nginx: hot pages, whole sites, misses, large bodies, HTTP/2 over TLS, and cold starts."""

import os
import random
import re
import statistics
import subprocess
import sys
import time

import make_site
from bench import Served, free_port

SECONDS = 4
CROWD = "200 hot pages, 1,000 connections"
BEYOND = "the same, five times the memory for responses"

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes {workers};
events {{ worker_connections 4096; }}
http {{
    include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    http2_max_concurrent_streams 128;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
    server {{ listen 127.0.0.1:{named}; root {work}; }}
    server {{
        listen 127.0.0.1:{secure} ssl http2; root {work};
        ssl_certificate {work}/cert.pem; ssl_certificate_key {work}/key.pem;
    }}
}}
"""


def script(work, name, body):
    path = f"{work}/{name}.lua"
    with open(path, "w") as file:
        file.write(body)
    return path


def paths_script(work, name, paths, field=""):
    quoted = ", ".join(f'"/{path}"' for path in paths)
    return script(
        work,
        name,
        f"local paths = {{ {quoted} }}\nlocal requests = {{}}\nlocal n = 0\n"
        "init = function() for i, path in ipairs(paths) do\n"
        f'  requests[i] = wrk.format("GET", path, {{ ["Host"] = "site.example"{field} }}) end end\n'
        "request = function() n = n % #requests + 1\n  return requests[n] end\n",
    )


def looked_up_script(work, paths, fields=""):
    """Each request has a condition of its own, so that the answer can't come from memory."""
    quoted = ", ".join(f'"/{path}"' for path in paths)
    return script(
        work,
        "lookedgzip" if fields else "looked",
        f"local paths = {{ {quoted} }}\nlocal n = 0\nrequest = function() n = n + 1\n"
        '  local fields = { ["Host"] = "site.example", ["If-None-Match"] = "\\"" .. n .. "\\""' + fields + " }\n"
        '  return wrk.format("GET", paths[n % #paths + 1], fields) end\n',
    )


def new_paths_script(work):
    """Each request has a URL that was never requested before."""
    return script(
        work,
        "new",
        "local n = 0\nrequest = function() n = n + 1\n"
        '  return wrk.format("GET", "/part00/none" .. n .. ".html", { ["Host"] = "site.example" }) end\n',
    )


def by_wrk(server, path, connections=64, seconds=SECONDS):
    """Return requests and bytes per second, and the server's processor time: microseconds per request, nanoseconds per byte."""
    before = server.processors()
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", path, f"http://{server.address}/"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = server.processors() - before
    found = re.search(r"(\d+) requests in ([\d.]+)(m?s), ([\d.]+)([KMG]?B) read", output)
    seconds = float(found[2]) / (1000 if found[3] == "ms" else 1)
    size = float(found[4]) * {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}[found[5]]
    requests = int(found[1])
    if "Socket errors" in output:
        sys.exit(f"bench: {output}")
    return requests / seconds, size / seconds, used / max(requests, 1) * 1e6, used / size * 1e9


def by_h2load(server, address, uris):
    before = server.processors()
    command = ["h2load", "-D", str(SECONDS), "--warm-up-time=0", "-t1", "-c16", "-m16", "-i", uris]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = server.processors() - before
    done = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored", output)
    requests = int(done[1])
    size = int(re.search(r"traffic: .* \((\d+)\) total", output)[1])
    if int(done[3]):
        sys.exit(f"bench: {output}")
    return requests / SECONDS, size / SECONDS, used / max(requests, 1) * 1e6, used / size * 1e9


def by_cold_start(start, uris):
    """Return what a new server needs: seconds until it listens and until each file was sent once, and its processor time."""
    began = time.monotonic()
    with start() as server:
        listens = time.monotonic() - began
        path, count = uris(server.address)
        began = time.monotonic()
        command = ["h2load", "--h1", "-n", str(count), "-t1", "-c16", "-i", path]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if f"{count} succeeded" not in output:
            sys.exit(f"bench: {output}")
        return listens, time.monotonic() - began, server.processors()


def add_large(folder):
    source = random.Random(1)
    chunk = source.randbytes(1 << 20)
    for number in range(20):
        make_site.write(folder, f"large/{number:02d}.bin", bytes([number]) + chunk[1:])
    make_site.write(folder, "large/huge.bin", chunk * 100)


def run(work, folder, afcache, runs, other=None):
    """Compare with nginx; or, if there is another version of afcache, with that."""
    add_large(folder)
    os.symlink(folder, f"{work}/site.example")
    root = folder
    package, store = f"{work}/site.zip", f"{work}/store"
    pack = [afcache, "pack", "--folder", folder, "--base-url", "http://site.example", "--last-modified", "file", "-o", package]
    for command in (pack, [afcache, "load", package, "--cache", store]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    every = [
        os.path.relpath(os.path.join(top, name), root)
        for top, _, names in os.walk(root)
        for name in names
        if "large" not in top
    ]
    every.sort()
    random.Random(1).shuffle(every)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{work}/key.pem"]
        + ["-out", f"{work}/cert.pem"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    hot = [make_site.page_path(number) for number in range(200)]
    reload = ', ["Cache-Control"] = "max-age=0"'
    rows = {
        "200 hot pages": paths_script(work, "hot", hot),
        "the same, reloaded": paths_script(work, "reloaded", hot, reload),
        "the same, each with a condition of its own": looked_up_script(work, hot),
        "all files in random order": paths_script(work, "every", every),
        BEYOND: paths_script(work, "beyond", every),
        "200 missing pages, repeated": paths_script(work, "missing", [f"none/{n}.html" for n in range(200)]),
        "missing pages, each once": new_paths_script(work),
        CROWD: paths_script(work, "crowd", hot),
        "20 bodies of 1 MB": paths_script(work, "large", [f"large/{n:02d}.bin" for n in range(20)]),
        "a body of 100 MB": paths_script(work, "huge", ["large/huge.bin"]),
    }
    results = {(name, who): [] for name in [*rows, "200 hot pages, HTTP/2 and TLS"] for who in (0, 1)}
    plain, secure, named = free_port(), free_port(), free_port()
    with open(f"{work}/nginx.conf", "w") as file:
        # As many workers as event loops.
        workers = len(os.sched_getaffinity(0))
        file.write(NGINX.format(work=work, port=plain, secure=secure, named=named, folder=folder, workers=workers))

    tls = f"afcache serve --tls-cert {work}/cert.pem --tls-key {work}/key.pem".split()[2:]

    small = "afcache serve --memory 20MB".split()[2:]

    def start(program, options=()):
        return Served([program, "serve", "--cache", store, "--port", "0", "--no-search", *options])

    def nginx(port):
        return Served(["nginx", "-c", f"{work}/nginx.conf"], f"127.0.0.1:{port}")

    def uris(address, paths=hot, scheme="https"):
        path = f"{work}/uris"
        with open(path, "w") as file:
            file.writelines(f"{scheme}://{address}/site.example/{page}\n" for page in paths)
        return path

    cold = {0: [], 1: []}

    for turn in range(runs):
        for name, path in rows.items():
            connections = 8 if "100 MB" in name else 1000 if name == CROWD else 64
            for who, program in ((0, afcache), (1, other)):
                options = small if name == BEYOND else ()
                with start(program, options) if program else nginx(plain) as server:
                    # Fills memory and page cache.
                    by_wrk(server, path, connections, 2)
                    results[name, who].append(by_wrk(server, path, connections))
        name = "200 hot pages, HTTP/2 and TLS"
        for who, program in ((0, afcache), (1, other)):
            with start(program, tls) if program else nginx(secure) as server:
                results[name, who].append(by_h2load(server, server.address, uris(server.address)))
        for who, program in ((0, afcache), (1, other)):
            cold[who].append(
                by_cold_start(
                    lambda program=program: start(program) if program else nginx(named),
                    lambda address: (uris(address, every, "http"), len(every)),
                )
            )
    print(f"\n| serve, medians of {runs} alternating runs | afcache | {'other version' if other else 'nginx'} | rate | processor |")
    print("| --- | --- | --- | --- | --- |")
    for name in dict.fromkeys(name for name, _ in results):
        one, two = ([statistics.median(column) for column in zip(*results[name, who])] for who in (0, 1))
        is_large = "MB" in name
        unit = ("MB/s", 1e-6, 1, "ns a byte", 3) if is_large else ("a second", 1, 0, "µs", 2)
        left, right = (f"{side[unit[2]] * unit[1]:,.0f} {unit[0]}, {side[unit[4]]:.2f} {unit[3]}" for side in (one, two))
        print(
            f"| {name.strip()} | {left} | {right} | {one[unit[2]] / two[unit[2]]:.2f} | {one[unit[4]] / two[unit[4]]:.2f} |",
            flush=True,
        )
    print(f"\n| a new server | afcache | {'other version' if other else 'nginx'} | / |\n| --- | --- | --- | --- |")
    for place, (name, factor, unit) in enumerate(
        (("until it listens", 1e3, "ms"), ("all files once", 1, "s"), ("processor for both", 1, "s"))
    ):
        one, two = (statistics.median(run[place] for run in cold[who]) * factor for who in (0, 1))
        print(f"| {name} | {one:.2f} {unit} | {two:.2f} {unit} | {one / two:.2f} |", flush=True)
