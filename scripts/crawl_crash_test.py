"""The test of scripts/crawl-crash-test, which installs and builds everything that this program needs.

Each round starts a crawl, kills it after a random part of the time that an undisturbed crawl takes, and starts it
again, until one ends by itself. Its package must have the same bytes as the undisturbed one, and no other file may be left.
"""

import argparse
import filecmp
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from listening import wait_until_listening

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ }}
http {{
    include /etc/nginx/mime.types; default_type application/octet-stream; access_log {work}/access.log;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Site:
    """The site, served by nginx within a 'with' block."""

    def __init__(self, work, pages):
        self.work, self.port, self.read = work, free_port(), 0
        maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Benchmarks/make_site.py")
        subprocess.run([sys.executable, maker, f"{work}/site", "--pages", str(pages)], check=True)
        # If the script runs as root, nginx reads as another user.
        os.chmod(work, 0o755)
        with open(f"{work}/nginx.conf", "w") as file:
            file.write(NGINX.format(work=work, port=self.port, folder=f"{work}/site"))

    def __enter__(self):
        self.nginx = subprocess.Popen(["nginx", "-c", f"{self.work}/nginx.conf"], stderr=subprocess.DEVNULL)
        wait_until_listening(self.nginx, f"127.0.0.1:{self.port}")
        return self

    def __exit__(self, *_):
        self.nginx.terminate()
        self.nginx.wait()

    def new_requests(self):
        """Returns the number of requests since the last call."""
        with open(f"{self.work}/access.log") as log:
            count = sum(1 for _ in log)
        found, self.read = count - self.read, count
        return found


def crawl(afcache, site, package, rate, limit=None):
    """Runs a crawl and kills it after 'limit' seconds. Returns its exit code and its standard error."""
    command = [afcache, "pack", f"http://127.0.0.1:{site.port}/index.html", "-o", package, "--request-rate", str(rate)]
    environment = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        errors = process.communicate(timeout=limit)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        errors = process.communicate()[1]
    return process.returncode, errors


def fail(message, errors=""):
    print(errors, end="")
    sys.exit(f"crawl-crash-test: {message}")


def main():
    parser = argparse.ArgumentParser(prog="crawl-crash-test")
    parser.add_argument("afcache")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--pages", type=int, default=2000)
    # The state is written every two seconds, so a crawl must take several times as long.
    parser.add_argument("--request-rate", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="repeat the moments of an earlier run")
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    work = tempfile.mkdtemp(prefix="afcache-crawl-crash-")
    try:
        with Site(work, arguments.pages) as site:
            began = time.monotonic()
            rate = arguments.request_rate
            status, errors = crawl(arguments.afcache, site, f"{work}/whole.zip", rate)
            duration = time.monotonic() - began
            if status != 0:
                fail(f"the undisturbed crawl ends with {status}", errors)
            whole = site.new_requests()
            size = os.path.getsize(f"{work}/whole.zip")
            print(f"undisturbed: {whole} requests, {size} bytes, {duration:.1f} s; seed {arguments.seed}", flush=True)
            kills, resumed = 0, 0
            for number in range(1, arguments.rounds + 1):
                folder, told = f"{work}/{number}", []
                os.mkdir(folder)
                while True:
                    status, errors = crawl(arguments.afcache, site, f"{folder}/a.zip", rate, source.uniform(0, duration))
                    going_on = re.match(r"resuming an interrupted crawl with ([\d,]+) resource", errors)
                    resumed += going_on is not None
                    # The state was not written yet, or the kill came before the message.
                    told.append(going_on.group(1) if going_on else "-")
                    if status != -signal.SIGKILL:
                        break
                    kills += 1
                if status != 0:
                    fail(f"round {number} ends with {status}", errors)
                if os.listdir(folder) != ["a.zip"]:
                    fail(f"round {number} left the files {sorted(os.listdir(folder))}")
                if not filecmp.cmp(f"{folder}/a.zip", f"{work}/whole.zip", shallow=False):
                    fail(f"round {number}: the package differs")
                print(
                    f"round {number}: killed {len(told) - 1} times, started with {' '.join(told)} resources,"
                    f" {site.new_requests()} requests: same bytes",
                    flush=True,
                )
                shutil.rmtree(folder)
            print(f"{arguments.rounds} rounds, {kills} kills, {resumed} crawls resumed: all packages have the same bytes")
    finally:
        shutil.rmtree(work)


main()
