#!/usr/bin/env python3
"""Makes a wheel of the program for pip and pipx, for scripts/release.

usage: scripts/wheel.py STAGE VERSION MACHINE FOLDER    STAGE has bin/afcache and the files beside it that the archive has

The wheel has the program, its manual page and the licenses, and no Python. The same input gives the same bytes.
"""
import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

METADATA = """\
Metadata-Version: 2.4
Name: afcache
Version: {version}
Summary: Offline packages for the web: packs a site into one zip file, and serves it without a network
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD-PARTY.txt
Requires-Python: >=3.8
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Internet :: WWW/HTTP
Classifier: Topic :: System :: Archiving
Description-Content-Type: text/plain

`afcache pack URL -o site.zip` packs a website into one zip file, and `afcache open site.zip` shows it in the browser without a
network. This package is the program; `afcache --help` lists its commands.
"""


def wheel(stage, version, machine, folder):
    # The C library that scripts/portable links for, as PEP 600 writes it.
    tag = f"py3-none-manylinux_2_29_{machine}"
    information, data = f"afcache-{version}.dist-info", f"afcache-{version}.data"
    files = {
        f"{data}/data/share/man/man1/afcache.1": stage / "share/man/man1/afcache.1",
        f"{data}/scripts/afcache": stage / "bin/afcache",
        f"{information}/licenses/LICENSE": stage / "LICENSE",
        f"{information}/licenses/THIRD-PARTY.txt": stage / "THIRD-PARTY.txt",
    }
    contents = {name: path.read_bytes() for name, path in files.items()}
    contents[f"{information}/METADATA"] = METADATA.format(version=version).encode()
    contents[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: afcache ({version})\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = f"{information}/RECORD"
    lines = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b'=').decode()},{len(body)}"
        for name, body in sorted(contents.items())
    ]
    # The list comes last, as PEP 427 recommends.
    contents[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(folder / f"afcache-{version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in [*sorted(contents.keys() - {record}), record]:
            member = zipfile.ZipInfo(name, moment)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            member.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            archive.writestr(member, contents[name], compresslevel=9)


if len(sys.argv) != 5:
    sys.exit(__doc__.strip())
wheel(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]))
