"""Compares the import of a WARC with packing a folder of the same bodies and decompressing the WARC, and the export with packing.

    scripts/bench --archives [--megabytes 1000] [--runs 3]

Three quarters of the bodies are pages, the rest images, as random as compressed ones. Prints medians of alternating runs, and
ratios: below 1 means that the import or export takes less.
"""

import argparse
import os
import random
import shutil
import statistics
import zlib

from bench import timed

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
RECORD = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://site.example/%s\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
PAGE, IMAGE = 60_000, 40_000


def bodies(size):
    """Names, types and bytes of bodies with a size in all."""
    source = random.Random(1)
    words = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=source.randint(2, 11))) for _ in range(5000)]
    number = total = 0
    while total < size:
        if number % 4 == 3:
            kind, body = b"image/png", b"\x89PNG\r\n\x1a\n" + source.randbytes(IMAGE)
        else:
            text = " ".join(source.choices(words, k=PAGE // 8))
            kind, body = b"text/html", f"<!doctype html><title>{number}</title><p>{text}</p>".encode()
        yield f"{number % 100:02d}/{number}.{'png' if kind == b'image/png' else 'html'}", kind, body
        total += len(body)
        number += 1


def make(folder, archive, size):
    count = total = 0
    with open(archive, "wb") as file:
        for name, kind, body in bodies(size):
            path = f"{folder}/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as page:
                page.write(body)
            content = HEAD % (kind, len(body)) + body
            record = RECORD % name.encode() + b"Content-Length: %d\r\n\r\n" % len(content) + content + b"\r\n\r\n"
            member = zlib.compressobj(6, zlib.DEFLATED, 31)
            file.write(member.compress(record) + member.flush())
            count, total = count + 1, total + len(body)
    return count, total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("afcache")
    parser.add_argument("work")
    parser.add_argument("--megabytes", type=int, default=1000, help="the bodies' size (default: 1000)")
    parser.add_argument("--runs", type=int, default=3, help="the number of runs (default: 3)")
    options = parser.parse_args()
    work, afcache = os.path.abspath(options.work), options.afcache
    shutil.rmtree(work)
    os.makedirs(work)
    folder, archive, package = f"{work}/folder", f"{work}/a.warc.gz", f"{work}/p.zip"
    count, total = make(folder, archive, options.megabytes * 1_000_000)
    print(f"{count:,} bodies, {total / 1e6:,.0f} MB; the WARC: {os.path.getsize(archive) / 1e6:,.0f} MB\n", flush=True)
    commands = {
        "pack --folder": [afcache, "pack", "--folder", folder, "--base-url", "http://site.example/", "-o", package],
        "gzip -dc": ["gzip", "-dc", archive],
        "import": [afcache, "import", archive, "-o", f"{work}/q.zip"],
        "export": [afcache, "export", package, "-o", f"{work}/x.warc.gz"],
    }
    rows = {name: [] for name in commands}
    for _ in range(options.runs):
        for name, command in commands.items():
            rows[name].append(timed(command))
    medians = {name: [statistics.median(column) for column in zip(*runs)] for name, runs in rows.items()}
    print("| command | wall | processor | peak memory |\n| --- | --- | --- | --- |")
    for name, (wall, processor, memory) in medians.items():
        print(f"| `{name}` | {wall:.2f} s | {processor:.2f} s | {memory:.0f} MB |")
    pack, unzip = medians["pack --folder"], medians["gzip -dc"]
    for name, other in (("import", [pack[0] + unzip[0], pack[1] + unzip[1]]), ("export", pack)):
        wall, processor, _ = medians[name]
        print(f"\n{name}: {wall / other[0]:.2f} of the wall time, {processor / other[1]:.2f} of the processor time")
    shutil.rmtree(work)


main()
