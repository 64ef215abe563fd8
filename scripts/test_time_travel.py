"""Checks versions by time: `test_time_travel.py AFCACHE WORK`; scripts/test-time-travel prepares both."""

import datetime
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import requests
from memento_client import MementoClient

PROGRAM, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SITE = pathlib.Path("/usr/share/doc/python3.11/html")
ORIGIN = "http://docs.example/"
VERSIONS, CHANGED = 50, 20


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def allocated(folder):
    """The bytes of all files on disk, each file once, and of folders."""
    seen = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        seen[status.st_ino] = status.st_blocks * 512
    return sum(seen.values())


def load(cache):
    """Loads a package for each version; returns the times, the first size, and the bytes of pages that changed."""
    site = WORK / "site"
    shutil.copytree(SITE, site)
    pages = sorted(site.glob("library/*.html"))
    choice = random.Random(1)
    first, changed = 0, 0
    for number in range(VERSIONS):
        for page in choice.sample(pages, CHANGED) if number else []:
            page.write_bytes(page.read_bytes() + f"<!-- edition {number} -->\n".encode())
            changed += (page.stat().st_size + 4095) // 4096 * 4096
        (site / "edition.html").write_text(f"<title>Edition</title><p>Edition {number}\n")
        package = WORK / "site.zip"
        started = int(time.time())
        run("pack", "--folder", site, "--base-url", ORIGIN, "-o", package, "--name", "docs", "--overwrite", "-q")
        run("load", package, "--cache", cache, "-q")
        if number == 0:
            run("cache", "keep", "docs", "--generations", VERSIONS, "--cache", cache)
            first = allocated(cache / "packages")
        # Versions have times in seconds.
        while int(time.time()) == started:
            time.sleep(0.05)
    return first, changed


def serve(cache):
    server = subprocess.Popen(
        [PROGRAM, "serve", "--cache", cache, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    for line in server.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return server, f"http://localhost:{found[1]}"
    sys.exit("the server didn't start")


def edition(url):
    with urllib.request.urlopen(url) as response:
        text = response.read().decode()
        return int(re.search(r"Edition (\d+)", text)[1]), response.headers["Memento-Datetime"]


def check_client(base):
    """The client finds each version by its time, from both ends and between, over gates and a proxy."""
    with urllib.request.urlopen(f"{base}/.afcache/timemap/{ORIGIN}edition.html") as response:
        links = re.findall(r'<([^>]+)>; rel="([^"]*memento)"; datetime="([^"]+)"', response.read().decode())
    assert len(links) == VERSIONS, links
    times = [datetime.datetime.strptime(date, "%a, %d %b %Y %H:%M:%S GMT") for _, _, date in links]
    assert times == sorted(times)
    session = requests.Session()
    session.proxies = {"http": base}
    second = datetime.timedelta(seconds=1)
    for native in (False, True):
        client = MementoClient(f"{base}/.afcache/at/", check_native_timegate=native, session=session)
        wishes = [(0, times[0] - second * 1000), (VERSIONS - 1, times[-1] + second * 1000)]
        wishes += [(number, times[number]) for number in range(0, VERSIONS, 7)]
        wishes += [(number, times[number + 1] - second) for number in range(0, VERSIONS - 1, 7)]
        for number, wish in wishes:
            info = client.get_memento_info(ORIGIN + "edition.html", wish)
            found = info["mementos"]
            uri = found["closest"]["uri"][0]
            assert found["closest"]["datetime"] == times[number], (number, wish, found)
            assert edition(uri) == (number, links[number][2]), uri
            assert found["first"]["datetime"] == times[0] and found["last"]["datetime"] == times[-1], found
            if number > 0:
                assert found["prev"]["datetime"] == times[number - 1], found
            if number < VERSIONS - 1:
                assert found["next"]["datetime"] == times[number + 1], found
            assert info["original_uri"] == ORIGIN + "edition.html", info
            assert client.get_original_uri(uri) == ORIGIN + "edition.html"
        print(f"memento_client ({'own gate' if not native else 'gate of the page'}): {len(wishes)} times, as expected")


def check_speed(base):
    url = f"{base}/.afcache/at/2020/{ORIGIN}library/os.html"
    with urllib.request.urlopen(url) as response:
        final = response.url
    times = []
    for _ in range(50):
        start = time.perf_counter()
        urllib.request.urlopen(final).read()
        times.append(time.perf_counter() - start)
    print(f"a page of the first version: {sorted(times)[25] * 1000:.1f} ms")
    start = time.perf_counter()
    urllib.request.urlopen(f"{base}/.afcache/timemap/{ORIGIN}library/re.html").read()
    print(f"the list of its {VERSIONS} versions: {(time.perf_counter() - start) * 1000:.1f} ms")


def main():
    cache = WORK / "cache"
    first, changed = load(cache)
    total = allocated(cache / "packages")
    rest = total - first - changed
    print(f"the first version takes {first / 1e6:.1f} MB, {VERSIONS - 1} more {(total - first) / 1e6:.1f} MB, of which "
          f"{changed / 1e6:.1f} MB are changed pages; the rest is {rest / (VERSIONS - 1) / 1e6:.2f} MB for each version, "
          f"{100 * rest / (VERSIONS - 1) / first:.2f} % of the first")
    assert rest / (VERSIONS - 1) < first / 100, "a version takes more than what changed and a hundredth"
    print(run("cache", "verify", "--cache", cache).strip())
    os.environ["no_proxy"] = ""
    server, base = serve(cache)
    try:
        check_client(base)
        check_speed(base)
    finally:
        server.terminate()
        server.wait()


main()
