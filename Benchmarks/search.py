"""Compares afcache's search with that of kiwix on the same pages: a million words, or a folder of HTML pages.

zimwriterfs writes the pages and their index into a ZIM file, and kiwix-serve searches it. Every query is sent to both
servers in each run, and both send a page of ten results with excerpts.
"""

import html.parser
import os
import random
import re
import shutil
import statistics
import struct
import sys
import time
import urllib.parse
import urllib.request
import zlib

from bench import Served, free_port, timed

PAGES = 1000
WORDS_OF_A_PAGE = 1000
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def word(number):
    """Return one of the 30,000 words; those with low numbers are frequent."""
    parts = []
    number += 20
    while number:
        parts.append(SYLLABLES[number % 20])
        number //= 20
    return "".join(parts)


def make(folder):
    """Write pages whose words are as frequent as in texts: the nth word has a share of 1/n."""
    vocabulary = [word(number) for number in range(30_000)]
    weights = [1 / (number + 1) for number in range(len(vocabulary))]
    source = random.Random(7)
    os.makedirs(folder)
    for page in range(PAGES):
        words = source.choices(vocabulary, weights, k=WORDS_OF_A_PAGE)
        paragraphs = "".join(f"<p>{' '.join(words[start:start + 50])}.\n" for start in range(0, len(words), 50))
        title = " ".join(words[:3]).capitalize()
        with open(f"{folder}/{'index' if page == 0 else f'page{page:04d}'}.html", "w") as file:
            file.write(f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title><h1>{title}</h1>{paragraphs}")
    return [" ".join(source.sample(vocabulary[20:2000], count)) for count in (1, 1, 2, 2, 3) for _ in range(4)]


class Text(html.parser.HTMLParser):
    """The words of a page."""

    def __init__(self, text):
        super().__init__()
        self.words, self.skipped = [], 0
        self.feed(text)

    def handle_starttag(self, tag, _):
        self.skipped += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.skipped -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.skipped:
            self.words += re.findall(r"[a-z]{4,}", data.lower())


def choose(folder):
    """Return the number of words of a folder's pages, and queries of words that occur on them."""
    words = []
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".html", ".htm")):
                with open(f"{root}/{name}", encoding="utf-8", errors="replace") as file:
                    words += Text(file.read()).words
    source = random.Random(7)
    known = sorted(set(words))
    return len(words), [" ".join(source.sample(known, count)) for count in (1, 1, 2, 2) for _ in range(5)]


def illustration(path):
    """Write the picture of 48 x 48 points that a ZIM file must have."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\x40" * 48) * 48)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 48, 48, 8, 0, 0, 0, 0))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def milliseconds(address, path, query):
    began = time.monotonic()
    with urllib.request.urlopen(f"http://{address}{path}{urllib.parse.quote_plus(query)}") as answer:
        answer.read()
    return (time.monotonic() - began) * 1000


def row(name, one, other, unit):
    print(f"| {name} | {one:.2f} / {other:.2f} {unit} = {one / other:.2f} |", flush=True)


def run(work, site, afcache, runs):
    folder = site or f"{work}/words"
    count, queries = choose(folder) if site else (PAGES * WORDS_OF_A_PAGE, make(folder))
    package, store, zim = f"{work}/words.zip", f"{work}/store", f"{work}/words.zim"
    # zimwriterfs takes its picture from the folder, so both get a copy; it can't read links, and afcache skips them.
    source = f"{work}/source"
    shutil.copytree(folder, source, symlinks=True)
    for root, folders, names in os.walk(source):
        for name in folders + names:
            if os.path.islink(f"{root}/{name}"):
                os.remove(f"{root}/{name}")
    illustration(f"{source}/illustration.png")
    pack = timed([afcache, "pack", "--folder", source, "--base-url", "http://words.example", "-o", package])
    load = timed([afcache, "load", package, "--search-index", "--cache", store])
    command = ["zimwriterfs", "--welcome=index.html", "--illustration=illustration.png", "--language=eng", "--name=words"]
    command += ["--title=Words", "--description=Words", "--creator=x", "--publisher=x", "--skip-libmagic-check"]
    other = timed(command + [source, zim])
    generations = [entry.path for entry in os.scandir(f"{store}/packages") if entry.is_dir()]
    size = sum(os.path.getsize(f"{path}/search") for path in generations) / 1e6
    print(f"{count} words, {len(queries)} queries, medians of {runs} runs; afcache / kiwix = ratio\n")
    print("| work | afcache / kiwix |\n| --- | --- |")
    row("pack and load with an index / zimwriterfs: wall", pack[0] + load[0], other[0], "s")
    row("the same: processor", pack[1] + load[1], other[1], "s")
    row("bytes on disk: package and index / ZIM file", os.path.getsize(package) / 1e6 + size, os.path.getsize(zim) / 1e6, "MB")
    port = free_port()
    kiwix = Served(["kiwix-serve", "-i", "127.0.0.1", "-p", str(port), zim], f"127.0.0.1:{port}")
    with Served([afcache, "serve", "--cache", store, "--port", "0"]) as own, kiwix as peer:
        ours, theirs = [], []
        for turn in range(runs + 1):
            for query in queries:
                pair = [
                    (ours, milliseconds(own.address, "/.afcache/search?q=", query)),
                    (theirs, milliseconds(peer.address, "/search?books.name=words&pageLength=10&pattern=", query)),
                ]
                if turn:
                    for times, value in pair:
                        times.append(value)
    row("a search with ten results: median", statistics.median(ours), statistics.median(theirs), "ms")
    row("the slowest of 20 searches", statistics.quantiles(ours, n=20)[-1], statistics.quantiles(theirs, n=20)[-1], "ms")


if __name__ == "__main__":
    sys.exit("run scripts/bench --search")
