"""Packs many sites as several jobs that are killed, and checks that each is published once and like by one job.

usage: scripts/test_batch.py AFCACHE

AFCACHE_SITES is the number of sites, 500 by default.
"""
import collections
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from slurm_nodes import Slurm

SITES = int(os.environ.get("AFCACHE_SITES", "500"))
PAGES, CHANGED, JOBS, KILLS = 5, SITES // 20, 8, 50
AFCACHE = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 and not sys.argv[1].startswith("-") else None
ENVIRONMENT = dict(os.environ, SOURCE_DATE_EPOCH="1700000000", no_proxy="*")


class Origin(http.server.ThreadingHTTPServer):
    """Answers for every host: PAGES pages each, and a site map that changes with the site."""
    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.versions = collections.Counter()
        self.requests = collections.Counter()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers["Host"].split(".")[0]
        self.server.requests[host] += 1
        version = self.server.versions[host]
        name = self.path.strip("/")
        if name == "map.xml":
            body, media = f"<urlset><!-- {version} --></urlset>", "application/xml"
        elif name == "":
            links = "".join(f"<a href=/{number}>{number}</a>" for number in range(1, PAGES))
            body, media = f"<link rel=icon href=data:,><title>{host}</title>{links}", "text/html"
        elif name.isdigit() and int(name) < PAGES:
            body, media = f"<link rel=icon href=data:,><p>{host} {name} {version if name == '1' else 0}", "text/html"
        else:
            body, media = None, None
        self.send_response(200 if body else 404)
        data = (body or "").encode()
        if media:
            self.send_header("Content-Type", media)
            self.send_header("ETag", f'"{hash(body)}"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def fail(message):
    sys.exit(f"test-batch: {message}")


def run(*arguments, **options):
    result = subprocess.run([AFCACHE, *arguments], capture_output=True, text=True, env=ENVIRONMENT, **options)
    if result.returncode != 0:
        fail(f"'{' '.join(arguments)}' ends with {result.returncode}: {result.stderr}")
    return result.stdout


class Place:
    """A folder with a list of sites, a channel, and what jobs make."""

    def __init__(self, work, name, origin):
        self.folder = work / name
        (self.folder / "www").mkdir(parents=True)
        self.root = self.folder / "root"
        shutil.copy(work / "team", self.folder)
        run("channel", "new", "all", "--key", str(work / "team.pub"), "-o", str(self.folder / "www/all.channel"))
        lines = ["version: 1", "options: { delay: 0s }", "publish: { channel: { file: www/all.channel, sign: team } }", "sites:"]
        for number in range(SITES):
            url = f"http://s{number}.localhost:{origin.server_port}"
            lines.append(f"  - {{ name: s{number}, urls: '{url}/', check: '{url}/map.xml' }}")
        (self.folder / "sites.yaml").write_text("\n".join(lines) + "\n")

    def arguments(self, night, shard=None):
        shard = ["--shard", f"{shard}/{JOBS}"] if shard else []
        return ["batch", str(self.folder / "sites.yaml"), "--root", str(self.root), "--round", night, "--quiet", *shard]

    def packages(self):
        return {path.name: path.read_bytes() for path in sorted(self.root.glob("*.zip"))}

    def states(self):
        records = [json.loads(path.read_text()) for path in (self.root / ".batch").glob("*.json")]
        return collections.Counter(record["state"] for record in records)

    def check(self, reference, published):
        mine, theirs = self.packages(), reference.packages()
        different = [name for name in theirs if mine.get(name) != theirs[name]]
        if mine.keys() != theirs.keys() or different:
            fail(f"{self.folder.name}: {len(different)} packages differ from those of one job, such as {different[:3]}")
        channel = json.loads(run("channel", "show", str(self.folder / "www/all.channel"), "--json"))
        names = {package["name"] for package in channel["packages"]}
        if len(channel["packages"]) != SITES or len(names) != SITES:
            fail(f"{self.folder.name}: the channel lists {len(names)} of {SITES} sites")
        # Each change of the channel signs the next version.
        if channel["version"] != published:
            fail(f"{self.folder.name}: {published} packages were published {channel['version']} times")
        left = [path.name for path in self.folder.rglob("*afcache-tmp*")]
        if left:
            fail(f"{self.folder.name}: {left[:3]} are left over")


def jobs_with_kills(place, night, kills):
    """Runs a process for each shard, kills one at a random moment each time, and starts it again."""
    running = {shard: subprocess.Popen([AFCACHE, *place.arguments(night, shard)], env=ENVIRONMENT) for shard in range(1, JOBS + 1)}
    done = 0
    while running:
        time.sleep(random.uniform(0.02, 0.3))
        for shard, process in list(running.items()):
            if process.poll() == 0:
                del running[shard]
            elif process.returncode is not None:
                fail(f"shard {shard} ends with {process.returncode}")
        if done < kills and running:
            shard = random.choice(list(running))
            running[shard].send_signal(random.choice([signal.SIGKILL, signal.SIGTERM]))
            if running[shard].wait() not in (-signal.SIGKILL, -signal.SIGTERM, 75, 0):
                fail(f"shard {shard} ends with {running[shard].returncode} after a signal")
            running[shard] = subprocess.Popen([AFCACHE, *place.arguments(night, shard)], env=ENVIRONMENT)
            done += 1
    return done


def night_of_parallel(place, night):
    command = " ".join([AFCACHE, *place.arguments(night)]) + f" --shard {{}}/{JOBS}"
    subprocess.run(["parallel", "--will-cite", "--jobs", "4", "--retries", "3", command, ":::", *map(str, range(1, JOBS + 1))],
                   env=ENVIRONMENT, check=True)


def night_of_slurm(slurm, place, kills):
    script = pathlib.Path("support/engines/slurm.sh").resolve()
    environment = dict(slurm.environment, ROOT=str(place.root), PATH=f"{os.path.dirname(AFCACHE)}:{os.environ['PATH']}")
    slurm.run([str(script)], place.folder, environment, kills)


def main():
    origin = Origin()
    work = pathlib.Path(tempfile.mkdtemp())
    os.chmod(work, 0o755)
    try:
        run("keygen", "-o", str(work / "team"))
        one, killed, parallel = (Place(work, name, origin) for name in ("one", "killed", "parallel"))
        seconds = time.monotonic()
        run(*one.arguments("1"))
        alone = time.monotonic() - seconds
        print(f"test-batch: {SITES} sites by one job: {alone:.0f} s, {sum(origin.requests.values())} requests")
        seconds = time.monotonic()
        kills = jobs_with_kills(killed, "1", KILLS)
        killed.check(one, SITES)
        print(f"test-batch: {JOBS} jobs, {kills} kills: {time.monotonic() - seconds:.0f} s, the same packages, each published once")
        night_of_parallel(parallel, "1")
        parallel.check(one, SITES)
        print("test-batch: GNU parallel: the same")
        if os.geteuid() == 0:
            place = Place(work, "slurm-place", origin)
            with Slurm(work, ENVIRONMENT) as slurm:
                night_of_slurm(slurm, place, 12)
            place.check(one, SITES)
            print("test-batch: Slurm, two nodes, 12 requeues: the same")

        # The second night: a few sites have changed.
        changed = random.sample(range(SITES), CHANGED)
        for number in changed:
            origin.versions[f"s{number}"] += 1
        before = {path: path.stat().st_mtime_ns for path in killed.root.glob("*.zip")}
        run(*one.arguments("2"))
        origin.requests.clear()
        kills = jobs_with_kills(killed, "2", KILLS)
        killed.check(one, SITES + CHANGED)
        touched = {path.stem for path, time in before.items() if path.stat().st_mtime_ns != time}
        if touched != {f"s{number}" for number in changed}:
            fail(f"{len(touched)} packages were written, and {CHANGED} sites have changed")
        print(f"test-batch: the second night, {CHANGED} changed, {kills} kills: published once, no other package was written")
        origin.requests.clear()
        run(*killed.arguments("3"))
        most = max(origin.requests.values())
        if most > 3 or killed.states() != {"unchanged": SITES}:
            fail(f"a site that hasn't changed costs {most} requests; {killed.states()}")
        print(f"test-batch: a night without a change: at most {most} requests for each site")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if AFCACHE is None:
    sys.exit(__doc__)
main()
