"""The test of scripts/test-sites, which installs and builds everything that this program needs.

usage: scripts/test_sites.py PROGRAM [--online | --list | --pictures FOLDER | --firefox | --another-host | --exported] [NAME]...

With --pictures, the folder gets a picture of the results of each search, offline; scripts/pictures makes those of docs/explanation/sites.md.
"""

import contextlib
import dataclasses
import email.utils
import functools
import http.server
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import typing
import urllib.parse
import zipfile

from another_host import HERE, AnotherHost, nginx_before
from chromium import Browser, PageError
from exported_form import File, Folder
from read_export import Reader, facts
from small_sites import SMALL

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build-sites"
TOOLS = WORK / "tools/bin"
# Chromium asks for this on its own if a page names no icon.
ICON = "/favicon.ico"
# The size of a picture for a reader: wide enough for search fields that hide in narrow windows, and small in bytes.
PICTURE = (1040, 420)
# The number of URLs that a crawl of one site may request although the site doesn't have them, and of a small site. The sites have
# so few files that a share would say little.
MOST_ABSENT, MOST_ABSENT_SMALL = 6, 2


class BuildError(Exception):
    """A site that could not be built, crawled or served."""


def run(*command, allowed=(0,), **options):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options
    )
    if done.returncode not in allowed:
        words = " ".join(os.path.basename(word) if i == 0 else str(word) for i, word in enumerate(command))
        raise BuildError(f"'{words}' ended with {done.returncode}:\n{done.stdout[-2000:].rstrip()}")
    return done.stdout


