"""The forms that 'afcache export' writes, as scripts open and read them without any server."""

import json
import re
import subprocess

from page import PageError


class Folder:
    """A package as a folder: its first page, and the search on it.

    Another form has the same members. `inside` is what shows a page of the site: the tab itself, since each page is a file.
    """

    name = "folder"
    # The field of the search on the first page, and its results.
    field, results = "#q", "#r a"
    # The page that is shown, as an expression.
    place = "location.href.split('#')[0]"

    def __init__(self, program, package, path, *options):
        self.path = path
        done = subprocess.run([program, "export", package, "-o", path, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.said = done.stdout + done.stderr
        if done.returncode:
            raise PageError(f"'export' ended with {done.returncode}: {self.said.strip()[-500:]}")
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

    def open_place(self, tab, place):
        tab.open(place)

    def open_start(self, tab):
        """Opens the page with which the first site begins."""
        tab.open(self.start)

    def follow(self, tab, selector):
        """Clicks on a link of a page of the site, which may lead to a page or to a download."""
        self.inside(tab).click(selector)

    def search(self, tab, text):
        """Types a text into the search of the first page, and waits for results."""
        tab.open(self.home)
        tab.click(self.field)
        tab.type(text)
        tab.wait(f"!!document.querySelector({json.dumps(self.results)})", f"our search finds '{text}'")
