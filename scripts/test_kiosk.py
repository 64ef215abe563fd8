"""Looks at the kiosk of Examples in Chromium: test_kiosk.py ADDRESS FOLDER PICTURE.png

The browser runs as an ordinary user, keeps its profile in the folder, and leaves a picture of the page.
"""

import os
import pathlib
import shutil
import sys

import chromium

address, folder, picture = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
work = folder / "browser"
work.mkdir()
if os.geteuid() == 0:
    # A user ID that owns no files.
    os.chown(work, 65534, 65534)
child = os.fork()
if child == 0:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(work)
    try:
        with chromium.Browser(work / "profile") as browser, browser.tab() as tab:
            tab.open(address + "/")
            tab.wait("document.querySelector('h1')?.textContent == 'The garden'", "the package's page")
            tab.wait("getComputedStyle(document.body).backgroundColor == 'rgb(238, 246, 238)'", "the package's style")
            tab.picture(work / "page.png")
            tab.click("a")
            tab.wait("document.querySelector('h1')?.textContent == 'The oak'", "the linked page")
            tab.open(address + "/kiosk")
            tab.wait("document.querySelector('h1')?.textContent == 'Kiosk'", "the kiosk's own page")
            tab.wait("document.querySelector('li')?.textContent == '<b>&amp;'", "the package's name as text")
    except chromium.PageError as error:
        print(f"test_kiosk: {error}", file=sys.stderr)
        os._exit(1)
    os._exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
if status == 0:
    picture.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(work / "page.png", picture)
    if picture.read_bytes()[:8] != b"\x89PNG\r\n\x1a\n" or picture.stat().st_size < 5000:
        sys.exit("test_kiosk: the picture is empty")
    print(f"ok   the kiosk in Chromium as user {65534 if os.geteuid() == 0 else os.geteuid()}")
sys.exit(status)
