"""Updates a fleet of devices from one nginx with one worker: `fleet.py AFCACHE WORK [--devices 1000] [--at-once 8]`.

Each device is a process with a cache of its own that follows a channel. The site has 400 pages and 20 images, 6 MB. In the
new release, a twentieth of the pages has changed, or the footer of every page. The server has no ranges, or ranges, or
patches too. Columns: the requests and bytes of all devices, of one, the server's processor time, and the time until the
last device has the release. It fails if a device then has another page than the release.

Measured with 1,000 devices, eight at a time, and a package of 2.1 MB, each time for a twentieth of the pages, and for the
footer of every page (sent; processor time of the server; until all have it):

    whole      4,204 MB        0.58; 0.52 s    52.3; 71.8 s
    ranges     156; 2,203 MB   0.42; 0.55 s    46.7; 101 s
    patches    24; 36 MB       0.35; 0.32 s    49.3; 113 s
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import free_port

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ worker_connections 4096; }}
http {{
    log_format counts '$bytes_sent'; access_log {work}/access.log counts; sendfile on; max_ranges {ranges};
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{ listen 127.0.0.1:{port}; root {work}/www; }}
}}
"""
TICKS = os.sysconf("SC_CLK_TCK")


def run(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True, text=True, **options).stdout


def site(folder, change):
    """Writes the site; the texts and dates are the same each time, apart from those of what changed."""
    texts = random.Random(1)
    words = ["".join(texts.choices("abcdefghijklmnopqrstuvwxyz", k=texts.randint(2, 9))) for _ in range(4000)]
    folder.mkdir(parents=True)

    def write(name, content, is_new=False):
        folder.joinpath(name).write_bytes(content)
        os.utime(folder / name, (1_790_000_000 + is_new,) * 2)

    for page in range(400):
        body = " ".join(texts.choices(words, k=1500))
        new = "<p>new</p>" if change == "pages" and page % 20 == 0 else ""
        footer = "version 2" if change == "footer" else "version 1"
        text = f"<title>{page}</title><p>{body}</p>{new}<footer>{footer}</footer>"
        write(f"{page}.html", text.encode(), new != "" or change == "footer")
    for image in range(20):
        write(f"{image}.bin", texts.randbytes(100_000))


def processor(pid):
    """Returns the processor time of a process and its children, in seconds."""
    total = 0.0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = rest.split()
        if int(name.split()[0]) == pid or int(fields[1]) == pid:
            total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


def publish(afcache, work, package, patch=None):
    """Lists a package in the channel, and puts the signed channel into its place."""
    draft = work / "docs.channel"
    patches = ["--patch", patch] if patch else []
    run(afcache, "channel", "add", draft, package, "--name", "docs", *patches)
    run(afcache, "channel", "sign", draft, "--sign", work / "key")
    os.replace(shutil.copy(draft, work / "www" / "new"), work / "www" / "docs.channel")


def seed(first, cache):
    """Copies a cache; the bodies and the index, which nobody changes, are linked."""
    for folder, _, names in os.walk(first):
        place = cache / os.path.relpath(folder, first)
        place.mkdir(parents=True)
        for name in names:
            is_fixed = "/files" in folder or name == "index"
            (os.link if is_fixed else shutil.copy2)(os.path.join(folder, name), place / name)


def update(afcache, work, change, way, devices, at_once):
    shutil.rmtree(work, ignore_errors=True)
    www = work / "www"
    www.mkdir(parents=True)
    for number, what in ((1, None), (2, change)):
        site(work / f"site-{number}", what)
        folder, package = work / f"site-{number}", www / f"docs-{number}.zip"
        run(afcache, "pack", "--folder", folder, "--base-url", "http://d.example", "--last-modified", "file", "-o", package)
    run(afcache, "patch", www / "docs-1.zip", www / "docs-2.zip", "-o", www / "docs-1-2.zip")
    run(afcache, "keygen", "-o", work / "key")
    run(afcache, "channel", "new", "docs", "--key", work / "key.pub", "-o", work / "docs.channel")
    publish(afcache, work, www / "docs-1.zip")
    port = free_port()
    work.joinpath("nginx.conf").write_text(NGINX.format(work=work, port=port, ranges=0 if way == "whole" else 100))
    server = subprocess.Popen(["nginx", "-c", work / "nginx.conf"])
    try:
        log = work / "access.log"
        while not (work / "nginx.pid").exists():
            time.sleep(0.05)
        work.joinpath("sync.yaml").write_text(
            f"version: 1\ntrust: [key.pub]\nchannel: http://127.0.0.1:{port}/docs.channel\n"
        )
        run(afcache, "sync", work / "sync.yaml", "--cache", work / "first")
        caches = [work / "devices" / str(device) for device in range(devices)]
        for cache in caches:
            seed(work / "first", cache)
        # nginx and If-Modified-Since count in seconds.
        time.sleep(1.1)
        publish(afcache, work, www / "docs-2.zip", www / "docs-1-2.zip" if way == "patches" else None)
        size, used, start = log.stat().st_size, processor(server.pid), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for line in pool.map(lambda cache: run(afcache, "sync", work / "sync.yaml", "--cache", cache), caches):
                assert line == "updated   'docs'\n", line
        elapsed, used = time.monotonic() - start, processor(server.pid) - used
        time.sleep(0.5)
        with open(log) as file:
            file.seek(size)
            sent = [int(line) for line in file]
        expected = work.joinpath("site-2", "20.html").read_text()
        for cache in random.sample(caches, min(20, devices)):
            assert run(afcache, "get", "http://d.example/20.html", "--cache", cache) == expected, cache
        package = os.path.getsize(www / "docs-2.zip")
        print(
            f"| {'a twentieth of the pages' if change == 'pages' else 'the footer of every page'} | {way} "
            f"| {len(sent):,} | {sum(sent) / 1e6:,.1f} MB | {sum(sent) / devices / package:.1%} "
            f"| {used:.2f} s | {elapsed:.1f} s |",
            flush=True,
        )
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(work, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("afcache", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=8)
    options = parser.parse_args()
    afcache, work = options.afcache.resolve(), options.work.resolve()
    print("| changed | way | requests | sent | of the package, each | server's processor | until all have it |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for change in ("pages", "footer"):
        for way in ("whole", "ranges", "patches"):
            update(afcache, work / "fleet", change, way, options.devices, options.at_once)


if __name__ == "__main__":
    main()
