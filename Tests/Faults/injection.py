"""The library that makes calls fail (inject.c), what it reports, and the counts that each kind of fault must reach."""

import collections
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# Calls of the C library that change files. Those that the program imports must be in inject.c: a call that isn't there never
# fails. The functions of stdio aren't here, since what they call can't be replaced; the program writes nothing but text for
# the terminal with them.
CHANGING = set(
    "chmod chown copy_file_range creat creat64 fallocate fallocate64 fchmod fchmodat fchown fchownat fdatasync fsync ftruncate"
    " ftruncate64 futimens lchown link linkat lsetxattr fsetxattr mkdir mkdirat mkdtemp mkfifo mknod mkostemp mkostemp64 mkstemp"
    " mkstemp64 open open64 openat openat64 posix_fallocate posix_fallocate64 pwrite pwrite64 pwritev pwritev64 remove removexattr"
    " rename renameat renameat2 rmdir sendfile sendfile64 setxattr splice symlink symlinkat sync_file_range syncfs truncate"
    " truncate64 unlink unlinkat utime utimensat utimes write writev".split()
)
# These libraries write files for the program. Others are only asked for text, numbers and memory.
WRITERS = ("libsqlite3.", "libzip.")
# Options of nm.
IMPORTED, DEFINED = "--undefined-only", "--defined-only"


class Unsound(Exception):
    """The store is not as promised."""


class LeftOut(Unsound):
    """A fault that the test is about did not happen, so the test says nothing."""


def symbols(path, which):
    """The names of the C library's functions that a program imports, or those that a library defines."""
    lines = subprocess.run(["nm", "-D", which, path], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


class Report:
    """What the library wrote about one process: the names of the calls that counted, and of those that failed."""

    def __init__(self, path):
        try:
            with open(path) as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            lines = []
        self.is_loaded = "loaded" in lines
        words = [line.split() for line in lines if line != "loaded"]
        self.calls = [name for _, name in words]
        self.faults = [name for what, name in words if what == "fault"]


class Injection:
    """The library, built for this machine."""

    def __init__(self, work):
        self.library, self.log = f"{work}/inject.so", f"{work}/calls"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, f"{HERE}/inject.c", "-ldl"], check=True)

    def check_program(self, program):
        """Raises if the program makes calls that the library can't make fail."""
        imported = CHANGING & symbols(program, IMPORTED)
        if not imported:
            raise LeftOut(f"'{program}' imports no call that changes files; a program that is linked statically can't be tested")
        listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout.splitlines()
        for path in [line.split()[2] for line in listed if line.strip().startswith(WRITERS)]:
            imported |= CHANGING & symbols(path, IMPORTED)
        if missing := imported - symbols(self.library, DEFINED):
            raise LeftOut(f"calls that the program makes never fail, since inject.c doesn't have them: {', '.join(sorted(missing))}")

    def environment(self, below, at=0, error=0, sticky=False, reads=False):
        """Variables for a process; without 'at' its calls are only counted."""
        if os.path.exists(self.log):
            os.unlink(self.log)
        # A sanitizer may need a library of its own.
        libraries = [self.library, *os.environ.get("LD_PRELOAD", "").split()]
        return {
            "LD_PRELOAD": " ".join(libraries), "FAULT_BELOW": below, "FAULT_LOG": self.log, "FAULT_AT": str(at),
            **({"FAULT_ERROR": str(error)} if error else {}), **({"FAULT_STICKY": "1"} if sticky else {}),
            **({"FAULT_READS": "1"} if reads else {}),
        }

    def report(self):
        """What happened in the last process."""
        return Report(self.log)

    def counted(self, what):
        """The calls of the last process, which was started to count them."""
        report = self.report()
        if not report.is_loaded:
            raise LeftOut(f"{what}: the library that makes calls fail was not loaded")
        # Every change of a cache, and every file that is replaced, makes several calls.
        if len(report.calls) < 3:
            raise LeftOut(f"{what}: the library saw {len(report.calls)} calls that change files, so none can be made to fail")
        return report.calls


class Tally:
    """Counts what happened while one kind of fault was tested."""

    def __init__(self, kind):
        self.kind, self.counts, self.made = kind, collections.Counter(), collections.Counter()
        self.planned, self.expected = 0, set()

    def __getitem__(self, what):
        return self.counts[what]

    def add(self, what, number=1):
        self.counts[what] += number

    def plan(self, calls):
        """Says which calls the faults are to hit."""
        self.expected |= set(calls)

    def fault(self, report, what):
        """Counts the fault that was planned for a process, if the library reports it."""
        self.planned += 1
        if not report.is_loaded:
            raise LeftOut(f"{what}: the library that makes calls fail was not loaded")
        if report.faults:
            self.made[report.faults[0]] += 1
            self.add("injected")
        self.add(what, bool(report.faults))

    def require(self, what, least=1):
        """Raises if something happened less often than it must."""
        if self[what] < least:
            raise LeftOut(f"'{self.kind}' left out faults: {self[what]} {what}, and at least {least} must be")

    def require_faults(self, is_complete):
        """Raises if planned faults were not injected, or none into a kind of call that the program makes."""
        # The number of a call may differ by one or two between runs, which are up to four threads.
        self.require("injected", max(1, self.planned - self.planned // 20))
        if len(self.made) < min(2, len(self.expected)):
            raise LeftOut(f"'{self.kind}' left out faults: they hit {self.hit()} only; a smaller '--step' hits other calls")
        if is_complete and (missed := self.expected - set(self.made)):
            raise LeftOut(f"'{self.kind}' left out faults: none was injected into {', '.join(sorted(missed))}")
        if is_complete:
            self.require("found as before the change")
            self.require("found as after the change")

    def hit(self):
        """The kinds of calls that were hit."""
        return ", ".join(f"{count} {name}" for name, count in self.made.most_common())
