"""Serves a site under load for a while, and checks that resident memory stays flat.

    python3 Benchmarks/soak.py AFCACHE CACHE [--minutes 10] [--connections 1000] [--memory SIZE] [--pause MS]

CACHE contains the site of make_site.py at http://site.example. Three loads run at once: hits on persistent
connections, hits and misses on connections that close after each request, and ranges with a different field each time.

It fails if memory grows, if a connection fails, if a page of the site is missing, or if a load sent fewer requests than it
has connections.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time

import bench
import make_site

LOADS = {
    "stay": 'return wrk.format("GET", paths[n], { ["Host"] = "site.example" })',
    "end": 'if n % 3 == 0 then return wrk.format("GET", "/none" .. n, { ["Host"] = "site.example", ["Connection"] = "close" }) end\n'
    '  return wrk.format("GET", paths[n], { ["Host"] = "site.example", ["Connection"] = "close" })',
    "range": "count = count + 1\n"
    '  return wrk.format("GET", paths[n], { ["Host"] = "site.example", ["Range"] = "bytes=0-" .. (count % 5000), '
    '["X-Count"] = tostring(count) })',
}


def script(work, name, pages, pause):
    path = f"{work}/{name}.lua"
    with open(path, "w") as file:
        quoted = ", ".join(f'"/{make_site.page_path(number)}"' for number in range(pages))
        file.write(f"local paths = {{ {quoted} }}\nlocal n = 0\nlocal count = 0\n")
        if pause:
            # Not the same for all connections, so that they don't ask in step.
            file.write(f"delay = function() return math.random(1, {2 * pause}) end\n")
        file.write(f"request = function() n = n % #paths + 1\n  {LOADS[name]} end\n")
    return path


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def troubles(name, load, output, connections):
    """Return what was wrong with one load, as sentences."""
    found = [line.strip() for line in output.splitlines() if "Socket errors" in line]
    if load.returncode != 0:
        found.append(f"wrk ended with {load.returncode}")
    requests = re.search(r"(\d+) requests in", output)
    if int(requests[1] if requests else 0) < connections:
        found.append(f"{requests[1] if requests else 0} requests on {connections} connections")
    # A third of the requests of this load are for pages that don't exist.
    if name != "end" and (missing := re.search(r"Non-2xx or 3xx responses: (\d+)", output)):
        found.append(f"{missing[1]} responses were no pages; the cache must contain the site")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("afcache")
    parser.add_argument("store")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=2000, help="2,000 pages are 40 MB")
    parser.add_argument("--pause", type=int, default=0, help="mean pause of a connection between requests, in milliseconds")
    parser.add_argument("--memory", help="the option of serve, for example a fifth of the pages")
    arguments = parser.parse_args()
    seconds = int(arguments.minutes * 60)
    command = [arguments.afcache, "serve", "--cache", arguments.store, "--port", "0"]
    if arguments.memory:
        command += ["--memory", arguments.memory]
    with tempfile.TemporaryDirectory(prefix="afcache-soak-") as work, bench.Served(command) as server:
        shares = {"stay": arguments.connections - 100, "end": 50, "range": 50}
        loads = [
            subprocess.Popen(
                ["wrk", "-t1", f"-c{count}", f"-d{seconds}s", "--timeout", "20s", "-s",
                 script(work, name, arguments.pages, arguments.pause), f"http://{server.address}/"],
                stdout=subprocess.PIPE, text=True,
            )
            for name, count in shares.items()
        ]
        samples = []
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            time.sleep(min(5, seconds / 20))
            samples.append(resident(server.process.pid))
        failures = 0
        for name, load in zip(shares, loads):
            output = load.communicate()[0]
            found = troubles(name, load, output, shares[name])
            print(name + ":", *(line.strip() for line in output.splitlines() if "requests in" in line), *found, sep=" ")
            failures += bool(found)
        quarter = max(1, len(samples) // 4)
        early, late = max(samples[quarter:2 * quarter]), max(samples[-quarter:])
        print(f"resident: {samples[0]:.0f} MB at first, {early:.0f} MB in the second quarter, {late:.0f} MB in the last")
        flat = late <= early * 1.1 + 5
        print("flat" if flat else "NOT FLAT", "and without errors" if not failures else "and WITH ERRORS")
        sys.exit(0 if flat and not failures else 1)


if __name__ == "__main__":
    main()
