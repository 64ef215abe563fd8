"""Kills ranged updates, then checks the cache and what was fetched twice: `updates.py AFCACHE [KILLS]` (default: 200).

nginx serves a package slowly, of which 400 pages differ from the loaded one. `load` is killed with kill -9 at random
moments and started again, up to ten times for one update. Afterwards `cache verify` must find nothing, the indices must be
those of an undisturbed update, and no partial download may be left. On average, a kill may cost at most 5 % of the bytes.
Half of the kills are in updates of a package in the order of dates, of which only the end of the directory is needed, and
half in those of one without dates.
"""

import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Benchmarks"))
from bench import Served, free_port

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ }}
http {{
    log_format counts '$bytes_sent'; access_log {work}/access.log counts;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{ listen 127.0.0.1:{port}; root {work}/www; limit_rate 1500k; }}
}}
"""


def run(*arguments):
    return subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True, text=True).stdout


def packages(afcache, work, dates):
    """Packs a site, and the same with 400 changed pages."""
    site, old, new = work / "site", work / "old.zip", work / "www" / "d.zip"
    run(sys.executable, HERE.parents[1] / "Benchmarks" / "make_site.py", site)
    for path in site.rglob("*"):
        os.utime(path, (1_790_000_000,) * 2)
    pack = [afcache, "pack", "--folder", site, "--base-url", "https://docs.example/", *["--last-modified", "file"][: 2 * int(dates)], "-o"]
    run(*pack, old)
    for page in random.Random(5).sample(sorted(site.rglob("*.html")), 400):
        page.write_bytes(page.read_bytes() + b" ")
    run(*pack, new)
    shutil.rmtree(site)
    return old


class Update:
    def __init__(self, afcache, work, port):
        self.afcache, self.work, self.cache = afcache, work, work / "cache"
        self.command = [afcache, "load", f"http://127.0.0.1:{port}/d.zip", "--name", "d", "--cache", str(self.cache)]

    def sent(self):
        time.sleep(0.2)
        log = self.work / "access.log"
        return sum(map(int, log.read_text().split())) if log.exists() else 0

    def disturbed(self, kills, longest, source):
        """Updates a copy of the cache; returns the number of kills, the bytes that were sent, and the indices."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.work / "base", self.cache)
        before, killed = self.sent(), 0
        while True:
            wait = source.uniform(0.05, longest) if killed < kills else None
            program = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                _, errors = program.communicate(timeout=wait)
            except subprocess.TimeoutExpired:
                program.kill()
                program.communicate()
                killed += 1
                continue
            if program.returncode:
                sys.exit(f"updates.py: after {killed} kills: {errors}")
            break
        run(self.afcache, "cache", "verify", "--cache", self.cache)
        if left := os.listdir(self.cache / "downloads"):
            sys.exit(f"updates.py: after {killed} kills, the downloads still have {left}")
        indices = [hashlib.sha256(path.read_bytes()).hexdigest() for path in self.cache.glob("packages/*/index")]
        return killed, self.sent() - before, sorted(indices)


def tried(afcache, work, dates, wanted, source):
    """Kills updates; returns the kills, the bytes of one update, and the share of it that a kill costs."""
    port = free_port()
    (work / "www").mkdir(parents=True)
    run(afcache, "load", packages(afcache, work, dates), "--name", "d", "--cache", work / "base")
    (work / "nginx.conf").write_text(NGINX.format(work=work, port=port))
    with Served(["nginx", "-c", f"{work}/nginx.conf"], f"127.0.0.1:{port}"):
        update, start = Update(afcache, work, port), time.monotonic()
        _, plain, expected = update.disturbed(0, 0, source)
        longest = (time.monotonic() - start) / 2
        kills, extra, worst = 0, 0, 0.0
        while kills < wanted:
            killed, sent, indices = update.disturbed(10, longest, source)
            if indices != expected:
                sys.exit(f"updates.py: after {killed} kills, the indices differ")
            kills, extra = kills + killed, extra + sent - plain
            worst = max(worst, (sent - plain) / plain / max(1, killed))
    share = extra / plain / kills
    print(
        f"{kills} kills {'in the order of dates' if dates else 'without dates'}: all updates whole; of {plain} bytes, "
        f"{share:.1%} were sent again for each kill, {worst:.1%} in the worst update",
        flush=True,
    )
    return share


def main():
    afcache, wanted = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory(prefix="afcache-updates-") as folder:
        os.chmod(folder, 0o755)
        source = random.Random(3)
        shares = [tried(afcache, pathlib.Path(folder) / str(dates), dates, wanted / 2, source) for dates in (True, False)]
        sys.exit("updates.py: a kill costs more than 5 %" if max(shares) > 0.05 else 0)


main()
