"""Compares two versions of afcache on the same work, alternately, for 'scripts/bench --against PROGRAM'."""

import filecmp
import os
import random
import subprocess
import sys

import make_site
from bench import Served, compare, load_test, median, nginx, timed, write_manifest


def same(work, name, programs, command):
    """Ends the run if the two programs make different packages."""
    packages = [f"{work}/same{number}.zip" for number in (0, 1)]
    for program, package in zip(programs, packages):
        timed(command(program, package))
    if not filecmp.cmp(*packages, shallow=False):
        sys.exit(f"bench: the two programs make different packages: {name}")
    print(f"{name}: the same bytes\n")


def requests(work, name, paths, fields=""):
    quoted = ", ".join(f'"/{path}"' for path in paths)
    with open(f"{work}/{name}.lua", "w") as file:
        file.write(
            f"local paths = {{ {quoted} }}\nlocal requests = {{}}\nlocal n = 0\n"
            "init = function() for i, path in ipairs(paths) do\n"
            f'  requests[i] = wrk.format("GET", path, {{ ["Host"] = "site.example"{fields} }}) end end\n'
            "request = function() n = n % #requests + 1\n  return requests[n] end\n"
        )
    return f"{work}/{name}.lua"


def serve(work, folder, programs, cache, runs):
    """Requests a second and processor time for a request, for the ways in which the server finds a response."""
    hot = [make_site.page_path(number) for number in range(200)]
    every = [
        os.path.relpath(os.path.join(parent, name), folder) for parent, _, names in os.walk(folder) for name in names
    ]
    random.Random(1).shuffle(every)
    scripts = {
        "serve, from memory": requests(work, "hot", hot),
        "serve, looked up": requests(work, "looked-up", hot, ', ["Cache-Control"] = "max-stale"'),
        "serve, all in random order": requests(work, "every", every),
        "serve, not in the cache": requests(work, "missing", [f"none/{number}" for number in range(200)]),
    }
    print("\n| work | requests a second | processor for each |\n| --- | --- | --- |")
    for name, script in scripts.items():
        rows = ([], [])
        for turn in range(runs + 1):
            for number in (0, 1) if turn % 2 else (1, 0):
                with Served([programs[number], "serve", "--cache", cache, "--port", "0"]) as server:
                    row = load_test(server, script)
                if turn > 0:
                    rows[number].append(row)
        rate, cost = ([median(each, column) for each in rows] for column in (0, 1))
        print(
            f"| {name} | {rate[0]:.0f} / {rate[1]:.0f} = {rate[0] / rate[1]:.2f} "
            f"| {cost[0]:.1f} / {cost[1]:.1f} us = {cost[0] / cost[1]:.2f} |",
            flush=True,
        )


def run(work, folder, afcache, other, runs):
    programs = (afcache, other)
    package, crawled, manifest = f"{work}/package.zip", f"{work}/crawled.zip", f"{work}/manifest.afcache"
    cache = f"{work}/cache"
    fresh = (f"{work}/tree{number}" for number in range(1000))
    # Two packages made at different times would differ in their dates.
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"

    def pack(program, path):
        base = ["--base-url", "http://site.example", "--last-modified", "file"]
        return [program, "pack", "--folder", folder, *base, "-o", path]

    def both(name, command, prepare=lambda: None, runs=runs):
        compare(name, lambda: timed(command(afcache)), lambda: timed(command(other)), runs, prepare)

    def clean():
        for path in (f"{work}/made.zip", crawled):
            if os.path.exists(path):
                os.remove(path)

    same(work, "the folder's package", programs, pack)
    timed(pack(afcache, package))
    # In a process of its own, because this one's memory would count toward its children's peak.
    writer = os.fork()
    if writer == 0:
        write_manifest(manifest, 1_000_000, lambda number: f"pages/{number:07d}/index")
        os._exit(0)
    os.waitpid(writer, 0)
    # The older of the two makes the cache, since an older program doesn't read a newer cache.
    timed([other, "load", package, "--cache", cache])
    print(f"{afcache} / {other} = ratio, medians of {runs} runs, alternating\n")
    print("| work | wall | processor | peak memory |\n| --- | --- | --- | --- |")
    both("pack a folder", lambda program: pack(program, f"{work}/made.zip"), clean)
    both("load", lambda program: [program, "load", package, "--cache", next(fresh)], os.sync)
    both("lint a package", lambda program: [program, "lint", "--quiet", package])
    both("lint a million lines", lambda program: [program, "lint", "--quiet", manifest])
    both("get", lambda program: [program, "get", "http://site.example/index.html", "--cache", cache], runs=4 * runs)
    both("cache verify", lambda program: [program, "cache", "verify", "--cache", cache])
    with nginx(work, folder) as origin:
        site = f"http://{origin.address}/"
        both("pack a crawl", lambda program: [program, "pack", site, "-o", crawled], clean)
        # Each version updates its own package: if one finds more references, it would crawl the site again to update the other's.
        own = {program: f"{work}/own{number}.zip" for number, program in enumerate(programs)}
        for program, path in own.items():
            timed([program, "pack", site, "-o", path])
        both(
            "update, nothing changed", lambda program: [program, "pack", site, "--update", "-o", own[program]],
            runs=2 * runs,
        )
    serve(work, folder, programs, cache, runs)
