"""Counts the bytes and requests of updates by ranges, from nginx: `ranges.py AFCACHE WORK [OLD.zip,NEW.zip ...]`.

Without pairs, it packs the site of make_site.py, and the same with a twentieth of its files, or of its pages, changed;
with the files' dates as Last-Modified, by which bodies are ordered, and without dates.
Columns: the size of the new package; what came over the connection with the fields of the responses, and its share; how
many times that is of what had to come, which is the changed members and what describes the package; the requests; and
the requests and bytes when there is nothing new. It fails if the cache then differs from one with the whole package.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import Served, free_port

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ }}
http {{
    log_format counts '$bytes_sent'; access_log {work}/access.log counts; sendfile on;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{ listen 127.0.0.1:{port}; root {work}/www; }}
}}
"""


def run(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True, text=True, **options).stdout


def records(package):
    """Returns the place and size of each member's record by name and checksum, and the directory's size."""
    members = sorted(package.infolist(), key=lambda member: member.header_offset)
    ends = [member.header_offset for member in members[1:]] + [package.start_dir]
    return {(member.filename, member.CRC): end - member.header_offset for member, end in zip(members, ends)}


def needed(old, new):
    """Returns the bytes that an update can't do without: changed members, the directory, and what describes the package."""
    with zipfile.ZipFile(old) as first, zipfile.ZipFile(new) as second:
        known = records(first)
        size = sum(size for member, size in records(second).items() if member not in known)
        return size + os.path.getsize(new) - second.start_dir


def counts(work, action):
    """Returns the requests and the bytes of what an action caused."""
    log = work / "access.log"
    before = log.stat().st_size if log.exists() else 0
    action()
    time.sleep(0.3)
    with open(log) as file:
        file.seek(before)
        sent = [int(line) for line in file]
    return len(sent), sum(sent)


def indices(cache):
    return sorted(run("sha256sum", path).split()[0] for path in pathlib.Path(cache).glob("packages/*/index"))


def measure(afcache, work, port, name, old, new):
    caches = [work / "ranges", work / "whole"]
    for cache in caches:
        shutil.rmtree(cache, ignore_errors=True)
        run(afcache, "load", old, "--name", "docs", "--cache", cache)
    shutil.copy(new, work / "www" / "docs.zip")
    load = [afcache, "load", f"http://127.0.0.1:{port}/docs.zip", "--name", "docs", "--cache", caches[0]]
    requests, sent = counts(work, lambda: run(*load))
    again, nothing = counts(work, lambda: run(*load))
    run(afcache, "load", new, "--name", "docs", "--cache", caches[1])
    run(afcache, "cache", "verify", "--cache", caches[0])
    if indices(caches[0]) != indices(caches[1]):
        sys.exit(f"ranges.py: {name}: the caches differ")
    size, least = os.path.getsize(new), needed(old, new)
    print(
        f"| {name} | {size / 1e6:.1f} MB | {sent / 1e6:.2f} MB, {sent * 100 / size:.1f} % | {sent / least:.3f} "
        f"| {requests} | {again}, {nothing} bytes |",
        flush=True,
    )


def site_pairs(afcache, work):
    """Packs the generated site, and two versions of it."""
    folder = work / "site"
    run(sys.executable, pathlib.Path(__file__).parent / "make_site.py", folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    pages = [path for path in files if path.suffix == ".html"]

    def pack(name, dates):
        (work / name).unlink(missing_ok=True)
        options = ["--last-modified", "file"] if dates else []
        run(afcache, "pack", "--folder", folder, "--base-url", "https://docs.example/", *options, "-o", work / name)
        return work / name

    for dates in (True, False):
        old = pack("old.zip", dates)
        for name, choice in (("a twentieth of all files", files), ("as many, all of them pages", pages)):
            changed = {path: (path.read_bytes(), path.stat()) for path in random.Random(5).sample(choice, len(files) // 20)}
            for path, (body, _) in changed.items():
                path.write_bytes(body + b" ")
            yield name + ("" if dates else ", no dates"), old, pack("new.zip", dates)
            for path, (body, status) in changed.items():
                path.write_bytes(body)
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def main():
    afcache, work = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    (work / "www").mkdir(parents=True, exist_ok=True)
    named = [argument.split(",") for argument in sys.argv[3:]]
    pairs = ((pathlib.Path(new).stem, old, new) for old, new in named) if named else site_pairs(afcache, work)
    port = free_port()
    (work / "nginx.conf").write_text(NGINX.format(work=work, port=port))
    with Served(["nginx", "-c", f"{work}/nginx.conf"], f"127.0.0.1:{port}"):
        print("| update | package | over the connection | / needed | requests | nothing new |")
        print("| --- | --- | --- | --- | --- | --- |", flush=True)
        for name, old, new in pairs:
            measure(afcache, work, port, name, old, new)


main()
