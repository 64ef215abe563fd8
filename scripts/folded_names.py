"""Checks that a folder's names are different ones on file systems that fold case: Windows', macOS' and Linux's."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import unicodedata

# Flags of a directory of ext4: its blocks are extents, and its names are folded.
EXTENTS, FOLDED = 0x80000, 0x40000000
# What a name on Windows can't have, and the devices that one can't mean, whatever its suffix.
FORBIDDEN = set('<>:"\\|?*') | {chr(code) for code in range(32)}
DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")}
LONGEST = 200


def entries(folder):
    """The relative paths of all files and folders."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def is_skipped(letter):
    """True for the letters that ext4 leaves out when it compares names; the others of this kind aren't letters."""
    return unicodedata.category(letter) == "Cf" or letter in "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0" \
        or "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def folded(name):
    """The name as APFS, HFS+ and ext4 compare it."""
    letters = "".join(letter for letter in unicodedata.normalize("NFD", name) if not is_skipped(letter))
    return unicodedata.normalize("NFD", letters.casefold())


def collisions(folder):
    """Names that differ in case or composition only, or that Windows refuses."""
    known, problems = {}, []
    for path in entries(folder):
        for how, fold in (("folded", folded), ("in upper case", str.upper)):
            # Below folders that are one, names meet, too.
            other = known.setdefault((how, "/".join(map(fold, path.split("/")))), path)
            if other != path and not ((folder / other).is_dir() and (folder / path).is_dir()):
                problems.append(f"'{other}' and '{path}' are one name {how}")
        name = path.rpartition("/")[2]
        if FORBIDDEN & set(name) or name.endswith((".", " ")) or name.split(".")[0].rstrip(" ").lower() in DEVICES:
            problems.append(f"'{path}' is no name on Windows")
        if len(path.encode()) >= LONGEST:
            problems.append(f"'{path}' has {len(path.encode())} bytes")
    return problems


def ext4(folder, work):
    """The names that are no different ones in an ext4 with casefold, by e2fsck; it needs neither root nor a kernel that can mount it."""
    copy, image = work / "ext4-copy", work / "ext4.img"
    shutil.rmtree(copy, ignore_errors=True)
    folders = [pathlib.Path("."), *(path.relative_to(folder) for path in folder.rglob("*") if path.is_dir())]
    merged = {}
    for path in folders:
        # Folders that are one there become one here, so that their names meet.
        name = "/".join(map(folded, str(path).split("/")))
        merged.setdefault(name, path)
        (copy / merged[name]).mkdir(parents=True, exist_ok=True)
        for file in (folder / path).iterdir():
            if not file.is_dir():
                (copy / merged[name] / file.name).touch()
    for path in merged.values():
        # Only directories of several blocks are compared.
        for number in range(8):
            (copy / path / f"zz-{number}-{'x' * 200}").touch()
    count = sum(1 for _ in copy.rglob("*"))
    image.unlink(missing_ok=True)
    with image.open("wb") as file:
        file.truncate(count * 4096 + (64 << 20))
    run("mkfs.ext4", "-q", "-b", "1024", "-N", str(count + 1000), "-O", "casefold", "-E", "encoding=utf8", "-d", copy, image)
    script = work / "debugfs"
    script.write_text("".join(f'sif "/{path}" flags {EXTENTS | FOLDED:#x}\n' for path in merged.values()))
    run("debugfs", "-w", "-f", script, image)
    found = subprocess.run(["e2fsck", "-f", "-y", "-D", image], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env={**os.environ, "PATH": PATH})
    if found.returncode > 1 or "Optimizing directories" not in found.stdout:
        raise OSError(f"'e2fsck' ended with {found.returncode}: {found.stdout[-500:]}")
    return [line for line in found.stdout.splitlines() if "non-unique" in line]


# Where the programs for file systems are.
PATH = f"/usr/sbin:/sbin:{os.environ.get('PATH', '')}"


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "PATH": PATH})


@contextlib.contextmanager
def mounted(kind, work):
    """A file system that folds case, mounted for as long as the block lasts: 'NTFS', or 'ext4' by the kernel.

    Raises `OSError` with the reason if this machine can't mount it.
    """
    if os.geteuid() != 0:
        raise OSError("only root can mount it")
    image, place = work / f"{kind}.img", work / f"{kind}-mounted"
    place.mkdir(exist_ok=True)
    with image.open("wb") as file:
        file.truncate(512 << 20)
    try:
        if kind == "NTFS":
            run("mkntfs", "-q", "-F", "-f", image)
            run("lowntfs-3g", "-o", "loop,ignore_case,windows_names", image, place)
        else:
            run("mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8", image)
            run("mount", "-o", "loop", image, place)
    except subprocess.CalledProcessError as error:
        raise OSError(f"'{error.cmd[0]}' fails here") from error
    try:
        top = place / "top"
        top.mkdir()
        if kind != "NTFS":
            run("chattr", "+F", top)
        yield top
    finally:
        run("umount", place)
