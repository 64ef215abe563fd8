"""Crawls hosts that refer to each other in shards, by jobs that are killed, and checks that the result is that of one 'pack'.

usage: scripts/test_crawl_shards.py AFCACHE [PYTHON-WITH-RAY-AND-SPARK]

AFCACHE_HOSTS is the number of hosts (40), AFCACHE_PAGES the number of pages of each (20), AFCACHE_KILLS the number of kills (20).
With AFCACHE_RCLONE, a command that lists s:docs, jobs share this bucket, too.
"""
import asyncio
import collections
import hashlib
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

HOSTS, PAGES, KILLS = (int(os.environ.get("AFCACHE_" + name, value)) for name, value in
                       (("HOSTS", "40"), ("PAGES", "20"), ("KILLS", "20")))
# Every 15th host has a Crawl-delay of this many seconds.
SLOW, DELAY = 15, 0.5
AFCACHE = os.path.abspath(sys.argv[1]) if len(sys.argv) in (2, 3) and not sys.argv[1].startswith("-") else None
ENGINES = pathlib.Path(__file__).resolve().parent.parent / "support" / "engines"
ENVIRONMENT = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")


class Origin:
    """Answers for every host, as a proxy: pages that refer to pages, images and redirects of the same host and of others."""

    MISSING = ("404 Not Found", "text/plain", "", "")

    def __init__(self):
        self.requests, self.pause = [], 0
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True).start()
        ready.wait()

    async def serve(self, ready):
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def connection(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                url = head.split(b" ", 2)[1].decode()
                self.requests.append((time.monotonic(), url))
                host, _, path = url.removeprefix("http://").partition("/")
                # Engines may ask for the machine's own services, such as those of a cloud.
                number = host.removesuffix(".example")[1:]
                known = host.endswith(".example") and number.isdigit()
                status, media, body, more = self.answer(int(number), path) if known else self.MISSING
                if self.pause:
                    await asyncio.sleep(self.pause)
                writer.write(f"HTTP/1.1 {status}\r\nDate: Sun, 01 Nov 2026 00:00:00 GMT\r\nContent-Type: {media}\r\n{more}"
                             f"Content-Length: {len(body)}\r\n\r\n".encode() + body.encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def answer(self, host, path):
        if path == "robots.txt":
            # Some hosts ask for slowness; fewer of their pages are reached.
            return "200 OK", "text/plain", f"User-agent: *\nCrawl-delay: {DELAY}\n" if host % SLOW == 0 else "", ""
        if path.isdigit() or path == "":
            return "200 OK", "text/html", self.page(host, int(path or "0")), ""
        if path.startswith("i"):
            return "200 OK", "image/png", f"image {path} of {host}", ""
        if path.startswith("r"):
            return "302 Found", "text/html", "", f"Location: http://h{(host + 3) % HOSTS}.example/{path[1:]}\r\n"
        return self.MISSING

    def page(self, host, page):
        number = int(hashlib.sha256(f"{host} {page}".encode()).hexdigest(), 16)
        links = [f"/{child}" for child in (2 * page + 1, 2 * page + 2) if child < (4 if host % SLOW == 0 else PAGES)]
        if page % 3 == 0:
            target = number % HOSTS
            links.append(f"http://h{target}.example/{(number >> 40) % (4 if target % SLOW == 0 else PAGES)}")
        if page % 7 == 3:
            links.append(f"/r{page % 8}")
        image = f"<img src=http://h{(host + 1) % HOSTS}.example/i{page}>" if page % 5 == 1 else ""
        return "<link rel=icon href=data:,><p>" + "".join(f"<a href={link}>x</a>" for link in links) + image


def fail(message):
    sys.exit(f"test-crawl-shards: {message}")


def tell(message):
    print(f"test-crawl-shards: {message}", flush=True)


def run(*arguments):
    result = subprocess.run([AFCACHE, *arguments], capture_output=True, text=True, env=ENVIRONMENT)
    if result.returncode != 0:
        fail(f"'{' '.join(map(str, arguments))}' ends with {result.returncode}: {result.stderr}")
    return result.stdout


class Crawl:
    """A crawl in a folder, and what it publishes."""
    SEEDS = [f"http://h{number}.example/" for number in range(0, HOSTS, 7)]

    def __init__(self, work, name, shards, options):
        self.root, self.out = work / name, work / (name + "-out")
        run("crawl", "plan", str(self.root), "--shards", str(shards), "--scope", "any", "--name", "all", *options, *self.SEEDS)

    def next(self):
        return run("crawl", "next", str(self.root)).split()

    def job(self, shard):
        return subprocess.Popen([AFCACHE, "crawl", "work", str(self.root), "--shard", shard, "-q"], env=ENVIRONMENT,
                                stdout=subprocess.DEVNULL)

    def rounds(self, work_on):
        """Works on all rounds; returns their number."""
        rounds = 0
        while shards := self.next():
            work_on(shards)
            rounds += 1
            if rounds > 200:
                fail(f"{self.root.name}: no end after {rounds} rounds")
        return rounds

    def by_parallel(self, shards):
        command = f"{AFCACHE} crawl work {self.root} --shard {{}} -q"
        subprocess.run(["parallel", "--will-cite", "--jobs", "4", "--retries", "3", command, ":::", *shards], env=ENVIRONMENT,
                       check=True, stdout=subprocess.DEVNULL)

    def publish(self):
        run("crawl", "publish", str(self.root), "-o", str(self.out))
        left = [path for path in self.root.rglob("*") if path.name.startswith("try-") or "afcache-tmp" in path.name]
        attempts, done = len(list(self.root.rglob("attempt-*"))), len(list(self.root.rglob("done.json")))
        if left or attempts != done:
            fail(f"{self.root.name}: {left[:3]} are left over, and {attempts} attempts for {done} results")
        return self

    def packages(self):
        return {path.name: path.read_bytes() for path in sorted(self.out.glob("*.zip"))}

    def check(self, reference):
        mine, theirs = self.packages(), reference.packages()
        different = [name for name in theirs if mine.get(name) != theirs[name]]
        if mine.keys() != theirs.keys() or different:
            fail(f"{self.root.name}: {len(different)} packages differ from those without kills, such as {different[:3]}")


class StoredCrawl(Crawl):
    """A crawl in a bucket."""

    class Root(str):
        @property
        def name(self):
            return self.rsplit("/", 1)[1]

    def __init__(self, work, name, shards, options):
        self.root, self.out = self.Root(f"s3://docs/crawls/{name}"), work / (name + "-out")
        run("crawl", "plan", self.root, "--shards", str(shards), "--scope", "any", "--name", "all", *options, *self.SEEDS)

    def publish(self):
        run("crawl", "publish", self.root, "-o", str(self.out))
        command = [*os.environ["AFCACHE_RCLONE"].split(" "), "lsf", "-R", "--files-only", "s:" + self.root.removeprefix("s3://")]
        names = subprocess.check_output(command, text=True).split()
        left = [name for name in names if name.rsplit("/", 1)[1:] and name.rsplit("/", 1)[1].startswith(("try-", "error-", "begun"))]
        checkpoints = [name for name in names if "/checkpoint-" in name]
        if left or len(checkpoints) > len({name.split("/")[1] for name in names if "/" in name}):
            fail(f"{self.root.name}: {left[:3]} are left over, and checkpoints {checkpoints}")
        return self


def contents(packages):
    """The URLs in packages, with their statuses and bodies."""
    lines = [json.loads(line) for package in packages for line in run("ls", str(package), "--json").splitlines()]
    found = collections.Counter((line["url"], line["status"], line["sha256"]) for line in lines)
    twice = [entry for entry, count in found.items() if count > 1]
    if twice:
        fail(f"{twice[:3]} are in several packages")
    return set(found)


def check_requests(origin, name, most_twice=0.0):
    """Checks how many URLs were requested twice, and that no host was asked too soon."""
    pages = [(moment, url) for moment, url in origin.requests if not url.endswith("/robots.txt")]
    counts = collections.Counter(url for _, url in pages)
    twice = len(pages) - len(counts)
    if twice > most_twice * len(counts):
        fail(f"{name}: {twice} of {len(counts)} URLs were requested twice")
    last = {}
    for moment, url in pages:
        host = url.split("/")[2]
        if int(host[1:].split(".")[0]) % SLOW == 0:
            # On a busy machine, a request may arrive late, and the next one in time.
            if moment - last.get(host, 0) < DELAY / 2:
                fail(f"{name}: {host} was asked after {moment - last[host]:.3f} s, and wants {DELAY} s")
            last[host] = moment
    origin.requests.clear()
    return twice


def work_with_kills(crawl, kills):
    """Returns a function that works on the shards of a round, and kills some of the jobs at random moments."""
    left = [kills]

    def work_on(shards):
        waiting, running = list(shards), {}
        # A shard that is killed three times before its first answer, for which a slow host lets it wait, is set aside.
        killed = collections.Counter()
        while waiting or running:
            while waiting and len(running) < 4:
                shard = waiting.pop()
                running[shard] = crawl.job(shard)
            time.sleep(random.uniform(0.02, 0.4))
            for shard, process in list(running.items()):
                if process.poll() == 0:
                    del running[shard]
                elif process.returncode is not None:
                    fail(f"shard {shard} ends with {process.returncode}")
            candidates = [shard for shard in running if killed[shard] < 2]
            if left[0] > 0 and candidates:
                shard = random.choice(candidates)
                killed[shard] += 1
                running[shard].send_signal(random.choice([signal.SIGKILL, signal.SIGTERM]))
                if running[shard].wait() not in (-signal.SIGKILL, -signal.SIGTERM, 75, 0):
                    fail(f"shard {shard} ends with {running[shard].returncode} after a signal")
                running[shard] = crawl.job(shard)
                left[0] -= 1
    return work_on, left


def work_twice(crawl):
    """Returns a function that starts two jobs for each shard, and stops one of them for a random time."""
    def work_on(shards):
        for shard in shards:
            jobs = [crawl.job(shard), crawl.job(shard)]
            time.sleep(random.uniform(0, 0.2))
            stopped = random.choice(jobs)
            stopped.send_signal(signal.SIGSTOP)
            time.sleep(random.uniform(0, 0.3))
            stopped.send_signal(signal.SIGCONT)
            codes = [job.wait() for job in jobs]
            if codes != [0, 0]:
                fail(f"{crawl.root.name}: two jobs for shard {shard} end with {codes}")
    return work_on


def work_by_slurm(crawl, slurm, kills):
    """Returns a function that submits an array of jobs for a round, and requeues some of them."""
    script = crawl.root.parent / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH --requeue --open-mode=append\nexec {AFCACHE} crawl work {crawl.root} "
                      '--shard "$SLURM_ARRAY_TASK_ID" -q\n')

    def work_on(shards):
        slurm.run([f"--array={','.join(shards)}", str(script)], crawl.root.parent, slurm.environment, kills)
    return work_on


def descendants(pid):
    """The processes below one, with their commands."""
    parents, commands = collections.defaultdict(list), {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            commands[int(path.name)] = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parents[int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])].append(int(path.name))
        except OSError:
            continue
    found, waiting = [], [pid]
    while waiting:
        below = parents[waiting.pop()]
        found += below
        waiting += below
    return [(process, commands.get(process, "")) for process in found]


