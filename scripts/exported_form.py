"""The forms that 'afcache export' writes, as scripts open and read them without any server."""

import base64
import json
import re
import subprocess
import time
import urllib.parse
import zlib

from page import PageError


def export(program, package, path, *options):
    """Exports a package; returns what the program said."""
    done = subprocess.run([program, "export", package, "-o", path, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise PageError(f"'export' ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}")
    return done.stdout + done.stderr


def search(form, tab, text):
    """Types a text into the field of a form's search, and waits for its last results."""
    tab.click(form.field)
    tab.type(text)
    tab.wait(f"!!document.querySelector({json.dumps(form.results)})", f"our search finds '{text}'")
    # Results of a part of the text may have been shown first.
    last, shown = None, f"[...document.querySelectorAll({json.dumps(form.results)})].map(link => link.href).join(' ')"
    for _ in range(20):
        found = tab.evaluate(shown)
        if found and found == last:
            return
        last = found
        time.sleep(0.5)
    raise PageError(f"the results for '{text}' change again and again")


class Folder:
    """A package as a folder: its first page, and the search on it.

    Another form has the same members. `inside` is what shows a page of the site: the tab itself, since each page is a file.
    """

    name = "folder"
    # Whether scripts of pages run.
    has_scripts = True
    # What any page tries all the same, as docs/explanation/threat-model.md says.
    known = frozenset()
    # The field of the search on the first page, and its results.
    field, results = "#q", "#r a"
    # The page that is shown, as an expression.
    place = "location.href.split('#')[0]"

    def __init__(self, program, package, path, *options):
        self.path = path
        self.said = export(program, package, path, *options)
        top = path.resolve().as_uri()
        self.home = f"{top}/index.html"
        # The page with which the first site begins.
        first = re.search(r'<li>.*?<a href="([^"]+)"', (path / "index.html").read_text(), re.S)[1]
        self.start = f"{top}/{first}"

    def inside(self, tab):
        return tab

    def place_of(self, address):
        """The place to which a link leads."""
        return address.partition("#")[0]

    def is_page(self, address):
        """True if a link leads to a page of the export."""
        return address.startswith(self.home.rpartition("/")[0]) and self.place_of(address).lower().endswith((".html", ".htm", ".xhtml"))

    def is_out(self, address):
        """True if a link leads to the live web."""
        return address.startswith(("http:", "https:"))

    def open_place(self, tab, place):
        tab.open(place)

    def open_start(self, tab):
        """Opens the page with which the first site begins."""
        tab.open(self.start)

    def follow(self, tab, selector):
        """Clicks on a link of a page of the site, which may lead to a page or to a download."""
        self.inside(tab).click(selector)

    def leave(self, tab):
        """Confirms a link out."""

    def strange(self, tab):
        """What a page could change outside itself; none if it couldn't."""

    def search(self, tab, text):
        """Types a text into the search of the first page, and waits for results."""
        tab.open(self.home)
        search(self, tab, text)


class FolderWithoutScripts(Folder):
    """The same, without the scripts of pages."""

    name, has_scripts = "no scripts", False

    def __init__(self, program, package, path):
        super().__init__(program, package, path, "--scripts", "drop")


class File:
    """A package as one HTML file, which shows each page of the site in a frame."""

    name, has_scripts = "file", True
    # Firefox looks it up once, in spite of 'x-dns-prefetch-control'.
    known = frozenset({"name to the site"})
    field, results = "#q", "#r a"
    # The address in the fragment, once its page is shown in place of the last one.
    place = """document.querySelectorAll('#view iframe').length == 1 && document.querySelector('#view iframe:not(.next)')
        ? location.hash.slice(1).split('#')[0] : ''"""

    def __init__(self, program, package, path, *options):
        self.path = path.with_suffix(".html")
        self.said = export(program, package, self.path, *options)
        self.home = self.path.resolve().as_uri()
        text = self.path.read_text()
        blocks = re.findall(r"<script type=x id=t\d+>([^<]*)</script>", text)
        table = json.loads(b"".join(zlib.decompress(base64.b64decode(block), -15) for block in blocks))
        self.urls = {row[0] for row in table["rows"]} | set(table["redirects"])
        self.pages = {row[0] for row in table["rows"] if row[1] in ("text/html", "application/xhtml+xml")} | set(table["redirects"])
        # The page with which the first site begins.
        self.start = re.search(r'<li>.*?<a href="#([^"]+)"', text, re.S)[1].replace("&amp;", "&")

    def inside(self, tab):
        return tab.frame()

    def place_of(self, address):
        return address.removeprefix(f"{self.home}#").partition("#")[0]

    def is_page(self, address):
        return self.place_of(address) in self.pages

    def is_out(self, address):
        # Scripts may take clicks on links of the site itself, such as the settings of rustdoc.
        return address.startswith(("http:", "https:")) and urllib.parse.urlsplit(self.place_of(address)).netloc != urllib.parse.urlsplit(self.start).netloc

    def open_place(self, tab, place):
        # A router's address may lack the slash that the page's own has.
        places = json.dumps([place, f"{place}/"])
        if not tab.evaluate(f"{places}.includes({self.place})"):
            tab.navigate(f"{self.home}#{place}")
        tab.wait(f"{places}.includes({self.place})", f"'{place}' is shown")

    def open_start(self, tab):
        tab.navigate(self.home)
        tab.wait(self.place, "the start page is shown")

    def follow(self, tab, selector):
        self.inside(tab).click(selector)

    def strange(self, tab):
        address = tab.evaluate("document.querySelector('#live').href")
        return address if address and not address.startswith(("http:", "https:")) else None

    def leave(self, tab):
        # In this tab, whose requests are known.
        tab.wait("!!document.querySelector('#out')", "the page says that the link leads out")
        tab.evaluate("document.querySelector('#out').removeAttribute('target')")
        tab.click("#out")

    def search(self, tab, text):
        self.open_start(tab)
        search(self, tab, text)
