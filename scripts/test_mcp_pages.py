"""Compares the Markdown of `afcache mcp`'s `get` with the element that each generator marks as the content of a page.

usage: test_mcp_pages.py PROGRAM FOLDER MKDOCS-SITE PDOC-SITE

Of each documentation, pages drawn by seed are packed as they are. Recall and precision count words, each as often as it occurs, of
all pages of a generator together and of each page; a code block has to be there to the byte.
"""

import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import warnings

import bs4

warnings.filterwarnings("ignore", category=bs4.XMLParsedAsHTMLWarning)

SEED = 46
BASE = "https://docs.example"
DOCUSAURUS = os.environ.get("DOCUSAURUS_SITE")
# Each generator with a folder of its pages, the element with a page's content, and what of it isn't content: marks for links to
# headings, and buttons.
MARKED = [
    ("Sphinx", "/usr/share/doc/python3.11/html", "div.body", "a.headerlink"),
    ("Sphinx, Django's theme", "/usr/share/doc/python-django-doc/html", "div.yui-b, div.body", "a.headerlink"),
    ("Doxygen", "/usr/share/doc/libusb-1.0-doc/api-1.0", "div.contents", "span.lineno, div.dynheader, div.ttc, span.icon, .permalink"),
    ("gtk-doc", "/usr/share/gtk-doc/html/gio", "div.refentry", ".headerlink, table.navigation"),
    ("gi-docgen", "/usr/share/doc/libgtk-4-doc/gtk4", "section.content", ".anchor, .srclink, .toggle-wrapper > summary"),
    ("javadoc", "/usr/share/doc/libcommons-io-java/api", "main", ".sub-nav"),
    ("rustdoc", "/usr/share/doc/rust-doc/html/std", "#main-content", "a.anchor, button, summary.hideme, .notable-traits-tooltiptext, .tooltip"),
    ("mdBook", "/usr/share/doc/rust-doc/html/book", "main", ""),
    ("Asciidoc", "/usr/share/doc/git-doc", "#content", ""),
    ("httpd's manual", "/usr/share/doc/apache2-doc/manual/en", "#page-content", "a.permalink, #quickview, .toplang, .bottomlang"),
]
# Pages whose generators mark nothing so: all of the page but its navigation.
OTHERS = [
    ("PostgreSQL's DocBook", "/usr/share/doc/postgresql-doc-15/html", "body", ".navheader, .navfooter"),
    ("SQLite", "/usr/share/doc/sqlite3", "body", "div.nosearch, script, style, .toct, .toc_header"),
    ("Debian's DocBook or Sphinx", "/usr/share/doc/debian-policy/policy.html", "div.body, div.document", "a.headerlink"),
]


def words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def plain(markdown):
    """The text of Markdown: links and images without their targets."""
    text = re.sub(r"^(`{3,}|~{3,})[^\n]*$", "", markdown, flags=re.M)
    # A target ends at a bracket that isn't escaped, or is between angle brackets.
    text = re.sub(r"\]\((?:<[^>\n]*>|(?:\\.|[^()\\\n]|\([^()\n]*\))*)\)", "] ", text)
    text = text.replace("<br>", " ")
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text)


def fences(markdown):
    """The contents of code blocks, also of those in lists and quotations."""
    found, fence = [], None
    for line in markdown.split("\n"):
        if fence is None:
            match = re.match(r"^((?:> ?| |[-*+] +|\d+[.)] +)*)(`{3,}|~{3,})", line)
            if match:
                fence, lines = match[2], []
                before = re.compile("^" + re.sub(r"[^>]", " ", match[1]).replace(" ", " ?").replace(">", ">?"))
            continue
        inner = before.sub("", line)
        if inner.strip() == fence:
            found.append("\n".join(lines))
            fence = None
        else:
            lines.append(inner)
    return found


class Client:
    def __init__(self, program, cache):
        self.process = subprocess.Popen([program, "mcp", "--cache", cache], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}})

    def ask(self, method, parameters):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def page(self, url):
        text, cursor = "", None
        while True:
            more = {"cursor": cursor} if cursor else {}
            result = self.ask("tools/call", {"name": "get", "arguments": {"url": url, "max_tokens": 20000, **more}})
            if result.get("isError"):
                raise SystemExit(f"test-mcp: {url}: {result['content'][0]['text']}")
            page = result["structuredContent"]
            text += page["text"]
            cursor = page.get("cursor")
            if not cursor:
                return text


