"""Compares patches with other ways to update a package, on two releases each of five Debian documentation packages.

patches.py AFCACHE WORK [NAME=OLD.deb,NEW.deb ...]

Without names, the two versions that apt offers of each package are downloaded: those of Debian 12 and of its security
updates. xdelta3, bsdiff and zstd must be installed; what is missing is skipped. All shares are of the new package.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

PACKAGES = {
    "PostgreSQL": "postgresql-doc-15",
    "Apache": "apache2-doc",
    "Django": "python-django-doc",
    "Node": "nodejs-doc",
    "Python": "python3.11-doc",
}
# The share of the new package that a patch may have, in percent.
BOUNDS = {"PostgreSQL": 10, "Apache": 10, "Django": 8, "Node": 20, "Python": 28}


def run(*arguments, **options):
    return subprocess.run(arguments, check=True, capture_output=True, text=True, **options).stdout


def debs(name, folder):
    """Returns the files of the older and the newer version that apt offers."""
    listed = [line.split("|") for line in run("apt-cache", "madison", PACKAGES[name]).splitlines()]
    versions = list(dict.fromkeys(row[1].strip() for row in listed))
    if len(versions) < 2:
        sys.exit(f"patches.py: apt offers only one version of {PACKAGES[name]}; name two files: {name}=OLD.deb,NEW.deb")
    files = []
    for version in versions[1::-1]:
        place = folder / f"{name}-{version.replace(':', '_')}"
        place.mkdir(parents=True, exist_ok=True)
        if not list(place.glob("*.deb")):
            run("apt-get", "download", "-qq", f"{PACKAGES[name]}={version}", cwd=place)
        files.append(next(place.glob("*.deb")))
    return files


def pack(program, deb, package, folder):
    """Packs the documentation of a Debian package."""
    shutil.rmtree(folder, ignore_errors=True)
    run("dpkg-deb", "-x", deb, folder)
    # Debian links what several packages share, and adds change logs; neither belongs to the documentation.
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_symlink() or path.name.startswith("changelog."):
            path.unlink()
    pages = pathlib.Path(folder, "usr/share")
    run(
        program, "pack", "--folder", pages, "--base-url", "https://docs.example/", "-o", package, "--quiet",
        env=os.environ | {"SOURCE_DATE_EPOCH": "1763719200"},
    )
    shutil.rmtree(folder)


def other(tool, *arguments):
    """Returns the size of the file that a program writes as its last argument; nil if there is no such program."""
    if not shutil.which(tool):
        return None
    run(tool, *arguments)
    return os.path.getsize(arguments[-1])


def main():
    program, work = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    work.mkdir(parents=True, exist_ok=True)
    named = dict(argument.split("=", 1) for argument in sys.argv[3:])
    print("| package | new | kept, patched, whole | patch | bound | zstd of the zip | xdelta3 | bsdiff | delta | load |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    failed = False
    for name in PACKAGES:
        files = named[name].split(",") if name in named else debs(name, work)
        old, new, patch = (str(work / f"{name}-{part}.zip") for part in ("old", "new", "patch"))
        for deb, package in zip(files, (old, new)):
            if not os.path.exists(package):
                pack(program, deb, package, str(work / "unpacked"))
        size = os.path.getsize(new)
        start = time.monotonic()
        line = run(program, "patch", old, new, "-o", patch, "--overwrite", "--json")
        made = time.monotonic() - start
        facts = json.loads(line)
        cache, whole = str(work / f"{name}-cache"), str(work / f"{name}-whole")
        for folder in (cache, whole):
            shutil.rmtree(folder, ignore_errors=True)
            run(program, "load", old, "--name", "docs", "--cache", folder)
        start = time.monotonic()
        run(program, "load", patch, "--name", "docs", "--cache", cache, "--digest", facts["newDigest"])
        loaded = time.monotonic() - start
        run(program, "load", new, "--name", "docs", "--cache", whole)
        for folder in (cache, whole):
            run(program, "cache", "verify", "--cache", folder)
        share = facts["patchBytes"] * 100 / size
        failed = failed or share > BOUNDS[name]
        sizes = [
            other("zstd", "-19", "--long=27", "-f", "-q", f"--patch-from={old}", new, "-o", str(work / "zstd")),
            other("xdelta3", "-9", "-f", "-e", "-s", old, new, str(work / "xdelta")),
            other("bsdiff", old, new, str(work / "bsdiff")),
        ]
        shares = " | ".join("—" if each is None else f"{each * 100 / size:.1f} %" for each in sizes)
        print(
            f"| {name} | {size / 1e6:.1f} MB | {facts['kept']}, {facts['patched']}, {facts['whole']} "
            f"| {share:.1f} % | {BOUNDS[name]} % | {shares} | {made:.0f} s | {loaded:.1f} s |",
            flush=True,
        )
    sys.exit("patches.py: a patch is larger than its bound" if failed else 0)


main()
