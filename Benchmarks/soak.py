"""Serves a site under load for a while, and checks that resident memory stays flat.

    python3 Benchmarks/soak.py AFCACHE CACHE [--minutes 10] [--connections 1000]

CACHE contains the site of make_site.py at http://site.example. Three loads run at once: hits on persistent
connections, hits and misses on connections that close after each request, and ranges with a different field each time.
"""

import argparse
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


def script(work, name, pages):
    path = f"{work}/{name}.lua"
    with open(path, "w") as file:
        quoted = ", ".join(f'"/{make_site.page_path(number)}"' for number in range(pages))
        file.write(f"local paths = {{ {quoted} }}\nlocal n = 0\nlocal count = 0\n")
        file.write(f"request = function() n = n % #paths + 1\n  {LOADS[name]} end\n")
    return path


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("afcache")
    parser.add_argument("store")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=2000)
    arguments = parser.parse_args()
    seconds = int(arguments.minutes * 60)
    with tempfile.TemporaryDirectory(prefix="afcache-soak-") as work, bench.Served(
        [arguments.afcache, "serve", "--cache", arguments.store, "--port", "0"]
    ) as server:
        shares = {"stay": arguments.connections - 100, "end": 50, "range": 50}
        loads = [
            subprocess.Popen(
                ["wrk", "-t1", f"-c{count}", f"-d{seconds}s", "--timeout", "20s", "-s",
                 script(work, name, arguments.pages), f"http://{server.address}/"],
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
            lines = load.communicate()[0].splitlines()
            print(name + ":", *(line.strip() for line in lines if "requests in" in line or "Socket errors" in line), sep=" ")
            failures += any("Socket errors" in line for line in lines)
        quarter = max(1, len(samples) // 4)
        early, late = max(samples[quarter:2 * quarter]), max(samples[-quarter:])
        print(f"resident: {samples[0]:.0f} MB at first, {early:.0f} MB in the second quarter, {late:.0f} MB in the last")
        flat = late <= early * 1.1 + 5
        print("flat" if flat else "NOT FLAT", "and without errors" if not failures else "and WITH ERRORS")
        sys.exit(0 if flat and not failures else 1)


if __name__ == "__main__":
    main()