def drawn(folder, selector, count):
    """Pages that have the element, with more than a few words, drawn by seed."""
    names = sorted(path for path in pathlib.Path(folder).rglob("*.html") if path.stat().st_size < 1 << 20)
    random.seed(SEED)
    random.shuffle(names)
    found = []
    for path in names:
        soup = bs4.BeautifulSoup(path.read_bytes(), "html5lib")
        main = soup.select_one(selector)
        if main is not None and len(main.get_text().split()) >= 40:
            found.append((path, main))
        if len(found) == count:
            break
    return found


def content(main, without):
    """The words of an element as a reader sees them, and its code blocks."""
    for part in main.select(", ".join(filter(None, ["script", "style", "template", "noscript", "svg", without]))):
        part.decompose()
    blocks = []
    for block in main.find_all("pre"):
        # A line may be a block of its own.
        for part in block.find_all("div"):
            if part.next_sibling and not part.get_text().endswith("\n"):
                part.insert_after("\n")
        if block.find_parent("pre") is None:
            blocks.append(block.get_text())
    images = " ".join(image.get("alt", "") for image in main.find_all("img"))
    return main.get_text("") + " " + images, blocks


def spaced(main):
    """Puts spaces between elements that a browser shows apart."""
    inline = {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "ins", "del", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var", "wbr"}
    for part in main.find_all(True):
        if part.find_parent("pre") is not None:
            if part.name == "br":
                part.insert_after("\n")
        elif part.name not in inline:
            part.insert_before(" ")
            part.insert_after(" ")


def measure(program, folder, name, source, selector, without, count, floor):
    pages = drawn(source, selector, count)
    if not pages:
        raise SystemExit(f"test-mcp: {name}: no page has {selector}")
    site = folder / "site"
    for path, _ in pages:
        target = site / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    package, cache = folder / "site.zip", folder / "cache"
    subprocess.run([program, "pack", "--folder", str(site), "--base-url", BASE, "-o", str(package), "--quiet"], check=True)
    subprocess.run([program, "load", str(package), "--cache", str(cache), "--quiet"], check=True)
    client = Client(program, str(cache))
    sums, low, blocks, lost = [0, 0, 0], [], 0, []
    for path, main in pages:
        address = str(path.relative_to(source))
        address = address.removesuffix("index.html") if path.name == "index.html" else address
        markdown = client.page(f"{BASE}/{address}")
        spaced(main)
        text, codes = content(main, without)
        expected, got = words(text), words(plain(markdown))
        both = sum((expected & got).values())
        recall, precision = both / max(1, sum(expected.values())), both / max(1, sum(got.values()))
        for index, number in enumerate([both, sum(expected.values()), sum(got.values())]):
            sums[index] += number
        if min(recall, precision) < floor:
            low.append((round(recall, 3), round(precision, 3), address, (expected - got).most_common(6), (got - expected).most_common(6)))
        found = collections.Counter(fence.strip("\n") for fence in fences(markdown))
        for code in codes:
            blocks += 1
            if found[code.strip("\n")] == 0 and code.strip():
                lost.append((address, code[:60]))
    client.process.stdin.close()
    client.process.wait(20)
    recall, precision = sums[0] / sums[1], sums[0] / sums[2]
    print(f"{name}: {len(pages)} pages, recall {recall:.4f}, precision {precision:.4f}; below {floor}: {len(low)}; code blocks {blocks - len(lost)} of {blocks}", flush=True)
    for row in sorted(low)[: 4 if "-v" in sys.argv else 0]:
        print("   ", *row)
    for row in lost[: 4 if "-v" in sys.argv else 0]:
        print("    code:", row)
    return len(pages), recall >= floor and precision >= floor and len(lost) <= blocks * 0.01


def main():
    program, folder, mkdocs, pdoc = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    marked = MARKED + [
        ("MkDocs, Material", mkdocs, "article.md-content__inner", "a.headerlink, .md-source-file, .md-content__button"),
        ("pdoc", pdoc, "main.pdoc", "a.headerlink, input, label, .linenos"),
    ]
    if DOCUSAURUS:
        marked.append(("Docusaurus", DOCUSAURUS, "article .theme-doc-markdown", "a.hash-link, button, .katex-html"))
    failed, total = [], 0
    for kind, rows, count, floor in [("marked", marked, 25, 0.97), ("others", OTHERS, 20, 0.9)]:
        total = 0
        for number, (name, source, selector, without) in enumerate(rows):
            work = folder / f"{kind}-{number}"
            work.mkdir(parents=True)
            pages, is_right = measure(program, work, name, source, selector, without, count, floor)
            total += pages
            if not is_right:
                failed.append(name)
        print(f"{kind}: {total} pages of {len(rows)} generators", flush=True)
    if failed:
        raise SystemExit(f"test-mcp: too far from the content of pages by {', '.join(failed)}")


main()
