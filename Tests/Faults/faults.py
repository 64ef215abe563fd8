"""Kills afcache and makes its disk fail while it changes a cache, then checks whether the cache is sound.

    scripts/crash-test [--rounds 1000] [--step 1] [--only kill,boundary,error,full,filled,cut,readonly,lost,pack,fix]

After each fault, `cache verify` must find nothing, the cache must be as before the change or as after it, and the next
writer must leave nothing behind. Everything happens in a temporary folder. Tests that mount a full or failing disk need
root; without it they are skipped with a message.

  kill      kill -9 at random moments
  boundary  kill -9 before each call that changes a file
  error     each of these calls fails with EIO, ENOSPC or EDQUOT, once or permanently
  full      a file system without free bytes or free inodes (tmpfs); RLIMIT_FSIZE
  filled    a disk filled by others, and one that a server tries to fill: get, ls, serve, verify, remove, gc
  cut       a power cut: an ext4 file system loses everything that was not synced
  readonly  a cache on a file system that is mounted read-only
  lost      a missing, empty, overwritten or cut catalogue: nothing is removed, and repair restores the cache
  pack      kill -9 and the same errors at each call of pack: the package is the old one or the new one
  fix       the same for lint --fix, in a package and in a manifest
"""

import argparse
import ctypes
import errno
import fcntl
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NO_STORE = 12


class Unsound(Exception):
    """The store is not as promised."""


def says_error(errors):
    """Whether the program said what failed, perhaps behind notes."""
    return any(line.startswith("error: ") for line in errors.splitlines())