def by_engine(crawl, command, kills):
    """Runs a whole crawl by an engine's script, and kills jobs of its workers at random moments; returns the number of kills."""
    # The script finds the program by its usual name.
    programs = crawl.root.parent / "programs"
    programs.mkdir(exist_ok=True)
    if not (programs / "afcache").exists():
        (programs / "afcache").symlink_to(AFCACHE)
    environment = dict(ENVIRONMENT, PATH=f"{programs}:{os.environ['PATH']}", RAY_USAGE_STATS_ENABLED="0", no_proxy="127.0.0.1,localhost",
                       PYSPARK_PYTHON=sys.argv[2])
    with open(crawl.root.parent / f"{crawl.root.name}.log", "w") as log:
        process = subprocess.Popen([*command, str(crawl.root), str(crawl.out)], env=environment, stdout=log, stderr=log)
        killed = 0
        while process.poll() is None:
            time.sleep(random.uniform(0.5, 1.5))
            jobs = [pid for pid, words in descendants(process.pid) if "crawl work" in words and "python" not in words.split(" ")[0]]
            if jobs and killed < kills:
                try:
                    os.kill(random.choice(jobs), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    continue
    if process.returncode != 0:
        fail(f"{command[-1]} ends with {process.returncode}: {pathlib.Path(log.name).read_text()[-2000:]}")
    return killed


def main():
    origin = Origin()
    ENVIRONMENT["http_proxy"] = f"http://127.0.0.1:{origin.port}"
    work = pathlib.Path(tempfile.mkdtemp())
    os.chmod(work, 0o755)
    try:
        for depth, counts in (["--depth", "2"], [4]), (["--depth", "7"], [1, 4, 16]), ([], [16]):
            name = "-".join(["one", *depth])
            seconds = time.monotonic()
            run("pack", "--scope", "any", *depth, *Crawl.SEEDS, "-o", str(work / f"{name}.zip"), "-q")
            alone = time.monotonic() - seconds
            expected = contents([work / f"{name}.zip"])
            requests = len(origin.requests)
            origin.requests.clear()
            for shards in counts:
                crawl = Crawl(work, f"calm{shards}{''.join(depth)}", shards, depth)
                rounds = crawl.rounds(crawl.by_parallel)
                found = contents(crawl.publish().out.glob("*.zip"))
                if found != expected:
                    fail(f"{shards} shards, {depth}: {len(expected - found)} missing, such as {sorted(expected - found)[:3]}; "
                         f"{len(found - expected)} too many, such as {sorted(found - expected)[:3]}")
                check_requests(origin, f"{shards} shards")
                tell(f"{' '.join(depth) or 'any depth'}: {shards} shards, {rounds} rounds: the {len(expected)} URLs and bodies of "
                     f"one pack ({alone:.1f} s, {requests} requests), none requested twice")
        # The last one has 16 shards and any depth; slower answers give kills something to interrupt.
        calm, origin.pause = crawl, 0.02
        killed = Crawl(work, "killed", 16, [])
        work_on, left = work_with_kills(killed, KILLS)
        killed.rounds(work_on)
        killed.publish().check(calm)
        twice = check_requests(origin, "killed", 1)
        tell(f"{KILLS - left[0]} kills: the same bytes, {twice} of {len(expected)} URLs requested twice, no host too soon")
        doubled = Crawl(work, "doubled", 16, [])
        doubled.rounds(work_twice(doubled))
        doubled.publish().check(calm)
        origin.requests.clear()
        tell("two jobs for each shard, one of them stopped for a time: the same bytes, nothing of the others remains")
        if "AFCACHE_RCLONE" in os.environ:
            crawl = StoredCrawl(work, "bucket", 16, [])
            crawl.rounds(crawl.by_parallel)
            crawl.publish().check(calm)
            check_requests(origin, "bucket")
            tell("in a bucket: the same bytes, none requested twice")
            # A job stores its state after 5 seconds, and killed jobs must have done something by then.
            origin.pause = 0.2
            killed = StoredCrawl(work, "bucket-killed", 16, [])
            work_on, left = work_with_kills(killed, KILLS // 3)
            killed.rounds(work_on)
            killed.publish().check(calm)
            twice = check_requests(origin, "bucket-killed", 5)
            tell(f"in a bucket, {KILLS // 3 - left[0]} kills: the same bytes, {twice} of {len(expected)} URLs requested twice")
            origin.pause = 0.02
            doubled = StoredCrawl(work, "bucket-doubled", 16, [])
            doubled.rounds(work_twice(doubled))
            doubled.publish().check(calm)
            origin.requests.clear()
            tell("in a bucket, two jobs for each shard: the same bytes, nothing of the others remains")
        if os.geteuid() == 0:
            crawl = Crawl(work, "slurm-crawl", 16, [])
            with Slurm(work, ENVIRONMENT) as slurm:
                crawl.rounds(work_by_slurm(crawl, slurm, 2))
            crawl.publish().check(calm)
            tell("Slurm, two nodes, requeues in each round: the same bytes")
        if len(sys.argv) == 3:
            place = subprocess.check_output([sys.argv[2], "-c", "import pyspark; print(pyspark.__path__[0])"], text=True).strip()
            ENVIRONMENT["SPARK_HOME"] = place
            spark = [f"{place}/bin/spark-submit", "--master", "local-cluster[2,1,1024]", "--conf", "spark.task.maxFailures=10"]
            for name, command in ("Ray", [sys.argv[2], str(ENGINES / "crawl_ray.py")]), ("Spark", [*spark, str(ENGINES / "crawl_spark.py")]):
                crawl = Crawl(work, name.lower(), 16, [])
                killed = by_engine(crawl, command, 3)
                crawl.publish().check(calm)
                tell(f"{name}, two workers, {killed} jobs killed: the same bytes")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if AFCACHE is None:
    sys.exit(__doc__)
main()
