"""Slurm's controller and two nodes on this machine, for tests of commands that job services start."""
import os
import random
import socket
import subprocess
import time


def wait_until(event, happened, seconds=60):
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise SystemExit(f"after {seconds} seconds still waiting until {event}")
        time.sleep(0.2)


class Slurm:
    """A controller and two nodes on this machine."""

    def __init__(self, work, environment):
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
        self.environment = dict(environment, SLURM_CONF=str(self.configuration))
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

    def run(self, words, folder, environment, kills):
        """Submits a job with its array, requeues a random one a number of times, and waits for the end."""
        submitted = subprocess.run(["sbatch", "--parsable", "--output", str(self.folder / "job-%a.out"), *words], text=True,
                                   cwd=folder, env=environment, capture_output=True)
        if submitted.returncode != 0:
            raise SystemExit(f"sbatch: {submitted.stderr}")
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
