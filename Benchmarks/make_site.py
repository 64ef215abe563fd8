"""Writes a deterministic site for benchmarks: pages, images, style sheets and scripts, about 100 MB by default.

    python3 Benchmarks/make_site.py FOLDER [--pages 2000]

Each page links to twenty others and shows three images. A page is about 20 KB of text, an image about 10 KB of noise,
which doesn't compress, just like real images.
"""

import argparse
import os
import random
import zipfile

WORDS = "lamp wick oil tide storm coast bell fog log keeper stair lens beam rock harbour signal night watch glass wind".split()


def write(folder, path, data):
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)
    os.utime(target, (1_700_000_000, 1_700_000_000))


def page_path(number):
    return "index.html" if number == 0 else f"part{number % 20:02d}/page{number:05d}.html"


def page(number, pages):
    source = random.Random(number)
    links = [10 * number + step for step in range(1, 11) if 10 * number + step < pages]
    links += [source.randrange(pages) for _ in range(20 - len(links))]
    parts = [
        f"<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>Page {number}</title>\n",
        '<link rel="stylesheet" href="/css/main.css"><script src="/js/main.js" defer></script></head><body><nav>\n',
    ]
    parts += [f'<a href="/{page_path(link)}">Page {link}</a>\n' for link in links]
    parts += [f'</nav><img src="/images/{number % 50:02d}/i{number:05d}-{image}.png" alt="">\n' for image in range(3)]
    size = sum(map(len, parts))
    wanted = int(source.lognormvariate(9.75, 0.5))
    while size < wanted:
        text = f"<p>{' '.join(source.choices(WORDS, k=60))}.</p>\n"
        parts.append(text)
        size += len(text)
    return "".join(parts).encode() + b"</body></html>\n"


def image(number, index):
    source = random.Random(number * 7 + index + 1_000_003)
    return b"\x89PNG\r\n\x1a\n" + source.randbytes(int(source.lognormvariate(9.1, 0.5)))


def make(folder, pages):
    for number in range(pages):
        write(folder, page_path(number), page(number, pages))
        for index in range(3):
            write(folder, f"images/{number % 50:02d}/i{number:05d}-{index}.png", image(number, index))
    write(folder, "css/main.css", b'@import "base.css";\n' + b"".join(b".c%d { margin: 0 }\n" % n for n in range(500)))
    write(folder, "css/base.css", b"body { font: 16px serif }\n" * 200)
    write(folder, "js/main.js", b"function f(a) { return a + 1 }\n" * 1500)
    write(folder, "robots.txt", b"User-agent: *\nAllow: /\n")


def make_package(path, count):
    """Write a package of very many small pages, without afcache."""
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for number in range(count):
            name = f"large.example/{number % 1000:03d}/page{number:07d}.html"
            archive.writestr(zipfile.ZipInfo(name, (2023, 11, 14, 22, 13, 20)), b"<p>page %d" % number)
            lines.append(f"http://{name} ; Tue, 14 Nov 2023 22:13:20 GMT ; Sat, 14 Nov 2093 22:13:20 GMT ; text/html\n")
        archive.writestr("manifest.afcache", "".join(sorted(lines)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--entries", type=int, help="write a package of this many entries to FOLDER instead")
    arguments = parser.parse_args()
    if arguments.entries:
        make_package(arguments.folder, arguments.entries)
    else:
        make(arguments.folder, arguments.pages)
