"""Leaves out each kind of fault on purpose, and checks that the test of it then fails with a sentence that says so.

Run by 'faults.py --prove'. Each case replaces what makes the fault happen by something that doesn't; everything else is as in
a test, with few rounds.
"""

import contextlib
import shutil
import subprocess
import tempfile
import time
from unittest import mock

import faults
from injection import Injection, LeftOut

# Every hundredth call or so is enough to see that none failed.
ROUNDS, STEP = 4, 1000
JOBS = ("first load", "load")


@contextlib.contextmanager
def library(bench):
    """The library isn't loaded, as if it were missing, of another machine, or the program linked statically."""
    with mock.patch.object(bench.injection, "library", f"{bench.work}/nothing.so"):
        yield


@contextlib.contextmanager
def elsewhere(bench):
    """The library looks at files that the program never touches."""
    real = Injection.environment
    with mock.patch.object(Injection, "environment", lambda self, _, *fault, **more: real(self, "/nowhere/", *fault, **more)):
        yield


@contextlib.contextmanager
def beyond(bench):
    """The number of the call is larger than the number of calls."""
    real = Injection.environment

    def environment(self, below, at=0, *fault, **more):
        return real(self, below, at + 1_000_000 if at else 0, *fault, **more)

    with mock.patch.object(Injection, "environment", environment):
        yield


@contextlib.contextmanager
def late(bench):
    """The program has ended when it is killed."""
    with mock.patch.object(bench, "kill", lambda process: process.wait()):
        yield


@contextlib.contextmanager
def early(bench):
    """The program is killed before it has begun."""
    with mock.patch.object(bench, "await_call", lambda process, number: process.kill()):
        with mock.patch.object(faults.time, "sleep", lambda seconds: None):
            yield


@contextlib.contextmanager
def replaced(bench, name, function):
    """Something that a fault needs does nothing."""
    with mock.patch.object(bench, name, function):
        yield


@contextlib.contextmanager
def without_hook(bench):
    """The program makes a call that the library doesn't know."""
    real = faults.Injection.check_program
    with mock.patch("injection.CHANGING", {"read", "renameat"}):
        real(bench.injection, bench.afcache)
        yield


@contextlib.contextmanager
def static(bench):
    """The program is linked statically."""
    path = f"{bench.work}/static"
    with open(f"{path}.c", "w") as file:
        file.write("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "-o", path, f"{path}.c"], check=True)
    bench.injection.check_program(path)
    yield


@contextlib.contextmanager
def unmountable(bench):
    """Nothing can be mounted."""
    words = ["--only", "full"]
    with mock.patch.object(faults, "can_mount", lambda work: "only root can mount"):
        with mock.patch.object(faults.sys, "argv", ["faults.py", bench.afcache, *words]):
            try:
                faults.main()
            except SystemExit as error:
                raise LeftOut(str(error.code)) from error
        yield


@contextlib.contextmanager
def unchanging(bench):
    """A command changes nothing, so that each check would accept everything."""
    with mock.patch.object(faults.Bench, "state", lambda bench, store: ([], faults.EMPTY)):
        faults.Bench(bench.afcache, tempfile.mkdtemp(dir=bench.work)).template("load")
        yield


@contextlib.contextmanager
def other_store(bench):
    """The check looks at an empty store."""
    store = f"{bench.work}/empty"
    bench.run(["load", bench.old, "--name", "p"], store)
    bench.run(["cache", "remove", "p"], store)
    real = bench.start

    def start(command, folder, *more, **options):
        return real(command, store if command == ["cache", "verify"] else folder, *more, **options)

    with mock.patch.object(bench, "start", start):
        yield


def nothing(*_):
    """Does nothing."""


CASES = [
    ("kill", "the library", library, "was not loaded"),
    ("kill", "a call that counts", elsewhere, "so none can be made to fail"),
    ("kill", "a program that still runs", late, "0 hit the program while it changed files"),
    ("kill", "a program that has begun", early, "0 hit the program while it changed files"),
    ("kill", "a check of the right store", other_store, "verify checked something else"),
    ("boundary", "the library", library, "was not loaded"),
    ("boundary", "a call that counts", elsewhere, "so none can be made to fail"),
    ("boundary", "a call that is made", beyond, "0 injected"),
    ("boundary", "a kind of call", without_hook, "inject.c doesn't have them: read"),
    ("boundary", "a program that loads libraries", static, "imports no call that changes files"),
    ("boundary", "a command that changes something", unchanging, "changes nothing that a check could find"),
    ("error", "the library", library, "was not loaded"),
    ("error", "a call that is made", beyond, "0 EIO injected"),
    ("pack", "the library", library, "was not loaded"),
    ("pack", "a call that is made", beyond, "0 kill injected"),
    ("fix", "the library", library, "was not loaded"),
    ("fix", "a call that is made", beyond, "0 kill injected"),
    ("size", "the limit", lambda bench: replaced(bench, "limit", lambda size: nothing), "0 commands failed"),
    ("lost", "the loss", lambda bench: replaced(bench, "lose", nothing), "the catalogue was not lost"),
    ("full", "a file system", unmountable, "these can't be tested: full"),
    ("full", "a small disk", lambda bench: replaced(bench, "small", lambda *_: "size=64m"), "0 commands failed"),
    ("filled", "the filling", lambda bench: replaced(bench, "take", nothing), "can be written to a disk that should be full"),
    ("readonly", "the protection", lambda bench: replaced(bench, "protect", nothing), "should be read-only can be written"),
    ("cut", "the cut", lambda bench: replaced(bench, "cut", lambda folder: faults.os.sync()), "0 lost what was not synced"),
]


def prove(bench, kinds):
    """Runs the cases of some kinds; returns the exit code."""
    for name in (*JOBS, "gc"):
        bench.template(name)
    bench.jobs = {name: bench.jobs[name] for name in JOBS}
    bench.tested = list(bench.jobs)
    passed, unnoticed = 0, 0
    for kind, missing, leave_out, expected in CASES:
        if kind not in kinds:
            continue
        began, said = time.monotonic(), None
        for folder in ("packed", "fixed"):
            shutil.rmtree(f"{bench.work}/{folder}", ignore_errors=True)
        try:
            with leave_out(bench):
                said = faults.faults(bench, ROUNDS, 1 if kind == "lost" else STEP)[kind]()
        except faults.Unsound as error:
            said = error
        if isinstance(said, faults.Unsound) and expected in str(said):
            passed += 1
            print(f"{kind} without {missing}: fails: {said} ({time.monotonic() - began:.0f} s)", flush=True)
        else:
            unnoticed += 1
            print(f"{kind} without {missing}: should fail with '{expected}', and says: {said}", flush=True)
    if unnoticed or not passed:
        print(f"crash-test: {unnoticed} faults that were left out go unnoticed, {passed} are noticed")
        return 1
    print(f"proved: without a fault the test of it fails, in {passed} ways")
    return 0
