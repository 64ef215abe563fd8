"""The site of the documentation and its test, for scripts/docs-site, which installs everything that this program needs.

usage: scripts/docs_site.py pack|test PROGRAM MKDOCS PACKAGE
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from chromium import Browser, PageError
from make_pictures import Server

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "support/docs-site/mkdocs.yml"
BASE = re.search(r"^site_url: (\S+)$", SETTINGS.read_text(), re.M)[1]
LINK = re.compile(r"\[([^]\[]*)\]\(([^)#:\s]+)(#[^)]*)?\)")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        words = " ".join(os.path.basename(word) if i == 0 else str(word) for i, word in enumerate(command))
        sys.exit(f"docs-site: '{words}' failed:\n{done.stdout}")
    return done.stdout


class Pages:
    """The pages of the documentation, written to a folder with the links of a site instead of those of the repository."""

    def __init__(self, folder):
        self.folder, self.broken = folder, []
        docs = sorted((ROOT / "docs").rglob("*.md"))
        for page in [*sorted(ROOT.glob("*.md")), *docs]:
            self.write(self.place(page), LINK.sub(lambda link: self.link(page, link), page.read_text()))
        decisions = [page for page in docs if page.parent.name == "decisions"]
        items = (f"- [{self.title(page)}]({page.name})" for page in decisions)
        self.write("developers/decisions/index.md", "\n".join(["# Decisions", "", *items, ""]))
        shutil.copytree(ROOT / "docs/pictures", folder / "pictures")
        shutil.copy(SETTINGS.with_name("style.css"), folder)
        if self.broken:
            sys.exit("\n".join(self.broken))

    def write(self, place, text):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def title(self, page):
        """The title of a page."""
        # In a list, '1. Title' would begin a list in the list.
        return re.match(r"# (.*)", page.read_text())[1].replace(". ", "\\. ", 1)

    def place(self, path):
        """The place of a file of the repository on the site; none for a folder."""
        name = path.relative_to(ROOT).as_posix()
        if name == "README.md":
            return "index.md"
        if name == "docs/README.md":
            return "contents.md"
        if name == "docs/developers/decisions":
            return "developers/decisions/index.md"
        if name.startswith("docs/"):
            return name.removeprefix("docs/")
        if path.suffix == ".md" and path.parent == ROOT:
            return name.lower()
        return None if path.is_dir() else f"files/{path.name}.md"

    def link(self, page, link):
        """A link as the site has it.

        A link to a folder becomes its text, and one to a file that is no page leads to a page with the file.
        """
        text, target, anchor = link[1], link[2], link[3] or ""
        path = pathlib.Path(os.path.normpath(page.parent / target))
        if not path.exists() or ROOT not in path.parents:
            self.broken.append(f"{page.relative_to(ROOT)}: there is no file '{target}', to which this page links")
            return link[0]
        place = self.place(path)
        if place is None:
            return f"`{text}`"
        if place.startswith("files/"):
            kind = {".yml": "yaml"}.get(path.suffix, "text")
            self.write(place, f"# {path.name}\n\n```{kind}\n{path.read_text().rstrip()}\n```\n")
        return f"[{text}]({os.path.relpath(place, os.path.dirname(self.place(page)))}{anchor})"

    def navigation(self):
        """The pages in the order in which docs/README.md names them, with a section for each of its headings that names some."""
        contents = ROOT / "docs/README.md"
        items = [{"Overview": "index.md"}, {"Contents": "contents.md"}]
        for section in contents.read_text().split("\n## ")[1:]:
            places = [self.place(pathlib.Path(os.path.normpath(contents.parent / link[2]))) for link in LINK.finditer(section)]
            pages = [{"Decisions": self.decisions()} if place == "developers/decisions/index.md" else place for place in places if place]
            if pages:
                items.append({section.partition("\n")[0]: pages})
        return [*items, "changelog.md"]

    def decisions(self):
        return sorted((path.relative_to(self.folder).as_posix() for path in self.folder.glob("developers/decisions/*.md")),
                      key=lambda name: (name != "developers/decisions/index.md", name))


def pack(program, mkdocs, package, work):
    """Makes the package, checks it, and returns how many resources it has."""
    shutil.rmtree(work, ignore_errors=True)
    pages = Pages(work / "pages")
    # JSON is YAML, too.
    settings = {
        "INHERIT": str(SETTINGS), "docs_dir": str(work / "pages"), "site_dir": str(work / "site"), "nav": pages.navigation(),
    }
    (work / "mkdocs.yml").write_text(json.dumps(settings))
    # Not with --quiet, which hides warnings from --strict as well.
    run(mkdocs, "build", "--strict", "--config-file", work / "mkdocs.yml")
    package.parent.mkdir(parents=True, exist_ok=True)
    run(program, "pack", "--folder", work / "site", "--base-url", BASE, "--exclude", "*.map", "--quiet", "-o", package)
    run(program, "lint", "--fail-on", "warning", package)
    return run(program, "load", package, "--name", "docs-site", "--cache", work / "cache")


def read_offline(tab, site, pages):
    heading = "document.querySelector('h1')?.firstChild.textContent"
    tab.resize(1280, 900)
    tab.open(site)
    pictures = tab.wait(
        "(p => p.length && p.every(i => i.complete) && p.map(i => i.naturalWidth))([...document.querySelectorAll('article img')])"
    )
    assert pictures and all(pictures), f"pictures of the start page have the widths {pictures}"
    tab.click("nav a[href='reference/crawler/']")
    tab.wait(f"location.pathname == '/reference/crawler/' && {heading} == 'Crawling'")
    tab.click("input[data-md-component=search-query]")
    tab.send("Input.insertText", text="eviction")
    tab.click(".md-search-result__link[href*='/reference/cache/']")
    tab.wait(f"location.pathname == '/reference/cache/' && {heading} == 'The cache'")
    # A phone shows each page without scrolling sideways.
    tab.resize(390, 844)
    for page in pages:
        tab.open(urllib.parse.urljoin(site, page))
        assert tab.evaluate(heading), f"'{page}' has no heading"
        width = tab.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"'{page}' is {width} points wide on a phone of 390"


def test(program, mkdocs, work):
    package, again = work / "docs-site.zip", work / "again.zip"
    pack(program, mkdocs, again, work / "made")
    print(pack(program, mkdocs, package, work / "made"), end="")
    assert package.read_bytes() == again.read_bytes(), "two packages of the same pages differ"
    urls = [json.loads(line)["url"] for line in run(program, "ls", package, "--json").splitlines()]
    pages = [url.removeprefix(BASE) for url in urls if url.endswith("/")]
    log = work / "access.log"
    with Server(program, work / "made/cache", "--access-log", log) as server:
        site = f"http://{label()}.localhost:{server.port}/"
        with Browser(work / "browser") as browser, browser.tab() as tab:
            try:
                read_offline(tab, site, pages)
            except PageError as error:
                sys.exit("\n".join([f"docs-site: {error}", *tab.problems]))
            others = [url for url in tab.requested if not url.startswith((site, "data:", "blob:"))]
            problems = tab.problems + [f"asks for '{url}' of another host" for url in others]
    problems += [line for line in log.read_text().splitlines() if int(re.search(r'" (\d+) ', line)[1]) >= 400]
    if problems:
        sys.exit("\n".join(problems))
    print(f"read offline in Chromium: {len(pages)} pages, pictures, links and search")


def label():
    """The name of the site's origin, as docs/reference/serve.md has it."""
    return urllib.parse.urlsplit(BASE).hostname.replace("-", "--").replace(".", "-")


def main():
    mode, program, mkdocs, package = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="afcache-docs-site-", ignore_cleanup_errors=True) as name:
        work = pathlib.Path(name)
        if mode == "test":
            return test(program, mkdocs, work)
        print(pack(program, mkdocs, pathlib.Path(package), work / "made"), end="")
    print(f"Read it offline at http://{label()}.localhost:8080/ after:")
    print(f"  afcache load {os.path.relpath(package)} --cache cache && afcache serve --cache cache")


if __name__ == "__main__":
    main()
