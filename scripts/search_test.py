"""Searches a package in Chromium, by keyboard alone; see scripts/search-test."""

import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import chromium
from listening import wait_until_listening

HOST = "docs.example"
# The label of its origin, as docs/reference/serve.md has it.
NAME = "docs-example"
# What is searched for, and a page that must be among the first three.
SEARCHES = [
    ("asyncio gather", "/3/library/asyncio-task.html"),
    ("list comprehensions", "/3/tutorial/datastructures.html"),
    ("argparse subcommands", "/3/library/argparse.html"),
    ("os.path.join", "/3/library/os.path.html"),
    ("walrus operator", "/3/whatsnew/3.8.html"),
    ("json module", "/3/library/json.html"),
    ("regular expression", "/3/library/re.html"),
    ("virtual environment", "/3/library/venv.html"),
]

problems = []


def check(purpose, is_right, found=""):
    print(f"{'ok  ' if is_right else 'FAIL'} {purpose}" + (f": {found}" if found and not is_right else ""), flush=True)
    if not is_right:
        problems.append(purpose)


def found(address, words):
    """The paths of the pages that a search finds, and the seconds that it took."""
    start = time.monotonic()
    with urllib.request.urlopen(f"http://{address}/.afcache/search?q={urllib.parse.quote_plus(words)}") as answer:
        page = answer.read().decode()
    seconds = time.monotonic() - start
    places = [line.split(">")[1].split("<")[0] for line in page.splitlines() if line.startswith('<p class="place">')]
    return [urllib.parse.urlsplit(place).path for place in places], seconds


def press(tab, key):
    """Presses a key that types nothing."""
    codes = {"ArrowDown": 40, "ArrowUp": 38, "Escape": 27, "Tab": 9, "Enter": 13}
    for kind in ("rawKeyDown", "keyUp"):
        tab.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key])


def read_by_keyboard(tab, home):
    tab.open(home)
    check("the home page shows the site", "Documentation" in tab.evaluate("document.querySelector('.sites a.title').textContent"))
    tab.type("/")
    check("'/' goes to the field", tab.evaluate("document.activeElement.id") == "query")
    check("'/' isn't typed", tab.evaluate("document.activeElement.value") == "")
    tab.type("asyncio ta")
    tab.wait("!document.getElementById('suggestions').hidden", "suggestions are shown")
    check("the field is a combobox that is open", tab.evaluate(
        "document.activeElement.getAttribute('role') + document.activeElement.getAttribute('aria-expanded')") == "comboboxtrue")
    press(tab, "ArrowDown")
    press(tab, "ArrowDown")
    press(tab, "ArrowUp")
    chosen = tab.evaluate("document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.id")
    check("arrows choose a suggestion", chosen == "suggestion-0", chosen)
    press(tab, "Escape")
    check("Escape closes the suggestions", tab.evaluate("document.getElementById('suggestions').hidden"))
    check("Escape keeps the text", tab.evaluate("document.activeElement.value") == "asyncio ta")
    press(tab, "ArrowDown")
    tab.wait("!document.getElementById('suggestions').hidden", "the arrow opens the suggestions again")
    press(tab, "ArrowDown")
    tab.press_key("Enter")
    tab.wait(f"location.host.startsWith('{NAME}.localhost')", "Enter opens the suggestion")
    tab.open(home)
    tab.type("/")
    tab.type("list comprehensions")
    tab.press_key("Enter")
    tab.wait("document.querySelectorAll('.results li').length", "Enter without a choice shows the results")
    check("the words are marked", tab.evaluate("document.querySelector('.results mark') != null"))
    for _ in range(12):
        press(tab, "Tab")
        if tab.evaluate("document.activeElement.closest('.results') != null"):
            break
    outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    check("Tab reaches a result, and the focus is visible", outline == "solid", outline)
    tab.press_key("Enter")
    tab.wait(f"location.host.startsWith('{NAME}.localhost')", "Enter opens the result")


def look(tab, home, pictures):
    port = home.split(":")[-1].strip("/")
    pages = [
        ("home", home), ("search", f"{home}.afcache/search?q=asyncio+gather"),
        ("missing", f"http://{NAME}.localhost:{port}/3/library/asyncio-tasks.html"),
        ("nothing", f"{home}.afcache/search?q=zzzqqq"),
    ]
    for theme in ("light", "dark"):
        tab.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        for width in (1280, 390):
            tab.resize(width, 900)
            for name, url in pages:
                tab.open(url)
                wide = tab.evaluate("document.documentElement.scrollWidth > innerWidth")
                check(f"{name}, {theme}, is not wider than {width} pixels", wide is False)
                if pictures:
                    tab.picture(pathlib.Path(pictures, f"{name}-{theme}-{width}.png"))
            if pictures and width == 390:
                tab.open(home)
                tab.type("/")
                tab.type("asyncio")
                tab.wait("!document.getElementById('suggestions').hidden", "suggestions are shown")
                press(tab, "ArrowDown")
                tab.picture(pathlib.Path(pictures, f"suggestions-{theme}.png"))


def main(afcache, folder, pictures=None):
    with tempfile.TemporaryDirectory() as scratch:
        run = lambda *arguments: subprocess.run([afcache, *arguments], check=True, cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run("pack", "--folder", folder, "--base-url", f"https://{HOST}/3/", "-o", "python.zip")
        run("load", "python.zip", "--search-index", "--cache", "cache")
        server = subprocess.Popen([afcache, "serve", "--cache", "cache", "--port", "0"], cwd=scratch, stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split("//")[1].strip(" /\n")
            wait_until_listening(server, address)
            home = f"http://{address}/"
            for words, wanted in SEARCHES:
                paths, seconds = found(address, words)
                check(f"'{words}' finds {wanted} among the first three", wanted in paths[:3], paths[:5])
                print(f"     {1000 * seconds:.0f} ms", flush=True)
            with chromium.Browser(pathlib.Path(scratch, "profile")) as browser, browser.tab() as tab:
                read_by_keyboard(tab, home)
                for problem in tab.problems:
                    # Pages of the package may report what is theirs.
                    check("the server's pages report no error", "/.afcache/" not in problem and "Content Security" not in problem, problem)
                look(tab, home, pictures)
        finally:
            server.terminate()
            server.wait()
    if problems:
        sys.exit(f"{len(problems)} problems")


main(*sys.argv[1:])