class Bench:
    """The program, three packages, and a store for each thing that is done to one."""

    def __init__(self, afcache, work):
        self.afcache, self.work = os.path.abspath(afcache), work
        self.library = f"{work}/inject.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, f"{HERE}/inject.c", "-ldl"], check=True)
        self.old = self.package("old", 1_700_000_000, lambda n: f"body {n} of the old one" if n % 2 else f"body {n}")
        self.new = self.package("new", 1_710_000_000, lambda n: f"body {n} of the new one" if n % 2 else f"body {n}")
        self.other = self.package("other", 1_705_000_000, lambda n: f"other {n}" * 500, host="other.example")
        with open(f"{work}/sync.yaml", "w") as file:
            file.write("version: 1\npackages: [{ name: p, from: new.zip, pin: true }]\n")
        self.jobs = {
            "first load": (lambda store: None, ["load", self.old, "--name", "p"]),
            "load": (self.two_packages, ["load", self.new, "--name", "p"]),
            "rollback": (self.replaced, ["cache", "rollback", "p"]),
            "remove": (self.replaced, ["cache", "remove", "p"]),
            "gc": (self.replaced, ["cache", "gc", "--previous"]),
            "sync": (self.two_packages, ["sync", f"{work}/sync.yaml"]),
            "limit": (self.replaced, ["cache", "limit", "--entries", "14"]),
        }
        self.templates, self.states = {}, {}
        for name, (make, command) in self.jobs.items():
            template = f"{work}/template {name}"
            make(template)
            self.templates[name] = template
            store = self.fresh(name)
            before = self.state(store)
            self.run(command, store)
            self.states[name] = (before, self.state(store))
            shutil.rmtree(store)

    def package(self, name, created, text, host="d.example"):
        folder, path = f"{self.work}/{name}", f"{self.work}/{name}.zip"
        for number in range(12):
            os.makedirs(f"{folder}/part{number % 3}", exist_ok=True)
            with open(f"{folder}/part{number % 3}/p{number}.txt", "w") as file:
                file.write(text(number))
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(created)}
        command = [self.afcache, "pack", "--folder", folder, "--base-url", f"http://{host}", "-o", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        return path

    def two_packages(self, store):
        self.run(["load", self.old, "--name", "p"], store)
        self.run(["load", self.other], store)

    def replaced(self, store):
        self.two_packages(store)
        self.run(["load", self.new, "--name", "p"], store)

    def fresh(self, name, folder=None):
        store = f"{folder or self.work}/store"
        shutil.rmtree(store, ignore_errors=True)
        if os.path.exists(self.templates[name]):
            subprocess.run(["cp", "-a", self.templates[name], store], check=True)
        return store

    def run(self, command, store, allowed=(0,), **options):
        process = self.start(command, store, **options)
        output, errors = process.communicate()
        if process.returncode not in allowed:
            raise Unsound(f"{command} ended with {process.returncode}: {errors}")
        return output

    def start(self, command, store, environment=None, **options):
        return subprocess.Popen(
            [self.afcache, *command, "--cache", store],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})}, **options,
        )

    def state(self, store):
        """What the store holds, without the times of loading; None where there is no store."""
        process = self.start(["cache", "packages", "--json"], store)
        output, errors = process.communicate()
        if process.returncode == NO_STORE:
            return None
        if process.returncode != 0:
            raise Unsound(f"cache packages ended with {process.returncode}: {errors}")
        packages = []
        for line in output.splitlines():
            package = json.loads(line)
            previous = package["previousLoaded"] is not None
            packages.append((package["name"], package["created"], package["resources"], package["pinned"], previous))
        listing = self.run(["ls", "--json", "--at", "2024-06-01"], store)
        return packages, hashlib.sha256(listing.encode()).hexdigest()

    def check(self, name, store, what):
        """Raises where the store is not as promised, else says whether the change was made.

        A writer that ended between its transaction and the catalogue that readers see leaves the old one; the next writer
        shows the change.
        """
        before, after = self.states[name]
        found = self.state(store)
        if found is not None:
            self.verify(store, what)
        if found not in (before, after) and not (found == ([], EMPTY) and before is None):
            raise Unsound(f"{name}, {what}: the store is neither what it was nor what it would be: {found}")
        if found is not None:
            self.run(["cache", "gc"], store)
            self.verify(store, what + ", after gc")
            seen, found = found, self.state(store)
            if found != seen and found != after:
                raise Unsound(f"{name}, {what}: gc changed what the store holds: {found}")
            left = os.listdir(f"{store}/staging")
            generations = sum(1 + package[4] for package in found[0])
            if left or len(os.listdir(f"{store}/packages")) != generations:
                raise Unsound(f"{name}, {what}: something is left behind: {left} {os.listdir(store + '/packages')}")
        return found == after

    def verify(self, store, what):
        process = self.start(["cache", "verify"], store)
        output, errors = process.communicate()
        if process.returncode != 0:
            raise Unsound(f"{what}: verify ended with {process.returncode}: {output}{errors}")

    def calls(self, name, reads=False):
        store = self.fresh(name)
        count = f"{self.work}/count"
        environment = {"LD_PRELOAD": self.library, "FAULT_BELOW": store, "FAULT_COUNT": count}
        self.run(self.jobs[name][1], store, environment={**environment, **({"FAULT_READS": "1"} if reads else {})})
        with open(count) as file:
            return int(file.read())

    # The faults.

    def kills(self, rounds):
        """kill -9 at random moments."""
        source, durations, made = random.Random(8), {}, 0
        for turn in range(rounds):
            name = list(self.jobs)[turn % len(self.jobs)]
            store = self.fresh(name)
            if name not in durations:
                began = time.monotonic()
                self.run(self.jobs[name][1], store)
                durations[name] = time.monotonic() - began
                store = self.fresh(name)
            process = self.start(self.jobs[name][1], store)
            time.sleep(source.uniform(0, durations[name] * 1.1))
            process.kill()
            process.communicate()
            made += self.check(name, store, f"killed in round {turn}")
        return f"{rounds} kills at random moments: sound; the change was made in {made}"

    def boundaries(self, step):
        """kill -9 before each call that changes a file."""
        total = 0
        for name, (_, command) in self.jobs.items():
            for at in range(1, self.calls(name) + 1, step):
                store = self.fresh(name)
                environment = {"LD_PRELOAD": self.library, "FAULT_BELOW": store, "FAULT_AT": str(at)}
                process = self.start(command, store, environment=environment)
                process.communicate()
                self.check(name, store, f"killed before call {at}")
                total += 1
        return f"{total} kills, each before another call that changes a file: sound"

    def errors(self, step):
        """Each call fails."""
        total = 0
        kinds = [(errno.EIO, False), (errno.ENOSPC, True), (errno.EIO, True), (errno.EDQUOT, False)]
        for name, (_, command) in self.jobs.items():
            count = self.calls(name, reads=True)
            for kind, (number, sticky) in enumerate(kinds):
                for at in range(1 + kind % step, count + 1, step):
                    store = self.fresh(name)
                    environment = {
                        "LD_PRELOAD": self.library, "FAULT_BELOW": store, "FAULT_AT": str(at), "FAULT_ERROR": str(number),
                        **({"FAULT_STICKY": "1"} if sticky else {}), **({"FAULT_READS": "1"} if number == errno.EIO else {}),
                    }
                    process = self.start(command, store, environment=environment)
                    _, errors = process.communicate()
                    what = f"call {at} failed with {errno.errorcode[number]}{' and all after it' if sticky else ''}"
                    made = self.check(name, store, what)
                    if process.returncode < 0 or (process.returncode != 0 and not says_error(errors)):
                        raise Unsound(f"{name}, {what}: it ended with {process.returncode} and said {errors!r}")
                    before, after = self.states[name]
                    if process.returncode == 0 and not made and before != after:
                        raise Unsound(f"{name}, {what}: it said that it is done, and it isn't")
                    total += 1
        return f"{total} calls that failed with EIO, ENOSPC or EDQUOT: sound, and each error was one sentence"

    def packs(self, step):
        """Each call of pack fails, or is its last: what is at the path is the package before or the one after."""
        total, folder = 0, f"{self.work}/packed"
        with open(f"{self.work}/new/part0/large.txt", "w") as file:
            source = random.Random(10)
            file.writelines(f"line {source.randrange(1 << 60)}\n" for _ in range(150_000))
        variants = [[], ["--sign", self.key()], ["--encrypt", "--password-file", self.password()]]
        for arguments in variants:
            os.makedirs(folder, exist_ok=True)
            command = ["pack", "--folder", f"{self.work}/new", "--base-url", "http://d.example", *arguments]
            command += ["-o", f"{folder}/p.zip"]

            def pack(**environment):
                environment = {"SOURCE_DATE_EPOCH": "1720000000", "FAULT_BELOW": folder, **environment}
                process = subprocess.run(
                    [self.afcache, *command], capture_output=True, text=True, timeout=600,
                    env={**os.environ, "LD_PRELOAD": self.library, **environment},
                )
                return process.returncode, process.stderr

            def isNew():
                with open(f"{folder}/p.zip", "rb") as file:
                    content = file.read()
                if content == old:
                    return False
                check = ["lint", f"{folder}/p.zip"] + (["--password-file", self.password()] if "--encrypt" in arguments else [])
                subprocess.run([self.afcache, *check], check=True, capture_output=True)
                return True

            with open(self.old, "rb") as file:
                old = file.read()
            count = f"{self.work}/count"
            if pack(FAULT_COUNT=count)[0] != 0:
                raise Unsound("pack doesn't work at all")
            with open(count) as file:
                calls = int(file.read())
            for number, sticky in [(0, False), (errno.EIO, False), (errno.ENOSPC, True), (errno.EDQUOT, False)]:
                for at in range(1, calls + 1, step):
                    with open(f"{folder}/p.zip", "wb") as file:
                        file.write(old)
                    environment = {"FAULT_AT": str(at)}
                    if number:
                        environment["FAULT_ERROR"] = str(number)
                    if sticky:
                        environment["FAULT_STICKY"] = "1"
                    code, errors = pack(**environment)
                    what = f"pack {arguments[:1]}, call {at} of {calls}, {errno.errorcode.get(number, 'kill')}"
                    made = isNew()
                    if number and (code < 0 or (code != 0 and not says_error(errors))):
                        raise Unsound(f"{what}: it ended with {code} and said {errors!r}")
                    if number and code == 0 and not made:
                        raise Unsound(f"{what}: it said that it is done, and it isn't")
                    left = [name for name in os.listdir(folder) if name != "p.zip"]
                    # On a disk that fails throughout, unlink fails, too.
                    if number and not sticky and len(left) > 1:
                        raise Unsound(f"{what}: left behind: {left}")
                    for name in left:
                        if name.startswith(".afcache-spool-"):
                            os.unlink(f"{folder}/{name}")
                    if left and pack()[0] != 0:
                        raise Unsound(f"{what}: the next pack fails")
                    if os.listdir(folder) != ["p.zip"]:
                        raise Unsound(f"{what}: the next pack leaves behind: {os.listdir(folder)}")
                    total += 1
            shutil.rmtree(folder)
        return f"{total} faults while a package was written: sound, the old package or the new one and nothing else"

    def fixes(self, step):
        """Each call of lint --fix fails, or is its last: the file is the one before or the one after, byte for byte."""
        total, folder = 0, f"{self.work}/fixed"
        text = "".join(f"http://d.example/{n:05}.txt ; 2004-03-27T18:43:30Z ; NULL ; text/plain\r\n" for n in range(2_000))
        with zipfile.ZipFile(f"{self.work}/spoiled.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("d.example/a", random.Random(11).randbytes(3_000_000))
            archive.writestr("manifest.afcache", "http://d.example/a ; 2004-03-27T18:43:30Z ; NULL ; text/plain")
            archive.writestr("d.example/b", "b")
        with open(f"{self.work}/spoiled.zip", "rb") as file:
            package = file.read()
        for name, old in [("m.afcache", text.encode()), ("p.zip", package)]:
            os.makedirs(folder)

            def content():
                with open(f"{folder}/{name}", "rb") as file:
                    return file.read()

            def fix(**environment):
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(old)
                process = subprocess.run(
                    [self.afcache, "lint", "--no-config", "--fix", f"{folder}/{name}"], capture_output=True, text=True, timeout=600,
                    env={**os.environ, "LD_PRELOAD": self.library, "FAULT_BELOW": folder, **environment},
                )
                return process.returncode, process.stderr

            count = f"{self.work}/count"
            if fix(FAULT_COUNT=count)[0] != 0 or (new := content()) == old:
                raise Unsound("lint --fix doesn't work at all")
            with open(count) as file:
                calls = int(file.read())
            for number, sticky in [(0, False), (errno.EIO, False), (errno.ENOSPC, True), (errno.EDQUOT, False)]:
                for at in range(1, calls + 1, step):
                    environment = {"FAULT_AT": str(at)}
                    if number:
                        environment["FAULT_ERROR"] = str(number)
                    if sticky:
                        environment["FAULT_STICKY"] = "1"
                    code, errors = fix(**environment)
                    what = f"lint --fix {name}, call {at} of {calls}, {errno.errorcode.get(number, 'kill')}"
                    made = content()
                    if made not in (old, new):
                        raise Unsound(f"{what}: the file is neither the old nor the new one")
                    if number and (code < 0 or (code != 0 and not says_error(errors))):
                        raise Unsound(f"{what}: it ended with {code} and said {errors!r}")
                    if number and code == 0 and made != new:
                        raise Unsound(f"{what}: it said that it is done, and it isn't")
                    if fix()[0] != 0 or content() != new:
                        raise Unsound(f"{what}: the next fix fails")
                    if os.listdir(folder) != [name]:
                        raise Unsound(f"{what}: the next fix leaves behind: {os.listdir(folder)}")
                    total += 1
            shutil.rmtree(folder)
        return f"{total} faults while a file was fixed: sound, the old file or the new one and nothing else"

    def key(self):
        path = f"{self.work}/signer.key"
        if not os.path.exists(path):
            subprocess.run([self.afcache, "keygen", "-o", path], check=True, stdout=subprocess.DEVNULL)
        return path

    def password(self):
        path = f"{self.work}/password"
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write("secret of the test\n")
            os.chmod(path, 0o600)
        return path

    def full(self, step):
        """File systems that are full, and a limit to the size of files."""
        total = 0
        for options in ("size={}k", "size=64m,nr_inodes={}"):
            for size in range(8, 130, 4 * step):
                with Mounted(self.work, ["-t", "tmpfs", "-o", options.format(size), "tmpfs"]) as folder:
                    store = f"{folder}/store"
                    process = self.start(["load", self.old, "--name", "p"], store)
                    process.communicate()
                    if process.returncode == 0:
                        process = self.start(["load", self.new, "--name", "p"], store)
                        process.communicate()
                    # The catalogue's shared memory wants 32 kB, too; what counts is the state once there is room again.
                    subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=10000", folder], check=True)
                    found = self.state(store)
                    if found is not None:
                        self.verify(store, f"a disk of {options.format(size)}")
                    total += 1
        for name in ("first load", "load"):
            for size in range(0, 40_000, 1500 * step):
                store = self.fresh(name)
                limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                process = self.start(self.jobs[name][1], store, preexec_fn=limit)
                process.communicate()
                self.check(name, store, f"no file may be larger than {size} bytes")
                total += 1
        return f"{total} disks too small, and limits to the size of files: sound"

    def filled(self):
        """On a full disk reading keeps working, and removing frees; a server can't fill the disk."""
        disks = [
            ("of bytes", ["-t", "tmpfs", "-o", "size=40m", "tmpfs"]),
            ("of inodes", ["-t", "tmpfs", "-o", "size=40m,nr_inodes=400", "tmpfs"]),
            ("of bytes, ext4", None),
        ]
        for what, arguments in disks:
            image = f"{self.work}/full.img"
            if arguments is None:
                with open(image, "wb") as file:
                    file.truncate(40 << 20)
                subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-F", image], check=True)
                arguments = ["-o", "loop", image]
            with Mounted(self.work, arguments) as folder:
                store = self.fresh("gc", folder)
                # A change makes the reserve of a cache that came from elsewhere.
                self.run(["cache", "pin", "other"], store)
                self.run(["cache", "unpin", "other"], store)
                before = self.state(store)
                fill(folder)
                self.look(store, f"a disk full {what}")
                process = self.start(["load", self.old, "--name", "q"], store)
                _, errors = process.communicate()
                if process.returncode != 11 or not says_error(errors):
                    raise Unsound(f"load on a disk full {what} ended with {process.returncode}: {errors}")
                if self.state(store) != before:
                    raise Unsound(f"load on a disk full {what} changed something")
                self.run(["cache", "remove", "p"], store)
                fill(folder)
                self.run(["cache", "gc"], store)
                self.look(store, f"a disk full {what}, after remove and gc")
                if [package[0] for package in self.state(store)[0]] != ["other"]:
                    raise Unsound(f"remove on a disk full {what} left {self.state(store)}")
                shutil.rmtree(f"{folder}/filled")
                self.run(["load", self.new, "--name", "p"], store)
                self.verify(store, f"a disk that was full {what}")
        with Mounted(self.work, ["-t", "tmpfs", "-o", "size=64m", "tmpfs"]) as folder, Endless() as url:
            store = self.fresh("gc", folder)
            process = self.start(["load", url], store)
            _, errors = process.communicate(timeout=300)
            if process.returncode != 11 or "the disk that holds" not in errors:
                raise Unsound(f"load of a package without an end ended with {process.returncode}: {errors}")
            if os.listdir(f"{store}/downloads"):
                raise Unsound(f"what can't be resumed is kept: {os.listdir(store + '/downloads')}")
            self.look(store, "a disk that a server tried to fill")
        return f"{len(disks)} disks that were full, and a server that sent without an end: sound; reading kept working, and removing freed"

    def look(self, store, what):
        """Reads a cache in every way."""
        self.verify(store, what)
        for command in (["get", "http://other.example/part0/p0.txt"], ["ls"], ["cache", "info"], ["cache", "packages"]):
            process = self.start(command, store)
            output, errors = process.communicate()
            if process.returncode not in (0, 2) or not output:
                raise Unsound(f"{what}: {command} ended with {process.returncode}: {errors}")
        server = self.start(["serve", "--port", "0"], store)
        try:
            address = server.stdout.readline().split()[-1]
            with urllib.request.urlopen(f"{address}other.example/part0/p0.txt", timeout=60) as response:
                if response.read() != b"other 0" * 500:
                    raise Unsound(f"{what}: the server sent something else")
        except OSError as error:
            raise Unsound(f"{what}: serve: {error}") from error
        finally:
            server.terminate()
            server.communicate()

    def read_only(self):
        """Look-ups work on a store that can't be written; changes are refused and change nothing."""
        looked, refused = 0, 0
        for name, (_, command) in self.jobs.items():
            if not os.path.exists(self.templates[name]):
                continue
            store = self.fresh(name)
            with Mounted(self.work, ["--bind", store]) as folder:
                subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
                if self.state(folder) != self.states[name][0]:
                    raise Unsound(f"{name}: a store that is read-only looks different")
                self.verify(folder, "a store that is read-only")
                self.run(["get", "http://other.example/part0/p0.txt"], folder, allowed=(0, 2))
                looked += 3
                process = self.start(command, folder)
                _, errors = process.communicate()
                if process.returncode != 11 or not says_error(errors):
                    raise Unsound(f"{name} on a read-only store ended with {process.returncode}: {errors}")
                refused += 1
            self.check(name, store, "after it was read-only")
        return f"{looked} looks at a read-only store: sound; {refused} changes refused"

    def lost(self, step):
        """A catalogue that is lost in each way: no command removes a body, and repair makes the store what it was."""
        def garbage(path):
            with open(path, "wb") as file:
                file.write(b"\x07" * 9000)

        ways = {
            "missing": os.unlink, "empty": lambda path: os.truncate(path, 0), "garbage": garbage,
            "cut": lambda path: os.truncate(path, os.path.getsize(path) // 2),
        }
        turn, total = 0, 0
        for name, (_, command) in self.jobs.items():
            if not os.path.exists(self.templates[name]):
                continue
            for way, lose in ways.items():
                for published in (True, False):
                    turn += 1
                    if turn % step:
                        continue
                    store = self.fresh(name)
                    for suffix in ("-wal", "-shm"):
                        if os.path.exists(f"{store}/index.sqlite{suffix}"):
                            os.unlink(f"{store}/index.sqlite{suffix}")
                    lose(f"{store}/index.sqlite")
                    if not published:
                        os.unlink(f"{store}/catalogue.json")
                    before, what = files(store), f"{name} with a catalogue that is {way}"
                    process = self.start(command, store)
                    _, errors = process.communicate()
                    if process.returncode != NO_STORE or "'afcache cache repair" not in errors:
                        raise Unsound(f"{what}: it ended with {process.returncode} and said {errors!r}")
                    if before - files(store):
                        raise Unsound(f"{what}: it removed {sorted(before - files(store))}")
                    self.run(["cache", "repair"], store)
                    if before - files(store):
                        raise Unsound(f"{what}: repair removed {sorted(before - files(store))}")
                    if self.state(store) != self.states[name][0]:
                        raise Unsound(f"{what}: after repair the store is not what it was")
                    self.check(name, store, what)
                    total += 1
        return f"{total} lost catalogues: sound, nothing was removed and repair brought back all"

    def cuts(self, rounds):
        """Power cuts: an ext4 in a file is shut down without writing its journal, and mounted again."""
        source, made, done = random.Random(9), 0, 0
        image = f"{self.work}/disk.img"
        for turn in range(rounds):
            name = list(self.jobs)[turn % len(self.jobs)]
            with open(image, "wb") as file:
                file.truncate(48 << 20)
            subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
            with Mounted(self.work, ["-o", "loop", image]) as folder:
                store = self.fresh(name, folder)
                os.sync()
                process = self.start(self.jobs[name][1], store)
                if turn % 3 == 0:
                    process.wait()
                else:
                    time.sleep(source.uniform(0, 0.12))
                cut_power(folder)
                process.communicate()
            with Mounted(self.work, ["-o", "loop", image]) as folder:
                store = f"{folder}/store"
                is_made = self.check(name, store, f"the power was cut in round {turn}")
                if process.returncode == 0 and not is_made and self.states[name][0] != self.states[name][1]:
                    raise Unsound(f"{name}: it said that it is done, and a power cut undid it in round {turn}")
                made += is_made
                done += process.returncode == 0
        return f"{rounds} power cuts: sound; {done} came after the program had said that it is done, and undid nothing"


def files(store):
    """The bodies and indices in a store."""
    return {os.path.join(folder, name) for folder, _, names in os.walk(f"{store}/packages") for name in names}


NEEDS_MOUNT = {"full", "filled", "cut", "readonly"}
EMPTY = hashlib.sha256(b"").hexdigest()


class Mounted:
    """A file system that is mounted for as long as the block lasts."""

    def __init__(self, work, arguments):
        self.folder, self.arguments = tempfile.mkdtemp(dir=work, prefix="mount-"), arguments

    def __enter__(self):
        subprocess.run(["mount", *self.arguments, self.folder], check=True, stderr=subprocess.PIPE)
        return self.folder

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)
        os.rmdir(self.folder)


def fill(folder):
    """Takes what is free on a file system: its bytes, then its inodes."""
    os.makedirs(f"{folder}/filled", exist_ok=True)
    for size in (1 << 20, 4096, 1):
        number = 0
        try:
            while True:
                number += 1
                with open(f"{folder}/filled/{size}-{len(os.listdir(folder + '/filled'))}", "xb", buffering=0) as file:
                    if file.write(b"x" * size) < size:
                        break
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


class Endless:
    """A server on 127.0.0.1 that answers with a body without an end, which can't be resumed."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}/endless.zip"

    def __exit__(self, *_):
        self.socket.close()

    def serve(self):
        chunk = b"10000\r\n" + b"P" * 0x10000 + b"\r\n"
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    while True:
                        connection.sendall(chunk)
                except OSError:
                    pass


def cut_power(folder):
    """EXT4_IOC_SHUTDOWN with NOLOGFLUSH: nothing that was not synced gets to the disk any more."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, 0x8004587D, ctypes.c_uint32(2))
    finally:
        os.close(descriptor)


def can_mount(work):
    """Whether file systems can be mounted here; the reason where they can't."""
    if os.geteuid() != 0:
        return "only root can mount"
    image = f"{work}/probe.img"
    with open(image, "wb") as file:
        file.truncate(8 << 20)
    try:
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, stderr=subprocess.PIPE)
        with Mounted(work, ["-o", "loop", image]) as folder:
            cut_power(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"a file system can't be mounted and shut down here: {error}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("afcache")
    parser.add_argument("--rounds", type=int, default=1000, help="the number of random kills; power cuts are a tenth of it")
    parser.add_argument("--step", type=int, default=1, help="test only every Nth call")
    parser.add_argument("--only", default="kill,boundary,error,full,filled,cut,readonly,lost,pack,fix")
    arguments = parser.parse_args()
    work = tempfile.mkdtemp(prefix="afcache-faults-")
    try:
        bench = Bench(arguments.afcache, work)
        wanted = arguments.only.split(",")
        reason = can_mount(work) if NEEDS_MOUNT & set(wanted) else None
        faults = {
            "kill": lambda: bench.kills(arguments.rounds),
            "boundary": lambda: bench.boundaries(arguments.step),
            "error": lambda: bench.errors(arguments.step),
            "full": lambda: bench.full(arguments.step),
            "filled": lambda: bench.filled(),
            "cut": lambda: bench.cuts(max(3, arguments.rounds // 10)),
            "readonly": lambda: bench.read_only(),
            "lost": lambda: bench.lost(arguments.step),
            "pack": lambda: bench.packs(arguments.step),
            "fix": lambda: bench.fixes(arguments.step),
        }
        for kind in wanted:
            if reason and kind in NEEDS_MOUNT:
                print(f"{kind}: left out, since {reason}", flush=True)
                continue
            began = time.monotonic()
            print(f"{kind}: {faults[kind]()} ({time.monotonic() - began:.0f} s)", flush=True)
    except Unsound as error:
        sys.exit(f"crash-test: {error}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
