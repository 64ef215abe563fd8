"""The proofs of scripts/test-exports, which installs and builds everything that this program needs.

usage: scripts/test_exports.py ways PROGRAM [WAY]...
       scripts/test_exports.py names|scripts|media PROGRAM
"""

import argparse
import contextlib
import email.utils
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import wave
import zipfile

import folded_names
from chromium import Browser
from exported_form import File, Folder, FolderWithoutScripts
from hostile_site import HOME, KINDS, WAYS, answer, answer_elsewhere
from page import PageError
from scripted_site import FILES, NOTES, TEXT
from watched_network import WatchedNetwork

# How long each page is watched, and all after the last one, in seconds.
PAUSE, END = 0.4, 3
# The number of pages that a tab opens.
TAB = 10
# The number of hostile addresses whose names are compared.
NAMES = 3_000
# The forms of an export, by name.
FORMS = {form.name: form for form in (Folder, FolderWithoutScripts, File)}


class Site:
    """The hostile site on its server, as opposed to an export of it."""

    name = "server"

    def inside(self, tab):
        return tab

    def open_start(self, tab):
        tab.open(f"http://{HOME}/")

    def follow(self, tab, selector):
        tab.click(selector)

    def strange(self, tab):
        """A site has nothing outside its pages."""


def browsers(folder):
    from firefox import Firefox
    return {
        "Chromium": lambda name: Browser(folder / f"chromium-{name}", address=None),
        "Firefox": lambda name: Firefox(folder / f"firefox-{name}", resolves=True),
    }


def try_way(tab, form, way, problems):
    try:
        form.open_start(tab)
        form.follow(tab, f"#{way.name}")
        # A page that leads elsewhere at once never becomes complete.
        with contextlib.suppress(PageError):
            form.inside(tab).wait("document.readyState == 'complete'", patience=2)
        if way.clicks:
            form.follow(tab, "#go")
    except PageError as error:
        problems.append(f"{form.name}, {way.name}: {error}")
    time.sleep(PAUSE + way.patience)
    if address := form.strange(tab):
        problems.append(f"{form.name}, {way.name}: the export's own link leads to '{address}'")


def got_out(form, browser, ways, network):
    """Opens the page of each way, and returns what it tried to send, by the way, and what nobody's page did."""
    found, others, problems = {way.name: set() for way in ways}, set(), []
    hosts = {way.host: way.name for way in ways}
    network.taken()
    tabs = contextlib.ExitStack()
    for number, way in enumerate(ways):
        if number % TAB == 0:
            tabs.close()
            tab = tabs.enter_context(browser.tab())
        try_way(tab, form, way, problems)
        if number == len(ways) - 1:
            time.sleep(END)
            tabs.close()
        for attempt in network.taken():
            name = hosts.get(attempt.target)
            if name:
                found[name].add(attempt.kind)
            elif attempt.target.endswith(f".{HOME}") or attempt.target == HOME:
                if form.name != "server":
                    found[way.name].add(f"{attempt.kind} to the site")
            elif attempt.target == "224.0.0.251:5353":
                # WebRTC announces a name to the local network, which Chromium repeats.
                found.get("webrtc", set()).add("announcement")
            elif attempt.kind == "datagram":
                found[way.name].add(f"datagram to {attempt.target}")
            else:
                others.add(f"{attempt.kind} {attempt.target}")
    return found, others, problems