# The text of all built sites: the paragraphs of each page. A backquoted name is a link to that page.
TEXT = {
    "index": ("Lighthouse handbook", "For keepers and their helpers. Begin with `lamps`, then read about `storms`."),
    "lamps": ("Lamps", "Trim the wick each evening, and polish the lens.", "In bad weather, see `storms`."),
    "storms": ("Storms", "In a gale, close the shutters and light the second lamp.", "The foghorn sounds each minute."),
    "charts": ("Charts", "Soundings are in fathoms. The reef is north of the rock."),
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def link(text, form):
    return re.sub("`(.*?)`", lambda found: form.format(name=found[1], title=TEXT[found[1]][0]), text)


def write_markdown(folder, form="[{title}]({name}.md)"):
    for name, (title, *paragraphs) in TEXT.items():
        write(folder / f"{name}.md", "\n\n".join([f"# {title}", *(link(p, form) for p in paragraphs)]) + "\n")


def sphinx(site, theme, builder="html"):
    source = site.folder / "source"
    for name, (title, *paragraphs) in TEXT.items():
        parts = [f"{title}\n{'=' * len(title)}", *(link(p, ":doc:`{name}`") for p in paragraphs)]
        if name == "index":
            parts.append(".. toctree::\n\n" + "".join(f"   {other}\n" for other in TEXT if other != "index"))
        write(source / f"{name}.rst", "\n\n".join(parts) + "\n")
    write(source / "conf.py", f"project = 'Handbook'\nauthor = 'Keepers'\nhtml_theme = '{theme}'\nhtml_context = {{'default_mode': 'auto'}}\n")
    run(TOOLS / "sphinx-build", "-q", "-W", "-b", builder, source, site.root)
    return version("Sphinx")


def mkdocs(site, theme, features=()):
    write_markdown(site.folder / "source/docs")
    # JSON is YAML, too.
    settings = {"site_name": "Handbook", "site_url": f"{site.origin}/", "theme": {"name": theme}, "site_dir": str(site.root)}
    if theme in ("mkdocs", "readthedocs"):
        # Otherwise each page loads a script from another host.
        settings["theme"]["highlightjs"] = False
    if features:
        settings["theme"] |= {"features": list(features), "font": False}
    write(site.folder / "source/mkdocs.yml", json.dumps(settings))
    # A warning about the theme's next release would end up in every build.
    run(TOOLS / "mkdocs", "build", "--quiet", "--strict", cwd=site.folder / "source", env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    return version("mkdocs-material" if theme == "material" else "mkdocs")


def zensical(site):
    write_markdown(site.folder / "source")
    settings = {"site_name": "Handbook", "site_url": f"{site.origin}/", "theme": {"font": False}, "docs_dir": "source", "site_dir": "site"}
    write(site.folder / "mkdocs.yml", json.dumps(settings))
    run(TOOLS / "zensical", "build", "--config-file", "mkdocs.yml", cwd=site.folder)
    return version("zensical")


def python_package(site):
    """Writes a package of Python, for generators of API documentation."""
    folder = site.folder / "source/handbook"
    write(folder / "__init__.py", '"""Lighthouse handbook, for keepers."""\n')
    write(folder / "lamps.py", '"""Lamps."""\n\n\nclass Lamp:\n    """A lamp, trimmed each evening."""\n')
    write(folder / "storms.py", '"""Storms."""\n\n\ndef foghorn():\n    """Sounds each minute."""\n')
    return site.folder / "source"


def pdoc(site):
    run(TOOLS / "pdoc", "-o", site.root, "handbook", cwd=python_package(site))
    return version("pdoc")


def pydoctor(site):
    run(TOOLS / "pydoctor", "--quiet", f"--html-output={site.root}", "--project-name=Handbook", "handbook", cwd=python_package(site))
    return version("pydoctor")


def pelican(site):
    for name, (title, *paragraphs) in list(TEXT.items())[1:]:
        lines = [f"Title: {title}", "Date: 2026-01-01", f"Slug: {name}", "", *(link(p, "[{title}]({{filename}}{name}.md)") for p in paragraphs)]
        write(site.folder / f"source/{name}.md", "\n".join(lines) + "\n")
    run(TOOLS / "pelican", site.folder / "source", "-o", site.root, "--quiet", "-e", "SITENAME=\"Lighthouse handbook\"", cwd=site.folder)
    return version("pelican")


def yard(site):
    source = site.folder / "source"
    write(source / "handbook.rb", "# The handbook.\nmodule Handbook\n  # A lamp.\n  class Lamp\n    # Shines.\n    def shine; end\n  end\n"
          "  # A storm.\n  class Storm\n    # Sounds.\n    def foghorn; end\n  end\nend\n")
    write(source / "README.md", "# Lighthouse handbook\n\nSee {Handbook::Lamp}.\n")
    run("yard", "doc", "--quiet", "--no-cache", "--db", site.folder / "db", "--output-dir", site.root, "handbook.rb", cwd=source)
    return run("yard", "--version").split()[1]


def asciidoctor(site):
    for name, (title, *paragraphs) in TEXT.items():
        write(site.folder / f"source/{name}.adoc", "\n\n".join([f"= {title}\n:webfonts!:", *(link(p, "xref:{name}.adoc[{title}]") for p in paragraphs)]) + "\n")
    run("asciidoctor", "--destination-dir", site.root, *sorted((site.folder / "source").glob("*.adoc")))
    return run("asciidoctor", "--version").split()[1]


# A description of an interface.
INTERFACE = {
    "openapi": "3.0.3", "info": {"title": "Lighthouse handbook", "version": "1"},
    "paths": {f"/{name}": {"get": {"summary": title, "tags": [title], "responses": {"200": {"description": text}}}}
              for name, (title, text, *_) in list(TEXT.items())[1:]},
}


def viewer(site, package, files, head, body):
    """A page in which a library shows an interface; the library comes from a package of PyPI."""
    packages = pathlib.Path(run(TOOLS / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    write(site.root / "api/openapi.json", json.dumps(INTERFACE))
    for file in files:
        shutil.copy(next(packages.rglob(file)), site.root)
    top = "<!doctype html><meta charset=utf-8><title>Handbook</title><link rel=icon href=data:,>"
    write(site.root / "index.html", f"{top}{head}<a id=go href=lamps.html>Lamps</a>{body}")
    write(site.root / "lamps.html", f"{top}<h1>Lamps</h1>")
    return version(package)


def mdbook(site):
    source = site.folder / "source"
    write_markdown(source / "src")
    titles = "".join(f"- [{title}]({name}.md)\n" for name, (title, *_) in TEXT.items())
    write(source / "src/SUMMARY.md", f"# Summary\n\n{titles}")
    write(source / "book.toml", "[book]\ntitle = 'Handbook'\n")
    run(TOOLS / "mdbook", "build", "--dest-dir", site.root, source)
    return run(TOOLS / "mdbook", "--version").strip().removeprefix("mdbook v")


def pagefind(site):
    for name, (title, *paragraphs) in TEXT.items():
        body = "".join(f"<p>{link(p, '<a href={name}.html>{title}</a>')}</p>" for p in paragraphs)
        search = "<div id=search></div>" if name == "index" else ""
        write(
            site.root / f"{name}.html",
            f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><link rel=icon href=data:,>"
            "<link rel=stylesheet href=/pagefind/pagefind-ui.css><script src=/pagefind/pagefind-ui.js></script>"
            f"{search}<main data-pagefind-body><h1>{title}</h1>{body}</main><script>if (document.getElementById('search')) "
            "new PagefindUI({element: '#search', showImages: false})</script>",
        )
    run(TOOLS / "python", "-m", "pagefind", "--site", site.root)
    return version("pagefind")


def doxygen(site):
    source = site.folder / "source"
    write_markdown(source)
    for name, (title, *_) in TEXT.items():
        page = source / f"{name}.md"
        label = "{#mainpage}" if name == "index" else f"{{#{name}}}"
        page.write_text(page.read_text().replace(f"# {title}", f"# {title} {label}", 1).replace(".md)", ")").replace("](", "](@ref "))
    write(source / "lamp.h", "/** @file */\n/** A lamp. */\nstruct Lamp {\n  /** Its brightness. */\n  int brightness;\n};\n")
    settings = {
        "PROJECT_NAME": "Handbook", "OUTPUT_DIRECTORY": site.folder, "HTML_OUTPUT": site.root, "GENERATE_LATEX": "NO", "QUIET": "YES",
        "GENERATE_TREEVIEW": "YES", "HAVE_DOT": "NO", "SEARCHENGINE": "YES", "INPUT": source, "WARN_AS_ERROR": "YES",
    }
    write(source / "Doxyfile", "".join(f"{name} = {value}\n" for name, value in settings.items()))
    run("doxygen", source / "Doxyfile")
    return run("doxygen", "--version").split()[0]


def javadoc(site):
    source = site.folder / "source/handbook"
    write(source / "Lamp.java", "package handbook;\n/** A lamp, used by a {@link Keeper}. */\npublic class Lamp {\n"
          "  /** Makes a lamp. */\n  public Lamp() {}\n  /** Shines. */\n  public void shine() {}\n}\n")
    write(source / "Keeper.java", "package handbook;\n/** A keeper. */\npublic class Keeper {\n  /** Makes a keeper. */\n"
          "  public Keeper() {}\n  /** Sounds the foghorn. */\n  public void foghorn() {}\n}\n")
    write(source / "package-info.java", "/** The handbook of the lighthouse. */\npackage handbook;\n")
    run("javadoc", "-quiet", "-d", site.root, *source.glob("*.java"))
    return run("javadoc", "--version").split()[-1]


def rustdoc(site):
    source = site.folder / "source/handbook.rs"
    write(source, "//! The handbook of the lighthouse.\n/// A lamp, used by a [`Keeper`].\npub struct Lamp {\n"
          "    /// Its brightness.\n    pub brightness: u32,\n}\n/// A keeper.\npub struct Keeper;\n"
          "impl Keeper {\n    /// Sounds the horn.\n    pub fn foghorn(&self) {}\n}\n")
    run("rustdoc", source, "--crate-name", "handbook", "--out-dir", site.root)
    return run("rustdoc", "--version").split()[1]


def fixture(site):
    """Copies a hand-made site. A table in the README says which release it is like."""
    shutil.copytree(ROOT / "Fixtures/sites" / site.name, site.root)
    rows = re.findall(r"^\| `(.*?)` \| .*? (\d[\d.]*).*? \|", (ROOT / "Fixtures/sites/README.md").read_text(), re.M)
    return f"{dict(rows)[site.name]} (by hand)"


def small(site):
    """Writes a site of scripts/small_sites.py."""
    names = {"ORIGIN_HOST": site.origin.partition("//")[2], "ORIGIN_ESCAPED": site.origin.replace("/", "\\/"), "ORIGIN": site.origin, "OTHER": site.other}
    for path, content in SMALL[site.name][1].items():
        file = site.second / path.removeprefix("OTHER/") if path.startswith("OTHER/") else site.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, pathlib.Path):
            content = content.read_bytes()
        elif isinstance(content, str):
            content = re.sub("|".join(names), lambda found: names[found[0]], content).encode()
        file.write_bytes(content)
    return "(by hand)"


@functools.cache
def version(package):
    found = re.search(f"^{re.escape(package)}==(.*)$", (ROOT / "support/test-sites/requirements.txt").read_text(), re.M | re.I)
    return found[1]


@dataclasses.dataclass
class Search:
    """How a reader searches: the place to type, the word, and the result to click."""

    field: str
    result: str
    word: str = "foghorn"
    # What shows the field when it is clicked.
    opener: str | None = None
    # A key that puts the focus on the field.
    key: str | None = None
    # Whether Enter starts the search.
    enter: bool = False
    heading: str = "Storms"


@dataclasses.dataclass
class Site:
    name: str
    tool: str
    build: typing.Callable
    # None for a site without a search.
    search: Search | None
    start: str = "/"
    heading: str = "Lighthouse handbook"
    link: str = "a[href$='lamps.html']"
    target: str = "Lamps"
    # What is true once scripts take care of links, if that may take a while.
    ready: str = "true"
    # What is true once the scripts of a page behind a link have loaded everything.
    settled: str = "true"
    # What the generator names although it doesn't write it.
    absent: tuple = ()
    # What doesn't work offline yet, as a pattern of sentences; docs/explanation/sites.md says why.
    limit: str | None = None
    # Where the site is served, and the files of a second host.
    origin: str = ""
    other: str = ""
    # The options of the crawl; most sites need none.
    options: tuple = ()
    # Whether a click on the link lets scripts replace the page, instead of loading another.
    routed: bool = False
    # Whether the site is a single-page application, whose folder is packed instead of a crawl of it.
    application: bool = False
    # The fields of the lines of an AFCache package that is written instead of a crawl: 2, 3 or 5, the last below a line with the base URL.
    fields: int = 0
    # Whether the site is one of scripts/small_sites.py.
    is_small: bool = False

    @property
    def folder(self):
        return WORK / "sites" / self.name

    @property
    def root(self):
        return self.folder / "site"

    @property
    def second(self):
        return self.folder / "second"


def using(build, *arguments):
    return lambda site: build(site, *arguments)


MATERIAL = Search("input[data-md-component=search-query]", ".md-search-result__link[href*=storms]")
# The element whose shadow root has Zensical's search.
ZENSICAL = "body > div[style*=fixed]"
BY_HAND = Search("#search input", "#search a")

SITES = [
    Site("sphinx-alabaster", "Sphinx, alabaster", using(sphinx, "alabaster"),
         Search("input[name=q]", "#search-results a[href*='storms']", enter=True), link=".body a[href$='lamps.html']"),
    Site("sphinx-furo", "Sphinx, Furo", using(sphinx, "furo"),
         Search(".sidebar-search", "#search-results a[href*='storms']", enter=True), link="article a[href$='lamps.html']"),
    Site("sphinx-pydata", "Sphinx, pydata-sphinx-theme", using(sphinx, "pydata_sphinx_theme"),
         Search("#pst-search-dialog input[name=q]", "#search-results a[href*='storms']", opener=".search-button__button", enter=True),
         link="article a[href$='lamps.html']"),
    Site("sphinx-dirhtml", "Sphinx, dirhtml", using(sphinx, "furo", "dirhtml"),
         Search(".sidebar-search", "#search-results a[href*='storms']", enter=True), link="article a[href$='lamps/']"),
    Site("mkdocs", "MkDocs", using(mkdocs, "mkdocs"),
         Search("#mkdocs-search-query", "#mkdocs-search-results a[href*='storms']", opener="a[data-target='#mkdocs_search_modal'], "
                "a[data-bs-target='#mkdocs_search_modal']"), link="[role=main] a[href*='lamps/']"),
    Site("material", "Material for MkDocs", using(mkdocs, "material", ["content.code.copy"]), MATERIAL, link="article a[href*='lamps/']"),
    Site("material-instant", "Material, instant navigation", using(mkdocs, "material", ["navigation.instant", "search.suggest"]),
         MATERIAL, link="article a[href*='lamps/']", routed=True,
         ready="performance.getEntriesByType('resource').some(entry => entry.name.endsWith('sitemap.xml') && entry.responseEnd)",
         limit="^material-instant: one site, navigation: the link loaded another page"),
    Site("mdbook", "mdBook", mdbook,
         Search("#mdbook-searchbar", "#mdbook-searchresults a[href*='storms']", opener="#mdbook-search-toggle"),
         heading="Lighthouse handbook", link="main a[href$='lamps.html']"),
    Site("pagefind", "Pagefind", pagefind, Search(".pagefind-ui__search-input", ".pagefind-ui__result-link[href*=storms]")),
    Site("doxygen", "Doxygen", doxygen, Search("#MSearchField", "#MSearchResults >>> .SRSymbol", word="storms"),
         link=".contents a[href$='lamps.html']"),
    Site("javadoc", "Javadoc", javadoc, Search("#search-input", ".ui-autocomplete .ui-menu-item", heading="Class Keeper"),
         start="/handbook/package-summary.html", heading="Package handbook", link=".summary-table a[href$='Lamp.html']", target="Class Lamp",
         absent=("/resources/fonts/dejavu.css",)),
    Site("rustdoc", "rustdoc", rustdoc, Search(".search-input", "#search a[href*='Keeper']", key="s", heading="Struct Keeper"),
         start="/handbook/index.html", heading="Crate handbook", link="a.struct[href$='Lamp.html']", target="Struct Lamp"),
    Site("docusaurus", "Docusaurus", fixture, BY_HAND, start="/handbook/", link="#__docusaurus a[href$='/lamps/']", routed=True),
    Site("vitepress", "VitePress", fixture, BY_HAND, routed=True),
    Site("next", "Next.js", fixture, BY_HAND, link="main a[href$='/lamps']", routed=True),
    Site("next-app", "Next.js, app router", fixture, BY_HAND, link="main a[href$='/lamps']", routed=True),
    Site("docsify", "Docsify", fixture, BY_HAND, link="main a[href$='/lamps']", routed=True),
    Site("nuxt", "Nuxt", fixture, BY_HAND, link="main a[href$='/lamps']", routed=True),
    Site("gatsby", "Gatsby", fixture, BY_HAND, link="main a[href$='/lamps/']", routed=True),
    Site("sveltekit", "SvelteKit", fixture, BY_HAND, link="main a[href$='/lamps']", routed=True),
    Site("react-router", "React Router, as an application", fixture, BY_HAND, link="main a[href$='/lamps']", routed=True,
         application=True),
    Site("sphinx-rtd", "Sphinx, sphinx_rtd_theme", using(sphinx, "sphinx_rtd_theme"),
         Search("input[name=q]", "#search-results a[href*='storms']", enter=True), link="[role=main] a[href$='lamps.html']"),
    Site("sphinx-book", "Sphinx, sphinx-book-theme", using(sphinx, "sphinx_book_theme"),
         Search("#pst-search-dialog input[name=q]", "#search-results a[href*='storms']", opener=".search-button-field", enter=True),
         link="article a[href$='lamps.html']"),
    Site("sphinx-awesome", "Sphinx, sphinxawesome-theme", using(sphinx, "sphinxawesome_theme"),
         Search("input[name=q]", "#search-results a[href*='storms']", enter=True), link="a.internal[href$='lamps.html']"),
    Site("mkdocs-readthedocs", "MkDocs, readthedocs", using(mkdocs, "readthedocs"),
         Search("#rtd-search-form input", "#mkdocs-search-results a[href*='storms']", enter=True), link="[role=main] a[href*='lamps/']"),
    Site("zensical", "Zensical", zensical, Search(f"{ZENSICAL} >>> input", f"{ZENSICAL} >>> a[href*=storms]", opener=".md-search__button"),
         link="article a[href*='lamps/']"),
    Site("pdoc", "pdoc", pdoc, Search("input[type=search]", ".search-result a[href*=storms], a[href*=storms]", heading="handbook.storms"),
         start="/handbook.html", heading="handbook", link="a[href*='lamps']", target="handbook.lamps"),
    Site("pydoctor", "pydoctor", pydoctor, Search("#search-box", "#search-results a[href*=storms]", word="storms", heading="handbook.storms"),
         start="/handbook.html", heading="handbook", link="#splitTables a[href*='lamps'], a[href='handbook.lamps.html']", target="handbook.lamps",
         absent=tuple(f"/fonts/glyphicons-halflings-regular.{suffix}" for suffix in ("eot", "eot?", "woff2", "woff", "ttf", "svg"))),
    Site("pelican", "Pelican", pelican, None, heading="Lighthouse handbook", link="a[href$='lamps.html']"),
    Site("yard", "YARD", yard, None, heading="Lighthouse handbook", link="#content a[href$='Lamp.html']", target="Class: Handbook::Lamp"),
    Site("asciidoctor", "Asciidoctor", asciidoctor, None),
    Site("swagger", "Swagger UI", using(
        viewer, "drf-spectacular-sidecar", ["swagger-ui-bundle.js", "swagger-ui.css"], "<link rel=stylesheet href=swagger-ui.css><script src=swagger-ui-bundle.js></script>",
        "<div id=ui></div><script>SwaggerUIBundle({url: './api/openapi.json', dom_id: '#ui'})</script>"), None, link="#go"),
    Site("redoc", "Redoc", using(
        viewer, "drf-spectacular-sidecar", ["redoc.standalone.js"], "", "<redoc spec-url=api/openapi.json></redoc><script src=redoc.standalone.js></script>"), None, link="#go", absent=("/redoc/logo-mini.svg",)),
    Site("rapidoc", "RapiDoc", using(
        viewer, "flask-openapi3-rapidoc", ["rapidoc-min.js"], "<script type=module src=rapidoc-min.js></script>",
        "<rapi-doc spec-url=api/openapi.json load-fonts=false></rapi-doc>"
        "<script>document.querySelector('rapi-doc').addEventListener('spec-loaded', event => document.body.insertAdjacentHTML("
        "'beforeend', `<h1>${event.detail.info.title}</h1>`))</script>"), None, link="#go"),
    Site("astro", "Astro", fixture, BY_HAND, link="main a[href$='/lamps/']", routed=True),
]


def small_site(name, tool, files, search=None, **facts):
    if not search and any("id=search" in str(text) for text in files.values()):
        search = {"field": "#search input", "result": "#search a"}
    facts = {"link": "main a[href*=lamps]", **facts}
    return Site(name, tool, small, Search(**search) if search else None, is_small=True, **facts)


SITES += [small_site(name, tool, files, **facts) for name, (tool, files, facts) in SMALL.items()]


class Origin:
    """A server of a folder for as long as the block lasts, as hosts of static sites serve it. Counts what it answers."""

    def __init__(self, address, folder, application=False):
        self.answers = answers = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            extensions_map = {
                **http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".mjs": "text/javascript",
                ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".woff2": "font/woff2",
            }

            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(folder))

            def translate_path(self, path):
                # '/lamps' is the file 'lamps.html', even if there is a folder 'lamps'.
                found = super().translate_path(path)
                if application and not os.path.exists(found) and "." not in path.rpartition("/")[2]:
                    return os.path.join(str(folder), "index.html")
                page = found.rstrip("/") + ".html"
                return page if not os.path.isfile(found) and not path.endswith("/") and os.path.isfile(page) else found

            def list_directory(self, path):
                self.send_error(404)

            def send_error(self, code, message=None, explain=None):
                page = pathlib.Path(folder) / "404.html"
                if code != 404 or not page.is_file():
                    super().send_error(code, message, explain)
                    return
                body = page.read_bytes()
                self.send_response(404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def end_headers(self):
                self.send_header("Access-Control-Allow-Origin", "*")
                super().end_headers()

            def log_request(self, code="-", size="-"):
                answers.append((self.path, int(code)))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://{address}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


# The paths of links within the site on the start page, as scripts of the page know them.
PATHS = """[...new Set([...document.querySelectorAll('a[href]')].map(a => new URL(a.href))
    .filter(url => url.origin == location.origin && !url.hash && url.pathname != location.pathname && /(\\/|\\.html?|\\/[^.]*)$/.test(url.pathname))
    .map(url => url.pathname + url.search))].slice(0, 3)"""
TEXT_OF_PAGE = "document.readyState == 'complete' && document.body.innerText.replace(/\\s+/g, ' ')"


def read(tab, site, origin, pictures, texts=None, is_sandboxed=False):
    """Does what a reader does, and returns the steps that failed with the reasons.

    In a sandbox, scripts report what they may not do, and have no search.

    `texts` are those of the pages behind the first links: the site's own are noted there, others must be the same.
    """
    failed = {}

    def wait(text, purpose):
        heading = f"h => h.textContent.trim().startsWith({json.dumps(text)})"
        tab.wait(f"[...document.querySelectorAll('h1, .title')].some({heading})", f"{purpose} shows the heading '{text}'")

    def step(name, action):
        before = len(tab.problems)
        try:
            action()
        except PageError as error:
            failed[name] = [str(error)]
        if not is_sandboxed:
            failed.setdefault(name, []).extend(
                problem for problem in tab.problems[before:] if not any(path in problem for path in (ICON, *site.absent))
            )
        tab.picture(WORK / "shots" / site.name / f"{pictures}-{name}.png")

    def start():
        tab.open(origin + site.start)
        wait(site.heading, "the start page")

    def navigation():
        tab.wait(site.ready, "the start page's scripts are ready")
        tab.evaluate("window.__kept = true")
        tab.click(site.link)
        wait(site.target, "the page of the link")
        tab.wait("document.readyState == 'complete'", "the page of the link is loaded")
        if site.routed and not tab.evaluate("window.__kept"):
            raise PageError("the link loaded another page, instead of letting a script show it")

    def reload():
        address = tab.evaluate("location.href")
        tab.open("about:blank")
        # It may lead elsewhere, and the scripts of some sites change the address.
        tab.navigate(address)
        wait(site.target, "the page of the link, opened by its address,")
        tab.wait("document.readyState == 'complete'", "the page of the link, opened by its address, is loaded")

    def search():
        tab.open(origin + site.start)
        if site.search.opener:
            tab.click(site.search.opener)
        if site.search.key:
            tab.type(site.search.key)
            focused = f"document.activeElement.matches({json.dumps(site.search.field)})"
            tab.wait(focused, f"the key '{site.search.key}' begins a search")
        else:
            tab.click(site.search.field)
        tab.type(site.search.word)
        if site.search.enter:
            tab.press_key("Enter")
        purpose = f"the search finds '{site.search.word}'"
        try:
            tab.find(site.search.result, purpose, patience=5)
        except PageError:
            # Some scripts ignore what was typed before they had the index. A reader types again.
            if not site.search.enter:
                tab.press_key("Backspace")
                tab.type(site.search.word[-1])
            tab.find(site.search.result, purpose)
        tab.picture(WORK / "shots" / site.name / f"{pictures}-results.png")
        tab.click(site.search.result)
        wait(site.search.heading, "the page of the search's result")
        tab.wait("document.readyState == 'complete'", "the page of the search's result is loaded")

    def links():
        tab.open(origin + site.start)
        wait(site.heading, "the start page")
        for path in list(texts) or tab.evaluate(PATHS):
            tab.open(origin + site.start)
            wait(site.heading, "the start page")
            tab.wait(site.ready, "the start page's scripts are ready")
            same = f"new URL(a.href).href == new URL({json.dumps(origin + path)}).href"
            find = f"[...document.querySelectorAll('a[href]')].find(a => {same})"
            tab.wait(find + "?.href", f"the start page has a link to '{path}'")
            before = tab.evaluate(TEXT_OF_PAGE)
            tab.evaluate(find + ".click()")
            if path in texts:
                tab.wait(f"{TEXT_OF_PAGE} == {json.dumps(texts[path])}", f"the page behind '{path}' has the text of the site's own", 10)
                continue
            with contextlib.suppress(PageError):
                tab.wait(f"location.pathname + location.search == {json.dumps(path)} && {TEXT_OF_PAGE}", f"the page behind '{path}'", 5)
            if tab.evaluate("location.pathname + location.search") != path:
                # A script of the page does something else.
                continue
            # What scripts write comes a little later.
            time.sleep(0.5)
            tab.wait(site.settled, f"the scripts of the page behind '{path}' are done")
            text = tab.wait(TEXT_OF_PAGE, f"the page behind '{path}' is loaded")
            # Of the start page under another address, nobody could say whether it was loaded.
            if text != before:
                texts[path] = text

    step("start", start)
    step("navigation", navigation)
    step("reload", reload)
    if texts is not None:
        step("links", links)
    if site.search and not is_sandboxed:
        step("search", search)
    return {name: reasons for name, reasons in failed.items() if reasons}


def afcache_package(site, origin, package):
    """Writes a package as AFCache's packagers did: each file by its path, and no media types."""
    dates = [email.utils.formatdate(when, usegmt=True) for when in (1332842400, 1332846000)]
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = [f"baseURL = {origin}/"] if site.fields == 5 else []
        for number, file in enumerate(sorted(site.root.rglob("*"))):
            if file.is_file():
                path = file.relative_to(site.root).as_posix()
                member = f"file-{number}" if site.fields == 5 else f"127.0.0.1/{path}"
                archive.write(file, member)
                lines.append(" ; ".join([f"{origin}/{path}", *dates, "NULL", member][:site.fields]))
        archive.writestr("manifest.afcache", "\n".join(lines) + "\n")
    return len(lines)


def crawl(program, site, origin):
    """Crawls the site, or packs it in another way, and loads it into a cache. Returns the report, and the status of each URL that the crawl requested."""
    package, report, cache = site.folder / "site.zip", site.folder / "report.json", site.folder / "cache"
    before = len(origin.answers)
    if site.fields:
        count = afcache_package(site, origin.url, package)
        run(program, "load", package, "--cache", cache, "--quiet")
        return {"totals": {"resources": count}, "failures": []}, {}
    if site.application:
        options = ["--base-url", origin.url, "--fallback", "index.html", "-o", package, "--quiet"]
        run(program, "pack", "--folder", site.root, *options)
        run(program, "load", package, "--cache", cache, "--quiet")
        files = sum(path.is_file() for path in site.root.rglob("*"))
        return {"totals": {"resources": files}, "failures": []}, {}
    run(program, "pack", origin.url + site.start, *site.options, "-o", package, "--report", report, "--quiet", allowed=(0, 5))
    answers = dict(origin.answers[before:])
    (site.folder / "requests.txt").write_text("".join(f"{status} {url}\n" for url, status in sorted(answers.items())))
    run(program, "load", package, "--cache", cache, "--quiet")
    return json.loads(report.read_text()), answers


@dataclasses.dataclass
class Form:
    """A way in which a browser without a proxy finds a packaged site."""

    name: str
    options: typing.Callable
    # The site's address, by its origin and the server, which is behind an nginx in some forms.
    address: typing.Callable
    has_nginx: bool = False
    # The sites that are read so, in a sandbox; all if none are named.
    sites: tuple = ()


def label(origin):
    """The label of an origin, which is an address with a port; docs/reference/serve.md."""
    host, port = origin.removeprefix("http://").split(":")
    return f"{host.replace('.', '-')}---{port}"


def free_ports(count):
    """The first of some consecutive ports that are free."""
    for _ in range(100):
        with contextlib.ExitStack() as stack:
            try:
                first = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
                for port in range(first + 1, first + count):
                    stack.enter_context(socket.create_server(("127.0.0.1", port)))
                return first
            except (OSError, OverflowError):
                continue
    raise BuildError(f"there are no {count} consecutive ports that are free")


def port_range():
    first = free_ports(PORTS)
    return ["--site-ports", f"{first}-{first + PORTS - 1}"]


# The sites that Firefox reads if none are named: one of each kind of work that is done for a browser without a proxy.
FIREFOX = ["sphinx-furo", "material", "docusaurus", "absolute-scripts", "policy", "two-hosts"]
# And those that another machine reads: static, with a router, with absolute links, with a policy, and two that use each other.
ANOTHER_HOST = ["sphinx-furo", "material", "docusaurus", "vitepress", "nuxt", "cms", "policy", "two-hosts"]
# And those that are read as folders: what generators write as HTML, without modules that a page needs.
FOLDER = [
    "sphinx-alabaster", "sphinx-furo", "sphinx-pydata", "sphinx-dirhtml", "sphinx-rtd", "mkdocs", "material", "mdbook", "pelican", "yard", "asciidoctor",
    "doxygen", "javadoc", "rustdoc", "pdoc", "docusaurus", "vitepress", "next-app", "nuxt", "gatsby", "sveltekit", "astro", "hugo-book", "jazzy",
    "redirects", "cms", "policy", "reader", "afcache-2", "afcache-5",
]
# The number of ports for sites: enough for the hosts of one package.
PORTS = 6
FORMS = [
    Form("by name", lambda origin: [], lambda origin, server: f"http://{label(origin)}.localhost:{server.port}"),
    Form("elsewhere", lambda origin: ["--server-name", "*.school.test"], lambda origin, server: f"http://{label(origin)}.school.test:{server.port}"),
    Form("by port", lambda origin: port_range(), lambda origin, server: re.search(re.escape(origin) + r" is at (\S+)/", server.said)[1]),
    Form("one site", lambda origin: ["--site", f"{origin}/"], lambda origin, server: server.url),
    # There, pages have neither an origin nor a root of their own, so most scripts can't work.
    Form("by path", lambda origin: [], lambda origin, server: f"{server.url}/{origin.partition('//')[2]}", sites=(
        "sphinx-alabaster", "sphinx-rtd", "mkdocs", "pelican", "yard", "asciidoctor", "doxygen", "javadoc", "afcache-2", "afcache-3", "afcache-5")),
]
# What another machine can use; there, localhost is that machine.
FORMS_FROM_ANOTHER_HOST = [form for form in FORMS if form.name in ("elsewhere", "by port", "one site")]
FORMS_FROM_ANOTHER_HOST.append(dataclasses.replace(FORMS_FROM_ANOTHER_HOST[-1], name="behind nginx", has_nginx=True))


class Offline:
    """'afcache serve' on a free port, for as long as the block lasts, and then what it could not answer."""

    def __init__(self, program, site, address, *options):
        self.log, self.missing, self.said = site.folder / "access.log", [], ""
        self.log.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [program, "serve", "--cache", site.folder / "cache", "--listen", address, "--port", "0", "--access-log", self.log, "--log-format", "json", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"(http://\S+:(\d+))/", line)
        if not found:
            raise BuildError(f"the server doesn't start: {line}")
        self.url, self.port = found[1], int(found[2])
        # The addresses of sites follow.
        while "--site-ports" in options and f"{site.origin} is at" not in self.said:
            line = self.process.stdout.readline()
            if not line:
                raise BuildError(f"the site has no port: {self.said}")
            self.said += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        for line in self.log.read_text().splitlines():
            entry = json.loads(line)
            if entry["status"] >= 400:
                self.missing.append((entry.get("url") or entry["target"], entry["status"]))


def sentences(failed, mode):
    for step, reasons in failed.items():
        for reason in dict.fromkeys(reasons):
            yield f"{mode}, {step}: {reason}"


@dataclasses.dataclass
class Result:
    site: Site
    version: str = "?"
    resources: int | None = None
    answers: dict = dataclasses.field(default_factory=dict)
    absent: int | None = None
    failed: set = dataclasses.field(default_factory=set)
    sentences: list = dataclasses.field(default_factory=list)
    # The pictures that aren't equal to those of the site itself, of so many that were compared.
    differing: list = dataclasses.field(default_factory=list)
    compared: int = 0
    # How many links, images and so on a reader of an export has looked at, by the browser and the step.
    looked_at: dict = dataclasses.field(default_factory=dict)

    def compare(self, mode):
        """Compares the pictures of pages, as long as nothing was typed, with those of the site itself, byte by byte."""
        folder = WORK / "shots" / self.site.name
        for step in ("start", "navigation", "reload"):
            own, other = (folder / f"{name.replace(' ', '-')}-{step}.png" for name in ("online", mode))
            self.compared += 1
            if own.read_bytes() != other.read_bytes():
                self.differing.append(f"{self.site.name}: {mode}, {step}")

    def row(self):
        steps = ["no" if step in self.failed else "yes" for step in ("start", "navigation", "search")]
        if not self.site.search:
            steps[2] = "–"
        missing = sum(status == 404 for status in self.answers.values())
        numbers = [self.resources, len(self.answers), self.absent, missing] if self.answers else ["–"] * 4
        return [self.site.name, f"{self.site.tool} {self.version}", *map(str, numbers), *steps]


def test(program, site, browser, online, pictures=None, proxied=True, here="127.0.0.1", forms=FORMS, exported={}):
    """Tests a site, from a server at the address `here`, which the browser reaches; or its export, in other browsers, by their names."""
    result = Result(site)
    try:
        shutil.rmtree(site.folder, ignore_errors=True)
        shutil.rmtree(WORK / "shots" / site.name, ignore_errors=True)
        site.folder.mkdir(parents=True)
        with Origin(here, site.root, site.application) as origin, Origin(here, site.second) as second:
            site.origin, site.other = origin.url, second.url
            result.version = site.build(site)
            if not online:
                report, answers = crawl(program, site, origin)
                result.answers = {url: status for url, status in answers.items() if url != "/robots.txt"}
                result.resources, result.absent = report["totals"]["resources"], report.get("absentGuesses", 0)
                for failure in report["failures"]:
                    if failure["url"].removeprefix(origin.url) in site.absent:
                        continue
                    result.sentences.append(f"crawl: '{failure['url']}' ({failure['importance']}): {failure['message']}")
            before, texts = len(origin.answers), {}
            with browser.tab() as tab:
                failed = read(tab, site, origin.url, "online", texts)
                if exported:
                    tab.open(origin.url + site.start)
                    tab.wait(site.ready, "the start page's scripts are ready")
                    online_facts = facts(tab)
            result.sentences += sentences(failed, "online")
            for url, status in dict.fromkeys(origin.answers[before:]):
                if status >= 400 and url not in (ICON, *site.absent):
                    result.sentences.append(f"online: '{url}' has status {status}")
            if online:
                result.failed = set(failed)
        if not online:
            servers = []
            # Without media types, a browser behind a proxy would download the pages.
            if proxied and not site.fields:
                with Offline(program, site, here) as offline, browser.tab(proxy=offline.url) as tab:
                    if pictures:
                        tab.resize(*PICTURE)
                    failed = read(tab, site, origin.url, "offline", texts)
                    if pictures and not failed:
                        shutil.copy(WORK / "shots" / site.name / "offline-results.png", pictures / f"{site.name}.png")
                result.failed = set(failed)
                result.sentences += sentences(failed, "offline")
                if not pictures:
                    result.compare("offline")
                servers.append((offline, "offline"))
            made = [make(program, site.folder / "site.zip", site.folder / "folder", "--quiet") for make in (Folder, File)] if exported else []
            for form, (name, reading) in itertools.product(made, exported.items()):
                mode, failed = f"{form.name} in {name}", {}
                if form.name == "folder":
                    with reading.tab() as tab:
                        # Addresses end in the name of a file, and no script shows a page.
                        link = re.sub(r"\$='/?([^']*)'", r"*='\1'", site.link)
                        failed = read(tab, dataclasses.replace(site, start="", routed=False, link=link), form.start, mode.replace(" ", "-"), None, is_sandboxed=True)
                with reading.tab() as tab:
                    more, result.looked_at[mode] = Reader(tab, form, online_facts, re.split(r"\W", site.target)[-1]).read()
                for step, reasons in more.items():
                    failed.setdefault(step, []).extend(reasons)
                result.failed |= set(failed)
                result.sentences += sentences(failed, mode)
                if reading is browser and form.name == "folder":
                    result.compare(mode)
            for form in forms:
                if form.sites and site.name not in form.sites:
                    continue
                with contextlib.ExitStack() as stack:
                    server = stack.enter_context(Offline(program, site, here, *form.options(origin.url)))
                    if form.has_nginx:
                        port = free_ports(1)
                        stack.enter_context(nginx_before(server.url, here, port, site.folder))
                        server.url = f"http://{here}:{port}"
                    tab = stack.enter_context(browser.tab())
                    failed = read(tab, site, form.address(origin.url, server), form.name.replace(" ", "-"), texts, is_sandboxed=bool(form.sites))
                    own = re.compile(rf"https?://({re.escape(here)}|[^/:]+\.localhost|[^/:]+\.school\.test):(\d+)/")
                    elsewhere = [url for url in tab.requested if url.startswith("http") and not own.match(url)]
                result.failed |= set(failed)
                result.sentences += sentences(failed, form.name)
                result.compare(form.name)
                result.sentences += [f"{form.name}: '{url}' was requested" for url in dict.fromkeys(elsewhere)]
                servers.append((server, form.name))
            for server, mode in servers:
                for url, status in dict.fromkeys(server.missing):
                    place = url.removeprefix(origin.url)
                    if place.startswith("/") and not place.endswith((ICON, *site.absent)):
                        result.sentences.append(f"{mode}: '{place}' has status {status}")
    except (BuildError, PageError) as error:
        result.failed = {"start", "navigation", "search"}
        result.sentences.append(str(error))
    return result


def main():
    program, *names = sys.argv[1:]
    if names[:1] == ["--list"]:
        print("\n".join(site.name for site in SITES))
        return 0
    online = names[:1] == ["--online"]
    pictures = pathlib.Path(names[1]).resolve() if names[:1] == ["--pictures"] else None
    firefox, another_host, exported = (names[:1] == [option] for option in ("--firefox", "--another-host", "--exported"))
    names = names[1:] if online or firefox or another_host or exported else names[2:] if pictures else names
    if firefox and not names:
        names = FIREFOX
    if another_host and not names:
        names = ANOTHER_HOST
    if exported and not names:
        names = FOLDER
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    unknown = set(names) - {site.name for site in SITES}
    if unknown:
        print(f"test-sites: there is no site '{unknown.pop()}'; see 'scripts/test-sites --list'", file=sys.stderr)
        return 64
    results = []
    profile = WORK / "browser"
    shutil.rmtree(profile, ignore_errors=True)
    with contextlib.ExitStack() as stack:
        if firefox:
            # It needs a package of PyPI, which the other runs don't.
            from firefox import Firefox
            browser = Firefox(profile)
        elif another_host:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            browser = Browser(profile, HERE, stack.enter_context(AnotherHost()).enter)
        else:
            browser = Browser(profile)
        stack.enter_context(browser)
        place = {"here": HERE, "forms": FORMS_FROM_ANOTHER_HOST} if another_host else {}
        if exported:
            from firefox import Firefox
            shutil.rmtree(WORK / "firefox", ignore_errors=True)
            place = {"forms": [], "exported": {"Chromium": browser, "Firefox": stack.enter_context(Firefox(WORK / "firefox"))}}
        for site in SITES:
            if not names or site.name in names:
                results.append(test(program, site, browser, online, pictures, not firefox and not exported, **place))
                print(f"{site.name}: {'; '.join(results[-1].sentences[:1]) or 'works'}", file=sys.stderr)
    head = ["site", "tool", "resources", "requests", "absent guesses", "404", "start", "navigation", "search"]
    rows = [head, *(result.row() for result in results)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    found = [(result.site, f"{result.site.name}: {sentence}") for result in results for sentence in result.sentences]
    known = [sentence for site, sentence in found if site.limit and re.search(site.limit, sentence)]
    failures = [sentence for _, sentence in found if sentence not in known]
    urls = sum(len(result.answers) for result in results)
    absent = sum(result.absent or 0 for result in results)
    if urls:
        print(f"{absent} of {urls} requests of the crawls were guesses that the sites don't have ({absent / urls:.1%})")
    for result in results:
        if (result.absent or 0) > (MOST_ABSENT_SMALL if result.site.is_small else MOST_ABSENT):
            failures.append(f"{result.site.name}: {result.absent} requests of the crawl were wrong guesses")
    if compared := sum(result.compared for result in results):
        differing = [name for result in results for name in result.differing]
        print(f"{compared - len(differing)} of {compared} pictures are equal to those of the sites themselves", *differing, sep="\n    ")
    if exported:
        for mode in dict.fromkeys(mode for result in results for mode in result.looked_at):
            done = [result.looked_at.get(mode, {}) for result in results]
            counts = {step: [counts.get(step, 0) for counts in done] for step in dict.fromkeys(step for counts in done for step in counts)}
            print(f"{mode}: " + ", ".join(f"{step.replace('_', ' ')} {sum(numbers)} on {sum(map(bool, numbers))} sites" for step, numbers in counts.items()))
    for sentence in known:
        print(f"known limit: {sentence}")
    for sentence in failures:
        print(sentence)
    print(f"{len(failures)} failures in {len(results)} sites")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
