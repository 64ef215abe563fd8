"""Follows tutorials word for word: writes their files, and types their commands; see scripts/test-docc.

test_docc_tutorials.py SCRATCH PROGRAM

Only 'swift run' is replaced: it compiles the tutorial's program and links it with the library that is already built, which takes
seconds instead of minutes. The port of the server is a free one.
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

from docc import ROOT, Modules

TUTORIALS = ROOT / "Sources/App/AFCache/AFCache.docc"
CODE = re.compile(r'@Code\(name: "([^"]+)", file: "([^"]+)"\)')
# The tutorials, the folder of each program, and the lines that their programs print, as the texts say.
PRINTED = {
    "Offline-in-ten-minutes": ("offline", ["miss 20", "hit 20", "hit 20", "hit 20", "session 20"]),
    "Ship-a-package-in-your-app": ("garden", ["<h1>The oak</h1>"] * 2 + ["<h1>The oak in autumn</h1>"]),
}
# 'swift run' for the commands of the tutorials.
RUN = """set -em
# Waits for the server, unless it has ended.
wait_for_server() { while [ -n "$(jobs -r)" ] && ! (exec 3<>/dev/tcp/localhost/$PORT) 2>/dev/null; do sleep 0.05; done; }
swift() {
    [ "$1" = run ] || { echo "the tutorials only run 'swift run'" >&2; exit 1; }
    wait_for_server
    "$COMPILE" "$2"
    "./program" "${@:3}" >>"$PRINTED"
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
"""


def commands(tutorial, name, port):
    """The commands of a tutorial as a script; a file that a step shows is written where the step says."""
    lines = [RUN]
    for shown, file in CODE.findall((TUTORIALS / f"{tutorial}.tutorial").read_text()):
        text = (TUTORIALS / "Resources" / file).read_text().replace("8000", str(port))
        if shown == "Terminal":
            lines.append(text)
        else:
            path = shown if shown == "Package.swift" else f"Sources/{name}/{shown}"
            lines.append(f"cat >{path} <<'END'\n{text}END\n")
    return "".join(lines)


def main():
    scratch, program = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
    modules = Modules(scratch)
    # The benchmark consists of AFCache and a file of its own.
    linked = scratch / "release/appbench.product/Objects.LinkFileList"
    if not linked.exists():
        sys.exit(f"test-docc: '{scratch}' has no benchmark 'appbench', whose list of object files is needed; build the project there")
    objects = linked.read_text().split("\n")
    for tutorial, (name, expected) in PRINTED.items():
        with tempfile.TemporaryDirectory(prefix="afcache-docc-") as folder:
            work = pathlib.Path(folder)
            (work / "bin").mkdir()
            (work / "bin/afcache").symlink_to(program)
            (work / "objects").write_text("\n".join(line for line in objects if "/appbench.build/" not in line))
            # The package manager adds this property to a target with resources, and copies them.
            module = work / "Module.swift"
            module.write_text(
                "import Foundation\nextension Bundle { static var module: Bundle "
                f'{{ Bundle(path: "Sources/{name}") ?? .main }} }}\n'
            )
            compile = work / "compile"
            arguments = " ".join(f"'{argument}'" for argument in modules.arguments)
            compile.write_text(
                f"#!/bin/bash\nexec swiftc -swift-version 6 {arguments} Sources/$1/*.swift '{module}' '@{work}/objects' "
                "-lzip -lz -lbrotlidec -lzstd -ldeflate -lpsl -lidn2 -lsqlite3 -lstdc++ -o program\n"
            )
            compile.chmod(0o755)
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            environment = os.environ | {
                "HOME": folder, "PATH": f"{work}/bin:{os.environ['PATH']}", "PORT": str(port), "PRINTED": f"{work}/printed", "COMPILE": str(compile),
            }
            done = subprocess.run(
                ["bash", "-c", commands(tutorial, name, port)], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            printed = (work / "printed").read_text() if (work / "printed").exists() else ""
            lines = [line for line in printed.splitlines() if line]
            if done.returncode or lines != expected:
                sys.exit(f"{done.stdout}test-docc: '{tutorial}' ends with {done.returncode}, and its program printed {lines}, not {expected}")
        print(f"ok   {tutorial}: {len(lines)} lines as the tutorial says", flush=True)


if __name__ == "__main__":
    main()
