#!/usr/bin/env python3
"""Makes the pictures of the README, for scripts/pictures.

usage: scripts/make_pictures.py PROGRAM FOLDER
"""
import html
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from chromium import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = "handbook-example---80.localhost"


class Server:
    """'afcache serve' on a free port, for as long as the block lasts."""

    def __init__(self, program, cache, *options):
        self.process = subprocess.Popen(
            [program, "serve", "--cache", cache, "--port", "0", *options], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if not found:
            sys.exit(f"the server doesn't start: {line}")
        self.port = found[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def terminal(lines, path):
    """Draws lines of a terminal as SVG; those that begin with '$ ' are what a person typed."""
    width, height = 98, 21
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * 8.45 + 40:.0f} {len(lines) * height + 62}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        '<rect width="100%" height="100%" rx="9" fill="#1d2128"/>',
        *(f'<circle cx="{x}" cy="20" r="6" fill="{color}"/>' for x, color in ((22, "#f0645c"), (42, "#f2bd42"), (62, "#5fc454"))),
    ]
    for number, line in enumerate(lines):
        y = 58 + number * height
        typed = line.startswith("$ ")
        color = "#ffffff" if typed else "#b9c2cf"
        text = html.escape(line if len(line) <= width else line[: width - 1] + "…")
        if typed:
            text = '<tspan fill="#6cc7ff">$</tspan> ' + text[2:]
        parts.append(f'<text x="20" y="{y}" fill="{color}" xml:space="preserve">{text}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


def screenshot(url, path, work, size):
    command = [
        "chromium", "--headless=new", *(["--no-sandbox"] if os.geteuid() == 0 else []), "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
        f"--user-data-dir={work}/browser", f"--window-size={size}", "--virtual-time-budget=5000",
        f"--screenshot={path}", url,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if not path.exists():
        sys.exit(f"pictures: chromium made no picture of '{url}': {done.stderr[-500:]}")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    work = tempfile.mkdtemp(prefix="afcache-pictures-")
    try:
        lines = []

        def run(*arguments, shown=True, keep=99):
            done = subprocess.run(
                [program, *arguments], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            if done.returncode != 0:
                sys.exit(f"pictures: 'afcache {' '.join(arguments)}' failed: {done.stdout}")
            if shown:
                lines.append("$ afcache " + " ".join(arguments))
                found = done.stdout.splitlines()
                lines.extend(found[:keep] + (["…"] if len(found) > keep else []) + [""])

        site = ROOT / "Fixtures/sites/vitepress"
        run("pack", "--folder", str(site), "--base-url", "http://handbook.example", "-o", "folder.zip", shown=False)
        run("load", "folder.zip", "--cache", "origin", shown=False)
        with Server(program, f"{work}/origin") as origin:
            url = f"http://{SITE}:{origin.port}/"
            run("pack", url, "-o", "handbook.zip", "--name", "handbook")
            run("pack", url, "-o", "reported.zip", "--report", "crawl.html", shown=False)
        run("lint", "handbook.zip", keep=2)
        run("load", "handbook.zip", "--cache", "offline")
        run("ls", "--cache", "offline", keep=4)
        # What only a script loads: the pages' list and the search's index.
        index = next(site.glob("assets/chunks/@localSearchIndex*.js")).relative_to(site)
        run("get", f"{url}hashmap.json", "--cache", "offline")
        run("get", f"{url}{index}", "--cache", "offline", keep=1)
        # The port is another in each run.
        terminal([line.replace(f":{origin.port}", ":8000") for line in lines[:-1]], folder / "terminal.svg")
        with Server(program, f"{work}/offline") as server:
            screenshot(f"http://127.0.0.1:{server.port}/", folder / "home.png", work, "900,430")
        screenshot(f"file://{work}/crawl.html", folder / "report.png", work, "900,700")
        run("export", "folder.zip", "-o", "handbook.html", shown=False)
        with Browser(f"{work}/reader") as browser, browser.tab() as tab:
            tab.resize(900, 430)
            tab.open(f"file://{work}/handbook.html")
            tab.click("#q")
            tab.type("lamp")
            tab.wait("!!document.querySelector('#r a')", "the search finds a page")
            tab.picture(folder / "export.png")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("\n".join(str(path.relative_to(os.getcwd())) for path in sorted(folder.glob("*.*"))))


if __name__ == "__main__":
    main()
