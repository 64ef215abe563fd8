"""Packs the site of scripts/docc, and reads it offline in Chromium; see scripts/test-docc.

test_docc.py PROGRAM SITE FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import zipfile

from chromium import Browser, PageError
from make_pictures import Server

BASE = "http://docc.example/"
HEADING = "document.querySelector('h1')?.innerText.replaceAll('\\u200b', '').trim()"


def read(tab, site):
    """Reads the site as a stranger does."""
    # The page at the root leads to the list of modules.
    tab.send("Page.navigate", url=site)
    tab.wait(f"location.pathname.startsWith('/documentation') && {HEADING} == 'afcache'", "the start page has its title")
    tab.wait("document.body.innerText.includes('AFCache') && document.body.innerText.includes('AFCLinter')", "it lists the modules")
    tab.picture(pathlib.Path("start.png"))
    tab.click("main a[href$='/documentation/afcache/'], main a[href$='/documentation/afcache']")
    tab.wait(f"{HEADING} == 'AFCache' && document.title.startsWith('AFCache')", "the module has its title")
    tab.wait("document.body.innerText.includes('serves whole websites from packages')", "the module has its summary")
    tab.click("main a[href$='/documentation/afcache/afcache']")
    tab.wait(f"{HEADING} == 'AFCache' && document.title.startsWith('AFCache')", "the symbol has its title")
    tab.wait("document.querySelector('main').innerText.includes('final class AFCache')", "the symbol has its declaration")
    # Its address works by itself, without the slash at the end that the file's folder has.
    tab.send("Page.navigate", url=site + "documentation/afcache/afcache/isoffline")
    tab.wait(f"{HEADING} == 'isOffline'", "an address of a symbol can be opened")
    # The list of all symbols at the side is data of its own.
    tab.open(site + "documentation/afccache/")
    tab.wait("document.querySelector('.navigator')?.innerText.includes('DiskCache')", "the navigator lists symbols")
    tab.open(site + "tutorials/tutorials/")
    tab.wait(f"{HEADING} == 'The web without a network'", "the tutorials have their page")
    tab.click("a[href$='/tutorials/afcache/offline-in-ten-minutes']")
    tab.wait(f"{HEADING} == 'Offline in ten minutes'", "a tutorial opens")
    tab.wait("document.body.innerText.includes('swift-tools-version') || document.body.innerText.includes('mkdir')", "it shows code")


def main():
    program, site, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    package, cache, log = work / "docc.zip", work / "cache", work / "access.log"
    # DocC's links to pages have no slash at the end; a web server would redirect them to the folders.
    subprocess.run([program, "pack", "--folder", site, "--base-url", BASE, "--clean-urls", "-o", package], check=True)
    subprocess.run([program, "load", package, "--cache", cache], check=True)
    with zipfile.ZipFile(package) as archive:
        urls = {urllib.parse.unquote(json.loads(line)["url"]) for line in archive.read(".afcache/resources.jsonl").decode().splitlines()}
    missing = [path for path in site.rglob("*") if path.is_file() and BASE + str(path.relative_to(site)) not in urls]
    if missing:
        sys.exit(f"test-docc: the package has no '{missing[0].relative_to(site)}', nor {len(missing) - 1} other files")
    with Server(program, cache, "--access-log", log) as server:
        origin = f"http://docc-example---80.localhost:{server.port}/"
        with Browser(work / "browser") as browser, browser.tab() as tab:
            try:
                read(tab, origin)
            except PageError as error:
                tab.picture(pathlib.Path("failed.png"))
                sys.exit("\n".join([f"test-docc: {error}", *tab.problems, *log.read_text().splitlines()[-20:]]))
            problems = tab.problems + [
                f"asks for '{url}' of another host" for url in tab.requested if not url.startswith((origin, "data:", "blob:"))
            ]
    problems += [line for line in log.read_text().splitlines() if int(re.search(r'" (\d+) ', line)[1]) >= 400]
    if problems:
        sys.exit("\n".join(problems))
    print(f"ok   {len(urls)} resources packed, and read offline in Chromium: start page, module, symbol, navigator, tutorial")


if __name__ == "__main__":
    main()