def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def test_ways(program, folder, names, forms):
    ways = [way for way in WAYS if not names or way.name in names]
    known = dict.fromkeys([HOME, *(way.host for way in WAYS)])

    def respond(host, path):
        return answer(path) if host == HOME else answer_elsewhere(path)

    results, problems, others = {}, [], set()
    with WatchedNetwork(folder, known, respond) as network:
        package = folder / "hostile.zip"
        done = subprocess.run(
            [program, "pack", f"http://{HOME}/", "-o", package, "--quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )
        if not package.exists():
            sys.exit(f"test-exports: 'pack' ended with {done.returncode}: {done.stderr.strip()[-1000:]}")
        made = [Site(), *(FORMS[name](program, package, folder / name) for name in forms)]
        for name, start in browsers(folder).items():
            for form in made:
                with start(form.name) as browser:
                    results[name, form.name], more, failed = got_out(form, browser, ways, network)
                # Unlike those of an export, the site's own pages may lead away before anything can be clicked.
                if form.name != "server":
                    problems += [f"{name}, {problem}" for problem in failed]
                others |= {f"{name}: {item}" for item in more}
    failures = []
    rows = [["way", "kind", *(f"{name}, {form}" for name, form in results)]]
    for way in ways:
        cells = []
        for (name, form), found in results.items():
            cells.append(", ".join(sorted(found[way.name])) or "–")
            if form != "server" and (more := found[way.name] - way.allowed(FORMS[form].has_scripts) - FORMS[form].known):
                failures.append(f"{name}, {form}: '{way.name}' tried: {', '.join(sorted(more))}")
        rows.append([way.name, way.kind, *cells])
        if way.open and not names and not any(found[way.name] for (_, form), found in results.items() if form != "server"):
            problems.append(f"'{way.name}' doesn't get out any more, although {way.open}")
    table(rows)
    for item in sorted(others):
        print(f"the browser's own: {item}")
    for (name, form), found in results.items():
        count = sum(bool(found[way.name]) for way in ways)
        stopped = sum(not found[way.name] and bool(results[name, "server"][way.name]) for way in ways)
        print(f"{name}, {form}: {count} of {len(ways)} ways in {len({way.kind for way in ways})} kinds get out" + (f", {stopped} are stopped" if form != "server" else ""))
    for sentence in [*problems, *failures]:
        print(sentence)
    print(f"{len(failures)} ways out that should be closed, {len(problems)} other problems")
    return 1 if failures or problems else 0


# Parts of names that are the same for some file systems, or that have a meaning for one.
PARTS = [
    "a", "A", "i", "I", "\u0131", "\u0130", "\u00df", "\u1e9e", "SS", "ss", "\u017f", "\ufb01", "fi", "FI", "\ufb06", "st", "\u0149", "\u00e9", "e\u0301",
    "E\u0301", "\u212b", "\u00c5", "\u212a", "k", "\u03a3", "\u03c3", "\u03c2", "\u00b5", "\u03bc", "\u1fb3", "\u03b1\u0345", "\u0391\u0399", "\u2126", "\u03c9",
    "\u01c4", "\u01c5", "\uab70", "\u13a0", "\u0587", "\u00ad", "\u034f", "\ufe0f", "\u200d", "\u115f", "\uac00", "\u1100\u1161", ".", "..", " ", ":", "\\", "\0", "?", "*",
    "CON", "nul", "COM\u00b9", "lpt1", "aux.", "~1", "LONGNA~1", "-2", "_", ".html", ".HTML", ".lnk", ".url", "/..", "/", "%2f", "\u202e", "\U0001f600", "x" * 90, "\u65e5" * 40,
]


def hostile_package(path, count):
    """Writes a package with many names; each body is another one."""
    generator, urls = random.Random(40), {}
    while len(urls) < count:
        name = "".join(generator.choice(PARTS) for _ in range(generator.randint(1, 4)))
        host = generator.choice(["d.example", "d.example:8443", "_afcache", "index.html", "xn--strae-oqa.example"])
        # As a URL is normalized, so that none occurs twice.
        urls[urllib.parse.urljoin(f"https://{host}/", f"./{urllib.parse.quote(name)}")] = None
    dates = [email.utils.formatdate(when, usegmt=True) for when in (1332842400, 1332846000)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = []
        for number, url in enumerate(urls):
            archive.writestr(f"file-{number}", f"body {number}\n")
            lines.append(" ; ".join([url, *dates, "NULL", f"file-{number}"]))
        archive.writestr("manifest.afcache", "\n".join(["baseURL = https://d.example/", *lines]) + "\n")


def copied(source, target):
    """Copies a folder; returns the files that are there already, or can't be made or read again."""
    problems = []
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        try:
            if path.is_dir():
                place.mkdir(exist_ok=True)
            else:
                with place.open("xb") as file:
                    file.write(path.read_bytes())
        except OSError as error:
            problems.append(f"'{path.relative_to(source)}': {error.strerror}")
    return problems or [f"'{path.relative_to(source)}' changed" for path in source.rglob("*") if path.is_file() and (target / path.relative_to(source)).read_bytes() != path.read_bytes()]


def test_names(program, folder, _, forms):
    package, out, twice = folder / "names.zip", folder / "out", folder / "twice"
    hostile_package(package, NAMES)
    said = json.loads(Folder(program, package, out, "--json").said)
    # A page gets a policy before its text.
    bodies = {int(found[1]) for path in out.rglob("*") if path.is_file() and (found := re.search(rb"body (\d+)\n", path.read_bytes()))}
    failures = [f"'body {number}' is missing" for number in range(NAMES) if number not in bodies]
    beside = sorted(path.name for path in folder.iterdir())
    if beside != ["names.zip", "out"]:
        failures.append(f"beside the folder are {beside}")
    longest = max(len(str(path.relative_to(out)).encode()) for path in out.rglob("*"))
    print(f"{said['files']} files of {NAMES} hostile addresses; the longest path has {longest} bytes")
    # Names that collide, to see that each check notices some.
    for name in ("d/Stra\u00dfe.txt", "d/STRASSE.txt", "d/a.txt", "d/A.txt"):
        (twice / name).parent.mkdir(parents=True, exist_ok=True)
        (twice / name).write_text(name)
    checks = {"by Python's case folding, upper case, and Windows' rules": folded_names.collisions, "in ext4 with casefold, by e2fsck": lambda top: folded_names.ext4(top, folder)}
    for name, check in checks.items():
        if not check(twice):
            failures.append(f"{name}: the check doesn't notice names that collide")
        found = check(out)
        print(f"{name}: {len(found)} collisions")
        failures += [f"{name}: {item}" for item in found[:10]]
    for kind, what in (("NTFS", "in NTFS that ignores case and refuses what Windows refuses"), ("ext4", "in a mounted ext4 with casefold")):
        try:
            with folded_names.mounted(kind, folder) as top:
                (top / "twice").mkdir()
                if not copied(twice, top / "twice"):
                    failures.append(f"{what}: the check doesn't notice names that collide")
                (top / "copy").mkdir()
                found = copied(out, top / "copy")
                # And exported to it, as to a stick.
                Folder(program, package, top / "out")
                count = sum(path.is_file() for path in (top / "out").rglob("*"))
                if count != sum(path.is_file() for path in out.rglob("*")):
                    failures.append(f"{what}: the export has {count} files there")
        except (OSError, PageError) as error:
            if isinstance(error, PageError):
                failures.append(f"{what}: {error}")
            print(f"{what}: skipped, since {error}")
            continue
        print(f"{what}: {len(found)} collisions")
        failures += [f"{what}: {item}" for item in found[:10]]
    for sentence in failures:
        print(sentence)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


def test_scripts(program, folder, _, forms):
    for name, text in FILES.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text)
    package, failures = folder / "scripts.zip", []
    subprocess.run([program, "pack", "--folder", folder / "in", "--base-url", "https://d.example/", "-o", package, "--quiet"], check=True)
    form = File(program, package, folder / "scripts")
    for name, start in browsers(folder).items():
        with start("scripts") as browser, browser.tab() as tab:
            try:
                form.open_start(tab)
                page, count = form.inside(tab), "document.title != 'Inner' && window.log && window.log.length"
                with contextlib.suppress(PageError):
                    page.wait(f"{count} >= {len(NOTES)}", patience=15)
                found = page.evaluate("window.log") or []
                failures += [f"{name}: missing: {item}" for item in sorted(NOTES - set(found))]
                failures += [f"{name}: unexpected: {item}" for item in found if item not in NOTES or found.count(item) > 1]
                if not (text := page.evaluate("document.body.innerText.trim()") or "").startswith(TEXT):
                    failures.append(f"{name}: the page begins with '{text[:60]}'")
                form.follow(tab, "#part-link")
                page.wait("window.log.includes('hashchange:  #part') && document.querySelector(':target') && scrollY > 500", "a link to a part scrolls there")
                form.open_start(tab)
                form.follow(tab, "#guide")
                # A server would redirect to the folder.
                tab.wait(f"({form.place}) == 'https://d.example/guide/'", "a link without a slash leads to the page")
                tab.evaluate("setTimeout(() => history.back())")
                tab.wait(f"({form.place}) == 'https://d.example/'", "'back' leads to the start page")
            except PageError as error:
                failures.append(f"{name}: {error}")
    for sentence in failures:
        print(sentence)
    print(f"{len(NOTES)} notes of scripts in two browsers, {len(failures)} failures")
    return 1 if failures else 0


def tone(length):
    """A second of sound, with waves of a length."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes(128 + 60 * (number // length % 2) for number in range(8000)))
    return file.getvalue()


def test_media(program, folder, _, forms):
    site, package, failures = folder / "in", folder / "media.zip", []
    site.mkdir()
    (site / "it's a tone.wav").write_bytes(tone(10))
    (site / "film.wav").write_bytes(tone(20))
    (site / "index.html").write_text("<!doctype html><meta charset=utf-8><title>Media</title><h1>Media</h1><audio controls src=\"it's a tone.wav\"></audio>"
        "<video><source src=film.wav></video><a id=file href=film.wav>The sound of it</a>")
    subprocess.run([program, "pack", "--folder", site, "--base-url", "https://d.example/", "-o", package, "--quiet"], check=True)
    made = {"inside": File(program, package, folder / "inside"), "beside": File(program, package, folder / "beside", "--media-beside")}
    files = sorted(path.name for path in (folder / "beside.media").rglob("*") if path.suffix in (".wav",))
    if len(files) != 2 or (folder / "inside.media").exists():
        failures.append(f"the folder beside has {files}")
    plays = "(media => media && media.readyState >= 1 && Math.round(media.duration) == 1)"
    for name, start in browsers(folder).items():
        with start("media") as browser:
            for where, form in made.items():
                with browser.tab() as tab:
                    try:
                        form.open_start(tab)
                        page = form.inside(tab)
                        if where == "inside":
                            for kind in ("audio", "video"):
                                page.wait(f"{plays}(document.querySelector('{kind}'))", f"the {kind} can be played")
                        else:
                            page.wait("document.querySelectorAll('button').length == 2", "the page has a button for each")
                            for number, kind in enumerate(("audio", "video")):
                                page.evaluate(f"document.querySelectorAll('button')[{number}].click()")
                                tab.wait(f"{plays}(document.querySelector('dialog audio'))", f"the {kind} beside the file can be played")
                                # After a click of the mouse, Firefox would play the next one, which fails without a sound device.
                                tab.evaluate("document.querySelector('dialog button').click()")
                                tab.wait("!document.querySelector('dialog')", "the player is closed")
                            # A frame can't load the file by itself.
                            address = json.dumps((folder / "beside.media").resolve().as_uri() + "/d.example/film.wav")
                            page.evaluate(f"window.own = new Audio(); own.onerror = () => {{ own.failed = true }}; own.src = {address}; own.load()")
                            time.sleep(2)
                            if page.evaluate("own.readyState"):
                                failures.append(f"{name}: a frame loads a file")
                        form.follow(tab, "#file")
                        where_shown = tab if where == "beside" else form.inside(tab)
                        where_shown.wait(f"{plays}(document.querySelector('audio'))", "a link to a sound plays it")
                    except PageError as error:
                        failures.append(f"{name}, {where}: {error}")
    for sentence in failures:
        print(sentence)
    print(f"two media inside and beside a file in two browsers, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["ways", "names", "scripts", "media"])
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    unknown = set(arguments.names) - {way.name for way in WAYS}
    if unknown:
        sys.exit(f"test-exports: there is no way '{unknown.pop()}'")
    part = {"ways": test_ways, "names": test_names, "scripts": test_scripts, "media": test_media}[arguments.part]
    with tempfile.TemporaryDirectory() as folder:
        return part(program, pathlib.Path(folder), arguments.names, list(FORMS))


if __name__ == "__main__":
    sys.exit(main())
