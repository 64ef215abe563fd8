"""Writes hostile and odd archives and the expected results of reading them, byte for byte the same every time."""

import hashlib
import pathlib
import sys

from archives.hostile import all_hostile
from archives.odd import all_odd
from archives.packages import all_packages


def write(folder, files, table):
    folder.mkdir(parents=True, exist_ok=True)
    assert len({name for name, _ in files}) == len(files), "two archives have one name"
    for old in folder.glob("*.zip"):
        old.unlink()
    for name, content in files:
        (folder / f"{name}.zip").write_bytes(content)
    (folder / "expected.tsv").write_text(table, encoding="utf-8", newline="\n")


def refused():
    rows = [*all_hostile(), *all_packages()]
    lines = "".join(f"{name}.zip\t{rule}\t{stage}\t{sentence}\n" for name, rule, stage, sentence, _ in rows)
    return [(row[0], row[4]) for row in rows], "file\trule\tstage\tsentence\n" + lines


def read():
    rows = list(all_odd())
    lines = ""
    for name, _, members in rows:
        for member, body in members or [("", b"")]:
            digest = hashlib.sha256(body).hexdigest() if member and not member.endswith("/") else "-"
            lines += f"{name}.zip\t{member or '-'}\t{len(body)}\t{digest}\n"
    return [(name, content) for name, content, _ in rows], "file\tmember\tbytes\tsha256\n" + lines


root = pathlib.Path(sys.argv[1])
write(root / "hostile", *refused())
write(root / "odd", *read())
