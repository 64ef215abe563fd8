"""Compares serving a package from its zip with serving it from a cache, and mounting a large package with libzip."""

import os
import shutil
import statistics
import subprocess
import sys

import make_site
from bench import Served
from serving import SECONDS, add_large, by_wrk, looked_up_script, paths_script

# Opens a package several times, and prints the median in milliseconds.
LIBZIP = """
import ctypes, ctypes.util, statistics, sys, time
zip = ctypes.CDLL(ctypes.util.find_library("zip"))
zip.zip_open.restype = ctypes.c_void_p
zip.zip_open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
zip.zip_get_num_entries.restype = ctypes.c_int64
zip.zip_get_num_entries.argtypes = [ctypes.c_void_p, ctypes.c_uint]
zip.zip_discard.argtypes = [ctypes.c_void_p]
times = []
for _ in range(5):
    start = time.perf_counter()
    archive = zip.zip_open(sys.argv[1].encode(), 16, None)
    count = zip.zip_get_num_entries(archive, 0)
    times.append((time.perf_counter() - start) * 1000)
    zip.zip_discard(archive)
print(count, statistics.median(times))
"""


def busy():
    """The seconds for which the machine's processors were busy so far."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def opened(package, storebench, kept):
    """The milliseconds that it takes to mount a package and to find one URL: the first time, then, and with an index."""
    shutil.rmtree(kept, ignore_errors=True)
    output = subprocess.run([storebench, "mount", package, kept], check=True, capture_output=True, text=True).stdout
    return [float(word) for word in output.split()]


def many(work, storebench, count, runs):
    package = f"{work}/many.zip"
    subprocess.run([storebench, "written", package, str(count)], check=True, stdout=subprocess.DEVNULL)
    members, times = 0, []
    for _ in range(runs):
        members, libzip = subprocess.run(
            [sys.executable, "-c", LIBZIP, package], check=True, capture_output=True, text=True
        ).stdout.split()
        times.append((float(libzip), *opened(package, storebench, f"{work}/kept")))
    size = sum(entry.stat().st_size for entry in os.scandir(f"{work}/kept"))
    libzip, first, again, prepared = (statistics.median(column) for column in zip(*times))
    print(f"\n{int(members):,} members, {os.path.getsize(package) / 1e6:.1f} MB; kept: {size / 1e6:.1f} MB")
    print(f"\n| opening, medians of {runs} runs | time | / libzip |\n| --- | --- | --- |")
    rows = {
        "libzip": libzip, "mounted for the first time": first, "the same with an index made beforehand": prepared,
        "mounted again": again,
    }
    for name, value in rows.items():
        print(f"| {name} | {value:.2f} ms | {value / libzip:.4f} |")


def run(work, folder, afcache, storebench, runs, count):
    """Compare the rates and processor times of both ways to serve."""
    add_large(folder)
    package, store = f"{work}/site.zip", f"{work}/store"
    pack = [afcache, "pack", "--folder", folder, "--base-url", "http://site.example", "-o", package]
    for command in (pack, [afcache, "load", package, "--cache", store]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    every = [
        os.path.relpath(os.path.join(top, name), folder)
        for top, _, names in os.walk(folder)
        for name in names
        if "large" not in top
    ]
    hot = [make_site.page_path(number) for number in range(200)]
    gzip = ', ["Accept-Encoding"] = "gzip"'
    rows = {
        "200 hot pages": paths_script(work, "hot", hot),
        "the same with gzip": paths_script(work, "gzip", hot, gzip),
        "each with a condition of its own": looked_up_script(work, hot),
        "the same with gzip (looked up)": looked_up_script(work, hot, gzip),
        "all files": paths_script(work, "every", sorted(every)),
        "20 bodies of 1 MB": paths_script(work, "large", [f"large/{n:02d}.bin" for n in range(20)]),
        "a body of 100 MB": paths_script(work, "huge", ["large/huge.bin"]),
    }
    ways = {"mounted": [package, "--mount-cache", f"{work}/mounts"], "cache": ["--cache", store, "--no-search"]}
    results = {(name, way): [] for name in rows for way in ways}
    for _ in range(runs):
        for name, path in rows.items():
            connections = 8 if "100 MB" in name else 64
            for way, options in ways.items():
                with Served([afcache, "serve", "--port", "0", *options]) as server:
                    by_wrk(server, path, connections, 1)
                    before = busy()
                    result = by_wrk(server, path, connections)
                    # Of a connection within one machine, the kernel does a part of the server's work in the client, or
                    # the reverse.
                    results[name, way].append((*result, (busy() - before) / (result[1] * SECONDS)))
    print(f"\n| serve, medians of {runs} alternating runs | mounted | cache | rate | processor | with the client's |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in rows:
        one, two = ([statistics.median(column) for column in zip(*results[name, way])] for way in ways)
        is_large = "MB" in name
        # With gzip, fewer bytes are sent, so requests are compared.
        unit = ("MB/s", 1e-6, 1, "ns a byte", 3) if is_large else ("a second", 1, 0, "µs", 2)
        left, right = (f"{side[unit[2]] * unit[1]:,.0f} {unit[0]}, {side[unit[4]]:.2f} {unit[3]}" for side in (one, two))
        both = one[-1] * one[1] / one[0] / (two[-1] * two[1] / two[0])
        ratios = f"{one[unit[2]] / two[unit[2]]:.2f} | {one[unit[4]] / two[unit[4]]:.2f} | {both:.2f}"
        print(f"| {name} | {left} | {right} | {ratios} |", flush=True)
    many(work, storebench, count, runs)
