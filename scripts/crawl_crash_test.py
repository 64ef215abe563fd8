"""The test of scripts/crawl-crash-test, which installs and builds everything that this program needs.

Each round starts a crawl, kills it after a random part of the time that an undisturbed crawl takes, and starts it
again, until one ends by itself. Its package must have the same bytes as the undisturbed one, and no other file may be left.

The test also fails if too few kills hit a crawl that was sending requests, or if too few crawls resumed an interrupted one.
'--prove' checks that the test fails if the kills are left out, if crawls are killed before they have begun, and if what
interrupted crawls have stored is discarded.
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
import zipfile

from listening import wait_until_listening

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ }}
http {{
    include /etc/nginx/mime.types; default_type application/octet-stream; access_log {work}/access.log;
    limit_req_zone $server_name zone=all:1m rate={rate}r/s; limit_req zone=all burst=100;
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

    def __init__(self, work, pages, rate):
        self.work, self.port, self.read = work, free_port(), 0
        maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Benchmarks/make_site.py")
        subprocess.run([sys.executable, maker, f"{work}/site", "--pages", str(pages)], check=True)
        # If the script runs as root, nginx reads as another user.
        os.chmod(work, 0o755)
        with open(f"{work}/nginx.conf", "w") as file:
            file.write(NGINX.format(work=work, port=self.port, rate=rate, folder=f"{work}/site"))

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


class Failed(Exception):
    """A crawl that didn't go as promised, or a test that left something out."""


# A round ends long before. Only crawls that are never left alone need so many.
MOST_ATTEMPTS = 100


def crawl(afcache, site, package, limit=None, options=()):
    """Runs a crawl and kills it after 'limit' seconds. Returns its exit code and its standard error."""
    command = [afcache, "pack", f"http://127.0.0.1:{site.port}/index.html", "-o", package, *options]
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
    raise Failed(errors + message)


def undisturbed(arguments, site, work):
    """Makes the package that every other must be like. Returns how long that takes, in seconds."""
    began = time.monotonic()
    status, errors = crawl(arguments.afcache, site, f"{work}/whole.zip")
    duration = time.monotonic() - began
    if status != 0:
        fail(f"the undisturbed crawl ends with {status}", errors)
    requests = site.new_requests()
    with zipfile.ZipFile(f"{work}/whole.zip") as package:
        members = len(package.namelist())
    if members < arguments.pages or requests < members - 2:
        fail(f"the undisturbed crawl of {arguments.pages} pages has {requests} requests and {members} members")
    size = os.path.getsize(f"{work}/whole.zip")
    print(f"undisturbed: {requests} requests, {size} bytes, {duration:.1f} s; seed {arguments.seed}", flush=True)
    return duration


def rounds(arguments, site, work, duration, limit=None, options=()):
    """Kills crawls. 'limit' returns after which part of the time of an undisturbed crawl an attempt of a round is killed."""
    source = random.Random(arguments.seed)
    limit = limit or (lambda attempt: source.uniform(0, 1))
    kills, working, resumed = 0, 0, 0
    for number in range(1, arguments.rounds + 1):
        folder, told, requests = f"{work}/{number}", [], 0
        os.mkdir(folder)
        while True:
            if len(told) == MOST_ATTEMPTS:
                fail(f"round {number}: none of {MOST_ATTEMPTS} crawls ended by itself")
            share = limit(len(told))
            moment = None if share is None else share * duration
            status, errors = crawl(arguments.afcache, site, f"{folder}/a.zip", moment, options)
            going_on = re.match(r"resuming an interrupted crawl with ([\d,]+) resource", errors)
            resumed += going_on is not None
            # The state was not written yet, or the kill came before the message.
            told.append(going_on.group(1) if going_on else "-")
            sent = site.new_requests()
            requests += sent
            if status != -signal.SIGKILL:
                break
            kills += 1
            working += sent > 0
        if status != 0:
            fail(f"round {number} ends with {status}", errors)
        if os.listdir(folder) != ["a.zip"]:
            fail(f"round {number} left the files {sorted(os.listdir(folder))}")
        if not filecmp.cmp(f"{folder}/a.zip", f"{work}/whole.zip", shallow=False):
            fail(f"round {number}: the package differs")
        print(
            f"round {number}: killed {len(told) - 1} times, started with {' '.join(told)} resources,"
            f" {requests} requests: same bytes",
            flush=True,
        )
        shutil.rmtree(folder)
    for count, what in [(working, "kills hit a crawl that was sending requests"), (resumed, "crawls resumed an interrupted one")]:
        least = max(1, arguments.rounds // 2)
        if count < least:
            fail(f"left out: {count} {what}, and at least {least} must")
    return (
        f"{arguments.rounds} rounds, {kills} kills, {working} of them while requests were sent, {resumed} crawls resumed:"
        " all packages have the same bytes"
    )


def prove(arguments, site, work, duration):
    """Leaves out what the test is about, and checks that it then fails."""
    cases = [
        ("kills", "0 kills hit a crawl", lambda attempt: None, ()),
        ("crawls that have begun", "0 kills hit a crawl", lambda attempt: 0 if attempt < 3 else None, ()),
        ("a stored state", "0 crawls resumed", lambda attempt: 0.8 if attempt < 1 else None, ("--restart",)),
        ("crawls that are left alone", "none of", lambda attempt: 0, ()),
    ]
    for missing, expected, limit, options in cases:
        try:
            said = rounds(arguments, site, work, duration, limit, options)
        except Failed as error:
            said = str(error)
        if expected not in said:
            fail(f"without {missing} it should fail with '{expected}', and says: {said}")
        print(f"without {missing}: fails: {said}", flush=True)
        shutil.rmtree(f"{work}/1", ignore_errors=True)
    return f"proved: without what it needs the test fails, in {len(cases)} ways"


def main():
    parser = argparse.ArgumentParser(prog="crawl-crash-test")
    parser.add_argument("afcache")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--pages", type=int, default=2000)
    # The state is written every two seconds, so a crawl must take several times as long.
    parser.add_argument("--request-rate", type=int, default=1000, help="the most requests that the site answers per second")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="repeat the moments of an earlier run")
    parser.add_argument("--prove", action="store_true", help="leave out what the test is about, and check that it then fails")
    arguments = parser.parse_args()
    if arguments.prove:
        # Five seconds, in which the state is written twice.
        arguments.rounds, arguments.pages, arguments.request_rate = 1, 125, 100
    if arguments.rounds < 1:
        parser.error("'--rounds' must be at least 1")
    work = tempfile.mkdtemp(prefix="afcache-crawl-crash-")
    try:
        with Site(work, arguments.pages, arguments.request_rate) as site:
            duration = undisturbed(arguments, site, work)
            print((prove if arguments.prove else rounds)(arguments, site, work, duration))
    except Failed as error:
        sys.exit(f"crawl-crash-test: {error}")
    finally:
        shutil.rmtree(work)


main()
