"""Kills afcache and makes its disk fail while it changes a cache, then checks whether the cache is sound.

    scripts/crash-test [--rounds 1000] [--step 1] [--only kill,boundary,error,full,size,filled,cut,readonly,lost,pack,fix]
    scripts/crash-test --only kill:16,error:151

After each fault, `cache verify` must find nothing, the cache must be as before the change or as after it, and the next
writer must leave nothing behind. Everything happens in a temporary folder.

The test also fails if a fault did not happen: each kind counts the calls that failed, as the library that makes them fail
reports it, and the kills that hit a working process, and states how many there must be. Tests that mount a full or failing
disk need root; where nothing can be mounted, the test fails unless '--without-mounts' leaves them out. '--prove' leaves out
every kind of fault on purpose, and checks that the test then fails.

  kill      kill -9 at random moments
  boundary  kill -9 before each call that changes a file
  error     each of these calls fails with EIO, ENOSPC or EDQUOT, once or permanently
  full      a file system without free bytes or free inodes (tmpfs)
  size      a limit to the size of files (RLIMIT_FSIZE)
  filled    a disk filled by others, and one that a server tries to fill: get, ls, serve, verify, remove, gc
  cut       a power cut: an ext4 file system loses everything that was not synced
  readonly  a cache on a file system that is mounted read-only
  lost      any one or two of the catalogue's places missing, empty, overwritten or cut: nothing is removed, and repair restores all
  pack      kill -9 and the same errors at each call of pack: the package is the old one or the new one
  fix       the same for lint --fix, in a package and in a manifest
"""

import argparse
import ctypes
import errno
import fcntl
import hashlib
import http.server
import itertools
import json
import os
import random
import re
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

from injection import Injection, LeftOut, Tally, Unsound

NO_STORE, UNUSABLE, CANT_MOUNT = 12, 11, 3
# What fails, and whether everything after it fails, too; 0 is a kill.
ERRORS = [(errno.EIO, False), (errno.ENOSPC, True), (errno.EIO, True), (errno.EDQUOT, False)]
FILE_FAULTS = [(0, False), (errno.EIO, False), (errno.ENOSPC, True), (errno.EDQUOT, False)]


def says_error(errors):
    """Whether the program said what failed, perhaps behind notes."""
    return any(line.startswith("error: ") for line in errors.splitlines())


