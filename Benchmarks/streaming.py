"""Loads a large body in each way that an app has, and checks memory, pace and time limits.

    python3 Benchmarks/streaming.py [--gigabytes 3] [--program .build/release/streambench]

The origin sends the head at once, the first byte a second later, and the rest as fast as it is taken. Peak memory must be at
most 64 MB, the first byte must come within half a second after the origin sent it, and a session's time limits must be kept
within 10 %.

Measured with 3 GB and a debug build: 55 MB at most, of which 43 MB before.
"""

import argparse
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

LARGEST = 64
CHUNK = bytes(1 << 20)


def answer(connection, size):
    """Answers the requests of one connection."""
    text = b""
    while True:
        while b"\r\n\r\n" not in text:
            more = connection.recv(65536)
            if not more:
                return
            text += more
        head, text = text.split(b"\r\n\r\n", 1)
        path = head.split(b" ")[1].decode()
        if path.startswith("/silent"):
            time.sleep(3600)
        if path.startswith("/pause"):
            time.sleep(float(path.split("/")[2]))
        if path.startswith("/small") or path.startswith("/pause"):
            body = CHUNK[:100_000]
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            continue
        control = b"max-age=600" if path.startswith("/stored") else b"no-store"
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nCache-Control: %s\r\n\r\n" % (size, control))
        time.sleep(1)
        rest = size
        while rest:
            connection.sendall(CHUNK[: min(rest, len(CHUNK))])
            rest -= min(rest, len(CHUNK))


def serve(listener, size):
    def one(connection):
        try:
            with connection:
                answer(connection, size)
        except OSError:
            # The client has ended the connection.
            pass

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=one, args=(connection,), daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=3)
    parser.add_argument("--program", default=".build/release/streambench")
    parser.add_argument("--folder", help="a folder on a disk with room for the body (default: a temporary one)")
    parser.add_argument("--patience", type=float, default=0, help="seconds of silence that a longer limit must outlast (default: not tried)")
    arguments = parser.parse_args()
    size = int(arguments.gigabytes * (1 << 30))
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=serve, args=(listener, size), daemon=True).start()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    folder = pathlib.Path(tempfile.mkdtemp(dir=arguments.folder))
    faults = []

    def run(mode, path, *more):
        print(f"{mode} {path}", flush=True)
        shutil.rmtree(folder / "cache", ignore_errors=True)
        done = subprocess.run([arguments.program, mode, folder / "cache", base + path, *more], capture_output=True, text=True)
        print("    " + (done.stdout + done.stderr).strip().replace("\n", "\n    "), flush=True)
        if done.returncode:
            faults.append(f"{mode} {path} failed")
        return done.stdout

    def number(pattern, text):
        found = re.search(pattern, text)
        return float(found[1]) if found else float("inf")

    try:
        for mode, path in [("bytes", "/stored"), ("bytes", "/never"), ("unstored", "/stored"), ("session", "/stored"), ("session", "/never"),
                           ("file", "/stored"), ("file", "/never")]:
            text = run(mode, path)
            if f"{size} bytes" not in text:
                faults.append(f"{mode} {path}: not all bytes came")
            if number(r"peak (\d+) MB", text) > LARGEST:
                faults.append(f"{mode} {path}: more than {LARGEST} MB")
            if mode != "file" and not (number(r"head ([\d.]+) s", text) < 0.5 and 0.9 < number(r"first byte ([\d.]+) s", text) < 1.5):
                faults.append(f"{mode} {path}: not at the origin's pace")
        text = run("limit", "/silent", "3")
        for kind in ["request", "resource"]:
            if not 2.7 <= number(rf"\n?{kind} 3.0 s: ([\d.]+) s error -1001", text) <= 3.3:
                faults.append(f"the limit for a {kind} wasn't kept")
        if arguments.patience:
            text = run("limit", f"/pause/{arguments.patience:g}", f"{1.2 * arguments.patience:g}")
            if text.count("100000 bytes") < 2:
                faults.append("a longer limit didn't outlast the silence")
        text = run("cancel", "/small")
        if "cancelled" not in text:
            faults.append("nothing was cancelled")
    finally:
        listener.close()
        shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print(f"FAULT {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
