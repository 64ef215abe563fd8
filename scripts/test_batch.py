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
import socket
import subprocess
import sys
import tempfile
import threading
import time

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


class Slurm:
    """A controller and two nodes on this machine."""

    def __init__(self, work):
        self.folder = work / "slurm"
        self.folder.mkdir()
        ports = []
        for _ in range(3):
            with socket.socket() as held:
                held.bind(("127.0.0.1", 0))
                ports.append(held.getsockname()[1])
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o400)
        for name in ("state", "spool1", "spool2"):
            (self.folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool%n
SlurmdPidFile={self.folder}/%n.pid
SlurmctldPidFile={self.folder}/controller.pid
JobRequeue=1
MinJobAge=600
SlurmdParameters=config_overrides
NodeName=1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=4 RealMemory=4000
NodeName=2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=4 RealMemory=4000
PartitionName=all Nodes=1,2 Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = dict(ENVIRONMENT, SLURM_CONF=str(self.configuration))
        self.processes = []

    def start(self, *words):
        log = open(self.folder / f"{os.path.basename(words[0])}-{len(self.processes)}.log", "w")
        self.processes.append(subprocess.Popen(words, stdout=log, stderr=log, env=self.environment))

    def __enter__(self):
        folder = self.folder
        self.start("munged", "--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
                   f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        wait_until("munge listens", lambda: (folder / "munge.socket").exists())
        self.start("slurmctld", "-D", "-f", str(self.configuration))
        for node in ("1", "2"):
            self.start("slurmd", "-D", "-f", str(self.configuration), "-N", node)
        wait_until("two nodes are idle", lambda: self.call("sinfo", "-h", "-o", "%D %t").split() == ["2", "idle"])
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()

    def call(self, *words):
        return subprocess.run(words, capture_output=True, text=True, env=self.environment).stdout.strip()

    def night(self, place, kills):
        script = pathlib.Path("support/engines/slurm.sh").resolve()
        environment = dict(self.environment, ROOT=str(place.root), PATH=f"{os.path.dirname(AFCACHE)}:{os.environ['PATH']}")
        submitted = subprocess.run(["sbatch", "--parsable", "--output", str(self.folder / "job-%a.out"), str(script)], text=True,
                                   cwd=place.folder, env=environment, capture_output=True)
        if submitted.returncode != 0:
            fail(f"sbatch: {submitted.stderr}")
        job = submitted.stdout.strip()
        for _ in range(kills):
            time.sleep(random.uniform(0.3, 1.0))
            running = self.call("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%A").split()
            if running:
                self.call("scontrol", "requeue", random.choice(running))

        def is_done():
            # A job that was requeued waits until its time has come.
            for held in self.call("squeue", "-h", "-r", "-t", "PENDING", "-o", "%A").split():
                self.call("scontrol", "update", f"JobId={held}", "StartTime=now")
            return self.call("squeue", "-h", "-j", job) == ""

        wait_until("Slurm's jobs end", is_done, 600)


def wait_until(event, happened, seconds=60):
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            fail(f"after {seconds} seconds still waiting until {event}")
        time.sleep(0.2)


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
        slurm = None
        if os.geteuid() == 0:
            place = Place(work, "slurm-place", origin)
            with Slurm(work) as slurm:
                slurm.night(place, 12)
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