class Bench:
    """The program, three packages, and a store for each thing that is done to one."""

    def __init__(self, afcache, work, tested=None):
        self.afcache, self.work = os.path.abspath(afcache), work
        self.injection = Injection(work)
        self.injection.check_program(self.afcache)
        self.old = self.package("old", 1_700_000_000, lambda n: f"body {n} of the old one" if n % 2 else f"body {n}")
        self.new = self.package("new", 1_710_000_000, lambda n: f"body {n} of the new one" if n % 2 else f"body {n}")
        self.other = self.package("other", 1_705_000_000, lambda n: f"other {n}" * 500, host="other.example")
        self.large_old = self.package("large-old", 1_700_000_000, lambda n: f"body {n} of the old one" if n % 2 else f"body {n}", noise=True)
        self.large_new = self.package("large-new", 1_710_000_000, lambda n: f"body {n} of the new one" if n % 2 else f"body {n}", noise=True)
        self.patch = f"{work}/patch.zip"
        subprocess.run([self.afcache, "patch", self.large_old, self.large_new, "-o", self.patch], check=True, stdout=subprocess.DEVNULL)
        self.server = Ranged(self.large_new)
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
            "ranges": (self.large, ["load", self.server.url, "--name", "p"]),
            "patch": (self.large, ["load", self.patch, "--name", "p"]),
        }
        if unknown := [name for name in tested or () if name not in self.jobs]:
            raise LeftOut(f"there is no job '{unknown[0]}'; choose from {', '.join(self.jobs)}")
        self.tested = tested or list(self.jobs)
        self.states = {}

    def template(self, name):
        """The store that a command changes; None where it makes one. Made when it is first asked for, with its states."""
        path = f"{self.work}/template {name}"
        if name in self.states:
            return path if os.path.exists(path) else None
        make, command = self.jobs[name]
        make(path)
        store = f"{self.work}/first {name}"
        if os.path.exists(path):
            subprocess.run(["cp", "-a", path, store], check=True)
        before, parts = self.state(store), self.server.parts
        self.run(command, store)
        after = self.state(store)
        # Otherwise no check could tell a change that was made from one that was not.
        if before == after or not after[0] or after[1] == EMPTY:
            raise LeftOut(f"'{name}' changes nothing that a check could find")
        if name == "ranges" and self.server.parts == parts:
            raise LeftOut("the update from a server has requested no part of the package")
        shutil.rmtree(store)
        self.states[name] = (before, after)
        return self.template(name)

    def package(self, name, created, text, host="d.example", noise=False):
        folder, path = f"{self.work}/{name}", f"{self.work}/{name}.zip"
        # What stays the same has more bytes than the end of a package that an update always requests.
        for number in range(4 if noise else 0):
            os.makedirs(f"{folder}/same", exist_ok=True)
            with open(f"{folder}/same/{number}.bin", "wb") as file:
                file.write(random.Random(number).randbytes(60_000))
        for number in range(12):
            os.makedirs(f"{folder}/part{number % 3}", exist_ok=True)
            with open(f"{folder}/part{number % 3}/p{number}.txt", "w") as file:
                file.write(text(number))
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(created)}
        command = [self.afcache, "pack", "--folder", folder, "--base-url", f"http://{host}", "--name", name, "-o", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        return path

    def two_packages(self, store):
        self.run(["load", self.old, "--name", "p"], store)
        self.run(["load", self.other], store)

    def large(self, store):
        self.run(["load", self.large_old, "--name", "p"], store)
        self.run(["load", self.other], store)

    def replaced(self, store):
        self.two_packages(store)
        self.run(["load", self.new, "--name", "p"], store)

    def fresh(self, name, folder=None):
        store = f"{folder or self.work}/store"
        shutil.rmtree(store, ignore_errors=True)
        if template := self.template(name):
            subprocess.run(["cp", "-a", template, store], check=True)
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
        process = self.start(["cache", "ls", "--json"], store)
        output, errors = process.communicate()
        if process.returncode == NO_STORE:
            return None
        if process.returncode != 0:
            raise Unsound(f"cache ls ended with {process.returncode}: {errors}")
        packages = []
        for line in output.splitlines():
            package = json.loads(line)
            previous = package["previousLoaded"] is not None
            packages.append((package["name"], package["created"], package["resources"], package["pinned"], previous))
        listing = self.run(["ls", "--json", "--at", "2024-06-01"], store)
        return packages, hashlib.sha256(listing.encode()).hexdigest()

    def check(self, name, store, what, tally):
        """Raises where the store is not as promised, else says whether the change was made.

        A writer that ended before it had written everything again leaves the rest to the next one, here `gc`.
        """
        before, after = self.states[name]
        found = self.state(store)
        if found is not None:
            self.verify(store, what, found)
        if found not in (before, after) and not (found == ([], EMPTY) and before is None):
            raise Unsound(f"{name}, {what}: the store is neither what it was nor what it would be: {found}")
        if found is not None:
            self.run(["cache", "gc"], store)
            seen, found = found, self.state(store)
            self.verify(store, what + ", after gc", found)
            if found != seen:
                raise Unsound(f"{name}, {what}: gc changed what the store holds: {found}")
            left = os.listdir(f"{store}/staging")
            generations = sum(1 + package[4] for package in found[0])
            if left or len(os.listdir(f"{store}/packages")) != generations:
                raise Unsound(f"{name}, {what}: something is left behind: {left} {os.listdir(store + '/packages')}")
        tally.add("found as after the change" if found == after else "found as before the change")
        return found == after

    def verify(self, store, what, state=None):
        """Checks the store; what was checked must be what the store holds."""
        process = self.start(["cache", "verify"], store)
        output, errors = process.communicate()
        if process.returncode != 0:
            raise Unsound(f"{what}: verify ended with {process.returncode}: {output}{errors}")
        checked = re.match(r"([\d,]+) packages?, ([\d,]+) bod", output)
        packages, bodies = (int(text.replace(",", "")) for text in checked.groups()) if checked else (0, 0)
        if not (bodies > 0 and packages > 0) if state is None else packages != len(state[0]) or (bodies > 0) != bool(state[0]):
            raise LeftOut(f"{what}: verify checked something else than the store: {output!r}")

    def calls(self, name, reads=False):
        """The calls that a command makes, by name and in order."""
        store = self.fresh(name)
        self.run(self.jobs[name][1], store, environment=self.injection.environment(store, reads=reads))
        return self.injection.counted(name)

    # The faults.

    def kills(self, rounds):
        """kill -9 at random moments: every second time at any time, else near a random one of the calls."""
        tally, source, durations, calls = Tally("kill"), random.Random(8), {}, {}
        for turn in range(rounds):
            name = self.tested[turn % len(self.tested)]
            if name not in durations:
                calls[name] = len(self.calls(name))
                store, began = self.fresh(name), time.monotonic()
                self.run(self.jobs[name][1], store, environment=self.injection.environment(store))
                durations[name] = time.monotonic() - began
            store = self.fresh(name)
            process = self.start(self.jobs[name][1], store, environment=self.injection.environment(store))
            if turn % 2:
                time.sleep(source.uniform(0, durations[name] * 1.1))
            else:
                self.await_call(process, source.randrange(1, calls[name]))
                time.sleep(source.uniform(0, 0.002))
            self.kill(process)
            process.communicate()
            tally.add(self.moment(process, calls[name]))
            self.check(name, store, f"killed in round {turn}", tally)
        self.require_moments(tally, rounds)
        tally.require("found as before the change", rounds // 20)
        tally.require("found as after the change", rounds // 20)
        return f"{rounds} kills at random moments: sound; {self.moments(tally)}"

    def await_call(self, process, number):
        """Waits for one of the calls of a process, or for the end of the process."""
        while process.poll() is None and len(self.injection.report().calls) < number:
            time.sleep(0.0005)

    def kill(self, process):
        process.kill()

    def moment(self, process, calls):
        """When a process ended, by what the library counted until then."""
        report = self.injection.report()
        if process.returncode != -signal.SIGKILL:
            return "came after the end"
        if not report.calls:
            return "came before the first change"
        return "hit the program while it changed files" if len(report.calls) < calls else "came after the last change"

    def require_moments(self, tally, rounds):
        tally.require("hit the program while it changed files", max(1, rounds // 4))

    def moments(self, tally):
        """What was counted, in words."""
        names = [
            "came before the first change", "hit the program while it changed files", "came after the last change",
            "came after the end", "found as before the change", "found as after the change",
        ]
        return ", ".join(f"{tally[name]} {name}" for name in names)

    def boundaries(self, step):
        """kill -9 before each call that changes a file."""
        tally = Tally("boundary")
        for name in self.tested:
            command = self.jobs[name][1]
            calls = self.calls(name)
            tally.plan(calls)
            for at in range(1, len(calls) + 1, step):
                store = self.fresh(name)
                process = self.start(command, store, environment=self.injection.environment(store, at))
                process.communicate()
                report = self.injection.report()
                tally.fault(report, f"injected into '{name}'")
                if (process.returncode == -signal.SIGKILL) != bool(report.faults):
                    raise Unsound(f"{name}, killed before call {at}: it ended with {process.returncode}")
                self.check(name, store, f"killed before call {at}", tally)
            tally.require(f"injected into '{name}'")
        tally.require_faults(step == 1)
        return (
            f"{tally['injected']} of {tally.planned} kills, each before another call that changes a file: sound; {self.found(tally)};"
            f" they hit {tally.hit()}"
        )

    def found(self, tally):
        return f"{tally['found as before the change']} found as before the change, {tally['found as after the change']} as after"

    def errors(self, step):
        """Each call fails."""
        tally = Tally("error")
        for name in self.tested:
            command = self.jobs[name][1]
            counts = {reads: self.calls(name, reads) for reads in (False, True)}
            for kind, (number, sticky) in enumerate(ERRORS):
                # A disk that is full can be read.
                reads = number == errno.EIO
                tally.plan(counts[reads])
                called = f"{errno.errorcode[number]}{' from then on' if sticky else ''} injected into '{name}'"
                for at in range(1 + kind % step, len(counts[reads]) + 1, step):
                    store = self.fresh(name)
                    environment = self.injection.environment(store, at, number, sticky, reads)
                    process = self.start(command, store, environment=environment)
                    _, errors = process.communicate()
                    tally.fault(self.injection.report(), called)
                    what = f"call {at} failed with {errno.errorcode[number]}{' and all after it' if sticky else ''}"
                    made = self.check(name, store, what, tally)
                    if process.returncode < 0 or (process.returncode != 0 and not says_error(errors)):
                        raise Unsound(f"{name}, {what}: it ended with {process.returncode} and said {errors!r}")
                    if process.returncode == 0 and not made:
                        raise Unsound(f"{name}, {what}: it said that it is done, and it isn't")
                    tally.add("commands reported an error" if process.returncode else "commands succeeded nevertheless")
                tally.require(called)
        tally.require_faults(step == 1)
        tally.require("commands reported an error", tally.planned // 4)
        return (
            f"{tally['injected']} of {tally.planned} calls that failed with EIO, ENOSPC or EDQUOT: sound, and each error was one"
            f" sentence; {tally['commands reported an error']} commands reported an error,"
            f" {tally['commands succeeded nevertheless']} succeeded nevertheless; {self.found(tally)}; they hit {tally.hit()}"
        )

    def packs(self, step):
        """Each call of pack fails, or is its last: what is at the path is the package before or the one after."""
        tally, folder = Tally("pack"), f"{self.work}/packed"
        with open(f"{self.work}/new/part0/large.txt", "w") as file:
            source = random.Random(10)
            file.writelines(f"line {source.randrange(1 << 60)}\n" for _ in range(115_000))
        variants = [[], ["--sign", self.key()], ["--encrypt", "--password-file", self.password()]]
        for arguments in variants:
            os.makedirs(folder, exist_ok=True)
            command = ["pack", "--folder", f"{self.work}/new", "--base-url", "http://d.example", *arguments]
            command += ["-o", f"{folder}/p.zip"]

            def pack(*fault):
                environment = {"SOURCE_DATE_EPOCH": "1720000000", **self.injection.environment(folder, *fault)}
                process = subprocess.run(
                    [self.afcache, *command], capture_output=True, text=True, timeout=600, env={**os.environ, **environment}
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
            if pack()[0] != 0 or not isNew():
                raise Unsound("pack doesn't work at all")
            calls = self.injection.counted("pack")
            tally.plan(calls)
            for number, sticky in FILE_FAULTS:
                called = f"{errno.errorcode.get(number, 'kill')} injected into {' '.join(['pack', *arguments[:1]])}"
                for at in range(1, len(calls) + 1, step):
                    with open(f"{folder}/p.zip", "wb") as file:
                        file.write(old)
                    code, errors = pack(at, number, sticky)
                    report = self.injection.report()
                    tally.fault(report, called)
                    what = f"pack {arguments[:1]}, call {at} of {len(calls)}, {errno.errorcode.get(number, 'kill')}"
                    made = isNew()
                    tally.add("found as after the change" if made else "found as before the change")
                    if not number and (code == -signal.SIGKILL) != bool(report.faults):
                        raise Unsound(f"{what}: it ended with {code}")
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
                tally.require(called)
            shutil.rmtree(folder)
        tally.require_faults(step == 1)
        return (
            f"{tally['injected']} of {tally.planned} faults while a package was written: sound, the old package or the new one and"
            f" nothing else; {self.found(tally)}; they hit {tally.hit()}"
        )

    def fixes(self, step):
        """Each call of lint --fix fails, or is its last: the file is the one before or the one after, byte for byte."""
        tally, folder = Tally("fix"), f"{self.work}/fixed"
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

            def fix(*fault):
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(old)
                process = subprocess.run(
                    [self.afcache, "lint", "--no-config", "--fix", f"{folder}/{name}"], capture_output=True, text=True, timeout=600,
                    env={**os.environ, **self.injection.environment(folder, *fault)},
                )
                return process.returncode, process.stderr

            if fix()[0] != 0 or (new := content()) == old:
                raise Unsound("lint --fix doesn't work at all")
            calls = self.injection.counted("lint --fix")
            tally.plan(calls)
            for number, sticky in FILE_FAULTS:
                called = f"{errno.errorcode.get(number, 'kill')} injected into lint --fix {name}"
                for at in range(1, len(calls) + 1, step):
                    code, errors = fix(at, number, sticky)
                    report = self.injection.report()
                    tally.fault(report, called)
                    what = f"lint --fix {name}, call {at} of {len(calls)}, {errno.errorcode.get(number, 'kill')}"
                    made = content()
                    if made not in (old, new):
                        raise Unsound(f"{what}: the file is neither the old nor the new one")
                    tally.add("found as after the change" if made == new else "found as before the change")
                    if not number and (code == -signal.SIGKILL) != bool(report.faults):
                        raise Unsound(f"{what}: it ended with {code}")
                    if number and (code < 0 or (code != 0 and not says_error(errors))):
                        raise Unsound(f"{what}: it ended with {code} and said {errors!r}")
                    if number and code == 0 and made != new:
                        raise Unsound(f"{what}: it said that it is done, and it isn't")
                    if fix()[0] != 0 or content() != new:
                        raise Unsound(f"{what}: the next fix fails")
                    if os.listdir(folder) != [name]:
                        raise Unsound(f"{what}: the next fix leaves behind: {os.listdir(folder)}")
                tally.require(called)
            shutil.rmtree(folder)
        tally.require_faults(step == 1)
        return (
            f"{tally['injected']} of {tally.planned} faults while a file was fixed: sound, the old file or the new one and nothing"
            f" else; {self.found(tally)}; they hit {tally.hit()}"
        )

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
        """File systems that are full."""
        tally = Tally("full")
        old, new = self.created("first load"), self.created("load")
        for lacking, options in [("bytes", "size={}k"), ("inodes", "size=64m,nr_inodes={}")]:
            for size in range(8, 130, 4 * step):
                what, done = f"a disk of {options.format(size)}", 0
                with Mounted(self.work, ["-t", "tmpfs", "-o", self.small(options, size), "tmpfs"]) as folder:
                    store = f"{folder}/store"
                    for package in (self.old, self.new):
                        process = self.start(["load", package, "--name", "p"], store)
                        _, errors = process.communicate()
                        if process.returncode != 0:
                            break
                        done += 1
                    if process.returncode not in (0, UNUSABLE) or (process.returncode != 0 and not says_error(errors)):
                        raise Unsound(f"{what}: load ended with {process.returncode} and said {errors!r}")
                    # What counts is the state once there is room again.
                    subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=10000", folder], check=True)
                    found = self.state(store)
                    if found is not None:
                        self.verify(store, what, found)
                    # A command whose last step failed may have made its change; it is then complete.
                    created = next((package[1] for package in found[0]), None) if found else None
                    if created not in [(None, old), (old, new), (new,)][done]:
                        raise Unsound(f"{what}: {done} packages were loaded, and the store holds {found}")
                tally.add("disks")
                tally.add("commands had enough room", done)
                tally.add("commands failed", done < 2)
                tally.add(f"commands failed for want of {lacking}", done < 2)
            tally.require(f"commands failed for want of {lacking}")
        tally.require("commands had enough room")
        return (
            f"{tally['disks']} disks too small: sound; {tally['commands failed']} commands failed,"
            f" {tally['commands had enough room']} had enough room"
        )

    def small(self, options, size):
        return options.format(size)

    def created(self, name):
        """When the package 'p' was made that a command loads."""
        self.template(name)
        return next(package[1] for package in self.states[name][1][0] if package[0] == "p")

    def sizes(self, step):
        """A limit to the size of files."""
        tally = Tally("size")
        for name in ("first load", "load"):
            for size in range(0, 40_000, 1500 * step):
                store = self.fresh(name)
                process = self.start(self.jobs[name][1], store, preexec_fn=self.limit(size))
                _, errors = process.communicate()
                what = f"no file may be larger than {size} bytes"
                made = self.check(name, store, what, tally)
                if process.returncode < 0 or (process.returncode != 0 and not says_error(errors)):
                    raise Unsound(f"{name}, {what}: it ended with {process.returncode} and said {errors!r}")
                if process.returncode == 0 and not made:
                    raise Unsound(f"{name}, {what}: it said that it is done, and it isn't")
                tally.add("limits")
                if process.returncode:
                    tally.add(f"commands failed at '{name}'")
                    tally.add("commands failed")
            tally.require(f"commands failed at '{name}'")
        return f"{tally['limits']} limits to the size of files: sound; {tally['commands failed']} commands failed; {self.found(tally)}"

    def limit(self, size):
        return lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    def filled(self):
        """On a full disk reading keeps working, and removing frees; a server can't fill the disk."""
        disks = [
            ("of bytes", ["-t", "tmpfs", "-o", "size=40m", "tmpfs"]),
            ("of inodes", ["-t", "tmpfs", "-o", "size=40m,nr_inodes=400", "tmpfs"]),
            ("of bytes, ext4", None),
        ]
        tally = Tally("filled")
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
                self.fill(folder)
                self.look(store, f"a disk full {what}")
                process = self.start(["load", self.old, "--name", "q"], store)
                _, errors = process.communicate()
                if process.returncode != UNUSABLE or not says_error(errors):
                    raise Unsound(f"load on a disk full {what} ended with {process.returncode}: {errors}")
                if self.state(store) != before:
                    raise Unsound(f"load on a disk full {what} changed something")
                self.run(["cache", "remove", "p"], store)
                self.fill(folder)
                self.run(["cache", "gc"], store)
                self.look(store, f"a disk full {what}, after remove and gc")
                if [package[0] for package in self.state(store)[0]] != ["other"]:
                    raise Unsound(f"remove on a disk full {what} left {self.state(store)}")
                shutil.rmtree(f"{folder}/filled")
                self.run(["load", self.new, "--name", "p"], store)
                self.verify(store, f"a disk that was full {what}", self.state(store))
                tally.add("disks were full")
        with Mounted(self.work, ["-t", "tmpfs", "-o", "size=64m", "tmpfs"]) as folder, Endless() as url:
            store = self.fresh("gc", folder)
            process = self.start(["load", url], store)
            _, errors = process.communicate(timeout=300)
            if process.returncode != UNUSABLE or "the disk that holds" not in errors:
                raise Unsound(f"load of a package without an end ended with {process.returncode}: {errors}")
            if os.listdir(f"{store}/downloads"):
                raise Unsound(f"what can't be resumed is kept: {os.listdir(store + '/downloads')}")
            self.look(store, "a disk that a server tried to fill")
        tally.require("disks were full", 3)
        return (
            f"{tally['disks were full']} disks that were full, and a server that sent without an end: sound; reading kept working,"
            " and removing freed"
        )

    def fill(self, folder):
        """Takes what is free on a file system, and tries it."""
        self.take(folder)
        try:
            with open(f"{folder}/probe", "wb", buffering=0) as file:
                written = file.write(b"x" * 65536)
        except OSError:
            written = 0
        if os.path.exists(f"{folder}/probe"):
            os.unlink(f"{folder}/probe")
        if written == 65536:
            raise LeftOut("'filled' left out faults: 65536 bytes can be written to a disk that should be full")

    def take(self, folder):
        fill(folder)

    def look(self, store, what):
        """Reads a cache in every way."""
        self.verify(store, what, self.state(store))
        for command in (["get", "http://other.example/part0/p0.txt"], ["ls"], ["cache", "info"], ["cache", "ls"]):
            process = self.start(command, store)
            output, errors = process.communicate()
            if process.returncode not in (0, 2) or not output:
                raise Unsound(f"{what}: {command} ended with {process.returncode}: {errors}")
            if command[0] == "get" and output != "other 0" * 500:
                raise Unsound(f"{what}: get wrote something else: {output[:80]!r}")
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
        tally = Tally("readonly")
        for name, (_, command) in self.jobs.items():
            if not self.template(name):
                continue
            store = self.fresh(name)
            with Mounted(self.work, ["--bind", store]) as folder:
                self.protect(folder)
                try:
                    with open(f"{folder}/probe", "wb"):
                        pass
                    os.unlink(f"{folder}/probe")
                except OSError:
                    tally.add("stores were read-only")
                if self.state(folder) != self.states[name][0]:
                    raise Unsound(f"{name}: a store that is read-only looks different")
                self.verify(folder, "a store that is read-only", self.states[name][0])
                if self.run(["get", "http://other.example/part0/p0.txt"], folder, allowed=(0, 2)) != "other 0" * 500:
                    raise Unsound(f"{name}: get from a read-only store wrote something else")
                tally.add("looks", 3)
                process = self.start(command, folder)
                _, errors = process.communicate()
                if tally["stores were read-only"] == tally["changes were refused"]:
                    raise LeftOut("'readonly' left out faults: a store that should be read-only can be written")
                if process.returncode != UNUSABLE or not says_error(errors):
                    raise Unsound(f"{name} on a read-only store ended with {process.returncode}: {errors}")
                tally.add("changes were refused")
            if self.check(name, store, "after it was read-only", tally):
                raise Unsound(f"{name} changed a read-only store")
        tally.require("changes were refused", len(self.jobs) - 1)
        return f"{tally['looks']} looks at a read-only store: sound; {tally['changes were refused']} changes refused"

    def protect(self, folder):
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)

    def lost(self, step):
        """Any one and any two of the places of the catalogue, lost in each way: no command removes a body, and afterwards the
        store is what it was, or with the change.
        """
        def garbage(path):
            with open(path, "wb") as file:
                file.write(b"\x07" * 9000)

        ways = {
            "missing": os.unlink, "empty": lambda path: os.truncate(path, 0), "garbage": garbage,
            "cut": lambda path: os.truncate(path, os.path.getsize(path) // 2),
        }
        books = ["catalogue", "copy", "records"]
        turn, tally = 0, Tally("lost")
        for name, (_, command) in self.jobs.items():
            if not self.template(name):
                continue
            for way, lose in ways.items():
                for lost in [*itertools.combinations(books, 1), *itertools.combinations(books, 2)]:
                    turn += 1
                    is_gone = lost == ("catalogue", "copy")
                    if turn % step:
                        continue
                    store = self.fresh(name)
                    for path in self.books(store, lost):
                        self.lose(lose, path)
                    before, what = bodies(store), f"{name} with {' and '.join(lost)} that are {way}"
                    if not before:
                        raise LeftOut(f"{what}: the store holds no file that could be removed")
                    process = self.start(["cache", "pin", "other"] if not is_gone else command, store)
                    _, errors = process.communicate()
                    if is_gone:
                        if process.returncode == 0:
                            raise Unsound(f"{what}: it succeeded; either the catalogue was not lost, or its loss was not noticed")
                        if process.returncode != NO_STORE or "'afcache cache repair" not in errors:
                            raise Unsound(f"{what}: it ended with {process.returncode} and said {errors!r}")
                    elif process.returncode:
                        raise Unsound(f"{what}: a change ended with {process.returncode} and said {errors!r}")
                    if before - bodies(store):
                        raise Unsound(f"{what}: it removed {sorted(before - bodies(store))}")
                    self.run(["cache", "repair"], store)
                    if not is_gone:
                        self.run(["cache", "unpin", "other"], store)
                    if before - bodies(store):
                        raise Unsound(f"{what}: repair removed {sorted(before - bodies(store))}")
                    if self.state(store) != self.states[name][0]:
                        raise Unsound(f"{what}: after repair the store is not what it was")
                    self.check(name, store, what, tally)
                    tally.add("catalogues were lost")
                    tally.add(f"catalogues were {way}")
                    tally.add("catalogues were lost with their copies", is_gone)
        for way in ways:
            tally.require(f"catalogues were {way}")
        tally.require("catalogues were lost with their copies")
        return f"{tally['catalogues were lost']} lost catalogues: sound, nothing was removed and repair brought back all"

    def books(self, store, names):
        """The files in which a store keeps its catalogue, of one or more kinds."""
        records = [f"{store}/packages/{name}/catalogue.json" for name in os.listdir(f"{store}/packages")]
        files = {"catalogue": [f"{store}/catalogue.json"], "copy": [f"{store}/catalogue.copy"], "records": records}
        return [path for name in names for path in files[name]]

    def lose(self, way, path):
        way(path)

    def cuts(self, rounds):
        """Power cuts: an ext4 in a file is shut down without writing its journal, and mounted again."""
        source, tally, calls = random.Random(9), Tally("cut"), {}
        image = f"{self.work}/disk.img"
        for turn in range(rounds):
            name = self.tested[turn % len(self.tested)]
            if name not in calls:
                calls[name] = len(self.calls(name))
            with open(image, "wb") as file:
                file.truncate(48 << 20)
            subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
            with Mounted(self.work, ["-o", "loop", image]) as folder:
                store = self.fresh(name, folder)
                os.sync()
                process = self.start(self.jobs[name][1], store, environment=self.injection.environment(store))
                if turn % 3 == 0:
                    process.wait()
                else:
                    self.await_call(process, source.randrange(1, calls[name]))
                with open(f"{folder}/unsynced", "wb") as file:
                    file.write(b"x" * 65536)
                self.cut(folder)
                made = len(self.injection.report().calls)
                tally.add("came after the end" if process.poll() is not None else "hit the program")
                tally.add("hit the program while it changed files", process.returncode is None and 0 < made < calls[name])
                process.communicate()
            with Mounted(self.work, ["-o", "loop", image]) as folder:
                unsynced = f"{folder}/unsynced"
                tally.add("lost what was not synced", not os.path.exists(unsynced) or os.path.getsize(unsynced) == 0)
                store = f"{folder}/store"
                is_made = self.check(name, store, f"the power was cut in round {turn}", tally)
                if process.returncode == 0 and not is_made:
                    raise Unsound(f"{name}: it said that it is done, and a power cut undid it in round {turn}")
                tally.add("came after the program had said that it is done", process.returncode == 0)
        # A file may be written by a sync of the program's that comes between.
        tally.require("lost what was not synced", max(1, rounds // 2))
        tally.require("hit the program while it changed files", max(1, rounds // 4))
        tally.require("came after the program had said that it is done", max(1, rounds // 4))
        return (
            f"{rounds} power cuts: sound; {tally['lost what was not synced']} lost what was not synced,"
            f" {tally['hit the program while it changed files']} hit the program while it changed files,"
            f" {tally['came after the program had said that it is done']} came after it had said that it is done, and undid nothing;"
            f" {self.found(tally)}"
        )

    def cut(self, folder):
        cut_power(folder)


def bodies(store):
    """The bodies and indices in a store."""
    paths = {os.path.join(folder, name) for folder, _, names in os.walk(f"{store}/packages") for name in names}
    return {path for path in paths if not path.endswith("/catalogue.json")}


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


class Ranged:
    """A server on 127.0.0.1 that has one package, and parts of it (RFC 9110 §14)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            body = file.read()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                part = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
                start, end = 0, len(body)
                if part and part[1]:
                    server.parts += 1
                    start, end = int(part[1]), min(end, int(part[2] or end) + 1)
                elif part:
                    start = max(0, end - int(part[2]))
                self.send_response(206 if part else 200)
                self.send_header("ETag", '"new"')
                self.send_header("Content-Length", str(end - start))
                if part:
                    self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(body)}")
                self.end_headers()
                self.wfile.write(body[start:end])

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """Clients are killed."""

        self.parts = 0
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/p.zip"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


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


def faults(bench, rounds, step):
    """The function that tests each kind of fault, by its name."""
    return {
        "kill": lambda: bench.kills(rounds),
        "boundary": lambda: bench.boundaries(step),
        "error": lambda: bench.errors(step),
        "full": lambda: bench.full(step),
        "size": lambda: bench.sizes(step),
        "filled": lambda: bench.filled(),
        "cut": lambda: bench.cuts(max(3, rounds // 10)),
        "readonly": lambda: bench.read_only(),
        "lost": lambda: bench.lost(step),
        "pack": lambda: bench.packs(step),
        "fix": lambda: bench.fixes(step),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = list(faults(None, 0, 0))
    parser.add_argument("afcache")
    parser.add_argument("--rounds", type=int, default=1000, help="the number of random kills; power cuts are a tenth of it")
    parser.add_argument("--step", type=int, default=1, help="test only every Nth call")
    parser.add_argument("--only", default=",".join(kinds), help="the kinds, each perhaps with its own --step, or for kill and cut --rounds")
    parser.add_argument("--jobs", help="only what these commands do, such as 'ranges,patch'; for kill, boundary, error and cut")
    parser.add_argument("--without-mounts", action="store_true", help="leave out the kinds that mount file systems, and say so")
    parser.add_argument("--can-mount", action="store_true", help=f"only say why nothing can be mounted, and exit with {CANT_MOUNT}")
    parser.add_argument("--prove", action="store_true", help="leave out each kind of fault, and check that the test then fails")
    arguments = parser.parse_args()
    numbers = dict(part.partition(":")[::2] for part in arguments.only.split(","))
    wanted = list(numbers)
    if wrong := [number for number in numbers.values() if number and not number.isdecimal()]:
        parser.error(f"'{wrong[0]}' is no number")
    if unknown := [kind for kind in wanted if kind not in kinds]:
        parser.error(f"there is no '{unknown[0]}'; choose from {', '.join(kinds)}")
    work = tempfile.mkdtemp(prefix="afcache-faults-")
    try:
        reason = can_mount(work) if NEEDS_MOUNT & set(wanted) else None
        if arguments.can_mount:
            print(reason or "file systems can be mounted")
            return CANT_MOUNT if reason else 0
        if arguments.without_mounts:
            for kind in [kind for kind in wanted if kind in NEEDS_MOUNT]:
                print(f"{kind}: left out by '--without-mounts'" + (f", since {reason}" if reason else ""), flush=True)
            wanted = [kind for kind in wanted if kind not in NEEDS_MOUNT]
        elif reason:
            missing = ", ".join(kind for kind in wanted if kind in NEEDS_MOUNT)
            raise LeftOut(f"{reason}, so these can't be tested: {missing}; '--without-mounts' leaves them out")
        if not wanted:
            raise LeftOut("no kind of fault is left to test")
        bench = Bench(arguments.afcache, work, arguments.jobs and arguments.jobs.split(","))
        if arguments.prove:
            import prove

            return prove.prove(bench, wanted)
        for kind in wanted:
            began = time.monotonic()
            number = numbers[kind] and max(1, int(numbers[kind]))
            said = faults(bench, number or arguments.rounds, number or arguments.step)[kind]()
            print(f"{kind}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
    except Unsound as error:
        sys.exit(f"crash-test: {error}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
