"""Compares crawls: with wget2 and zip, with the limit set by latency, of an unchanged site, and of an endless one.

Run by `scripts/bench --crawl`; see bench.py. `--site FOLDER` serves another site than the generated one, from
`/index.html`. Use `--port N` if its links name that port of 127.0.0.1, or programs that follow them crawl it twice.
"""

import hashlib
import json
import os
import random
import shutil
import sys
import zipfile

from bench import Served, compare, free_port, nginx, report, timed

# The exit codes when a link of the site leads nowhere.
OURS, WGET2 = (0, 5), (0, 8)

SLOW = """
load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ worker_connections 2048; }}
http {{
    include /etc/nginx/mime.types; access_log off; sendfile on; keepalive_requests 1000000;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{
        listen 127.0.0.1:{port}; root {folder};
        location / {{ echo_sleep {delay}; echo_exec @file; }}
        location @file {{ root {folder}; }}
    }}
}}
"""

ENDLESS = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ worker_connections 2048; }}
http {{
    access_log off; keepalive_requests 1000000; default_type text/html;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{
        listen 127.0.0.1:{port};
        location ~ "^/p/(?<n>[0-9]{{1,6}})$" {{ return 200 '<!DOCTYPE html><title>${{n}}</title>{links}'; }}
        location ~ "^/p/(?<n>[0-9]+)$" {{ return 200 '<!DOCTYPE html><title>${{n}}</title>leaf'; }}
    }}
}}
"""


def digests(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def captured(package, folder):
    """Return how many of the folder's files are in the package byte for byte, by its records and its members."""
    wanted = digests(folder)
    with zipfile.ZipFile(package) as archive:
        records = [json.loads(line) for line in archive.read(".afcache/resources.jsonl").splitlines()]
        members = {hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    return sum(1 for digest in wanted.values() if digest in members), len(wanted), len(records)


def crawls(work, folder, afcache, runs, port=None):
    package, theirs = f"{work}/crawl.zip", f"{work}/theirs.zip"
    # Each run gets a new folder, because creating files is slow where others were just removed.
    mirrors = [f"{work}/mirror{number}" for number in range(runs + 2)]
    fresh = iter(mirrors)

    def clean():
        for path in (package, theirs):
            if os.path.exists(path):
                os.remove(path)
        os.sync()

    print("| work | wall | processor | peak memory |\n| --- | --- | --- | --- |")
    with nginx(work, folder, port) as origin:
        site = f"http://{origin.address}/index.html"
        ours = [afcache, "pack", site, "-o", package]

        def by_hand():
            mirror = next(fresh)
            return timed(["sh", "-c", f"wget2 -q -m -p --no-robots -P {mirror} {site} && cd {mirror} && zip -6qr {theirs} ."])

        compare("pack a crawl / wget2 -m -p and zip -6", lambda: timed(ours), by_hand, runs, clean)
        timed(ours)
        found, files, records = captured(package, folder)
        print(f"\n{found} of {files} files are in the package byte for byte; it has {records} records, the mirror {len(digests(mirrors[0]))} files\n")
    for mirror in mirrors:
        shutil.rmtree(mirror, ignore_errors=True)


def updates(work, folder, afcache, runs, port=None):
    """Measure a second crawl of an unchanged site, and of one with a twentieth of its files changed."""
    package, mirror, site_copy = f"{work}/updated.zip", f"{work}/mirror", f"{work}/changing"
    shutil.copytree(folder, site_copy)
    with nginx(work, site_copy, port) as origin:
        site = f"http://{origin.address}/index.html"
        fetch = ["wget2", "-q", "-m", "-p", "--no-robots", "-P", mirror, site]
        timed([afcache, "pack", site, "-o", package], allowed=OURS)
        timed(fetch, allowed=WGET2)
        update = [afcache, "pack", site, "-o", package, "--update"]
        # Flush pending writes, so that they don't count for the other program.
        os.sync()
        print("| second crawl | wall | processor | peak memory |\n| --- | --- | --- | --- |")
        compare("nothing changed: pack --update / wget2", lambda: timed(update, allowed=OURS), lambda: timed(fetch, allowed=WGET2), runs)
        update += ["--report", f"{work}/report.json"]
        compare("nothing changed, all pages read for a report / wget2", lambda: timed(update, allowed=OURS), lambda: timed(fetch, allowed=WGET2), runs)
        rng = random.Random(5)
        files = sorted(digests(site_copy))
        changed = rng.sample(files, len(files) // 20)
        for name in changed:
            with open(f"{site_copy}/{name}", "ab") as file:
                file.write(b" ")
        os.sync()
        one = [timed(update, allowed=OURS)]
        other = [timed(fetch, allowed=WGET2)]
        report("a twentieth changed: pack --update / wget2", one, other)
        with open(f"{work}/report.json") as file:
            counts = {key: value["count"] for key, value in json.load(file)["changes"].items()}
        print(f"\n{len(changed)} files were changed; the report says {counts}\n")


def latency(work, folder, afcache, runs, port=None, connections=16, delay=0.02):
    """Measure how close a crawl comes to the limit set by the origin's response time."""
    port, package, mirror = port or free_port(), f"{work}/slow.zip", f"{work}/mirror"
    with open(f"{work}/slow.conf", "w") as file:
        file.write(SLOW.format(work=work, port=port, folder=folder, delay=delay))
    with Served(["nginx", "-c", f"{work}/slow.conf"], f"127.0.0.1:{port}") as origin:
        site = f"http://{origin.address}/index.html"
        ours = [afcache, "pack", site, "-o", package, "--connections", str(connections)]
        peer = ["wget2", "-q", "-m", "-p", "--no-robots", f"--max-threads={connections}", "-P", mirror, site]
        print(f"| {delay * 1000:.0f} ms per request, {connections} connections | wall | processor | peak memory |\n| --- | --- | --- | --- |")
        rows = []
        compare(
            "pack, zip and all / wget2 alone",
            lambda: rows.append(timed(ours)) or rows[-1],
            lambda: timed(peer),
            min(runs, 3),
            lambda: shutil.rmtree(mirror, ignore_errors=True),
        )
        with zipfile.ZipFile(package) as archive:
            records = len(archive.read(".afcache/resources.jsonl").splitlines())
        ideal = (records + 1) * delay / connections
        wall = sorted(row[0] for row in rows[1:])[len(rows[1:]) // 2]
        print(f"\nideal {ideal:.2f} s: {wall / ideal:.2f}\n")


def endless(work, afcache, counts=(10_000, 100_000, 1_000_000)):
    port = free_port()
    links = "".join(f'<a href="/p/${{n}}{digit}">{digit}</a>' for digit in range(10))
    with open(f"{work}/endless.conf", "w") as file:
        file.write(ENDLESS.format(work=work, port=port, links=links))
    print("| pages of an endless site | wall | processor | peak memory | package |\n| --- | --- | --- | --- | --- |")
    with Served(["nginx", "-c", f"{work}/endless.conf"], f"127.0.0.1:{port}") as origin:
        for count in counts:
            package = f"{work}/endless.zip"
            command = [afcache, "pack", f"http://{origin.address}/p/1", "-o", package, "--max-pages", str(count), "--traps", "off", "--ignore-robots"]
            wall, processor, peak = timed(command, allowed=(0, 5))
            size = os.path.getsize(package) / 1e6
            print(f"| {count} | {wall:.1f} s | {processor:.1f} s | {peak:.0f} MB | {size:.0f} MB |", flush=True)


def run(work, folder, afcache, runs, port=None):
    crawls(work, folder, afcache, runs, port)
    updates(work, folder, afcache, runs, port)
    latency(work, folder, afcache, runs, port)
    endless(work, afcache)
    sys.stdout.flush()
