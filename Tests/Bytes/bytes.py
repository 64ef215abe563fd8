"""Sends bodies with every framing and every kind of end through 'afcache serve'; each must arrive whole or as an error.

    scripts/byte-test [--runs 4000] [--only origin,proxy,tunnel,secure,ca] [--largest 100000000] [--seed 1]

An origin in this process sends bodies with known bytes. A client requests them through a server, at a speed that depends on
the run, and compares each byte. A body that its origin ended properly must arrive whole. Any other body must end with an
error at the client, and must never be served from the cache. In the end, 'cache verify' must find nothing, and every
response that the cache gives alone must be whole, too.

  origin   a caching gateway in front of a plain origin
  proxy    a proxy for http
  tunnel   a tunnel by CONNECT, with plain HTTP or TLS inside
  secure   a caching gateway in front of an origin with TLS
  ca       a tunnel by CONNECT whose TLS ends at the server, in front of an origin with TLS

A sixth of the runs send a body to the origin instead. The origin must receive it whole, or notice that it isn't.

The seed determines the runs. A failed run is printed with its number, and '--run NUMBER' repeats it alone. The test also
fails if it left out a framing or an end, or if no body was whole, broken off or stored in one of the ways. '--prove' leaves
these out on purpose, and checks that the test then fails.
"""

import argparse
import collections
import os
import random
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

PATTERN = random.Random(7).randbytes((1 << 20) + 7) * 2
PERIOD = (1 << 20) + 7
PIECE = 1 << 16
# No wait decides a run; this only ends one in which something hangs.
PATIENCE = 120

ENDS = ["whole", "cut", "reset", "late reset", "surplus"]
FRAMINGS = ["length", "length close", "chunks", "chunks close", "close", "1.0 length", "1.0 close"]
READERS = ["fast", "fast", "slow", "stops", "leaves", "half-closed", "1.0"]
WAYS = ["origin", "proxy", "tunnel", "secure", "ca"]


class Failure(Exception):
    """A run that did not go as it should."""


class Broken(Exception):
    """A client saw that a body is not whole."""


def piece(number, offset, count):
    start = (offset + number * 7919) % PERIOD
    return PATTERN[start : start + min(count, PERIOD)]


class Run:
    """One body: how long it is, how it is framed and ended, and how it is read."""

    def __init__(self, number, way, rng, largest):
        self.number, self.way = number, way
        self.framing = rng.choice(FRAMINGS)
        self.reader = rng.choice(READERS)
        self.size = size(rng, largest)
        self.is_secure = way in ("secure", "ca") or way == "tunnel" and rng.random() < 0.5
        ends = ["whole"] * 6 + ["cut", "reset", "late reset"]
        if "length" in self.framing:
            ends.append("surplus")
        if self.is_secure:
            ends += ["no notify", "no notify"]
        self.end = rng.choice(ends)
        self.pace = rng.random() < 0.1
        # Where an origin breaks off.
        self.cut = rng.randrange(self.size + 1) if self.size else 0
        self.is_kept = rng.random() < 0.7
        self.sent = threading.Event()
        self.is_upload = rng.random() < 1 / 6
        if self.is_upload:
            self.framing = rng.choice(["length", "chunks"])
            self.end = rng.choice(["whole", "whole", "cut", "reset"])
        # What the origin got of a body that was sent to it: how many bytes, and whether it saw the end of them.
        self.got, self.got_whole, self.gotten = 0, False, threading.Event()

    @property
    def path(self):
        return f"/{self.number}"

    @property
    def is_whole(self):
        """Whether the origin's message is whole, by its framing."""
        ends_with_connection = self.framing in ("close", "1.0 close")
        if self.end in ("whole", "surplus"):
            return True
        if self.end == "no notify":
            return not ends_with_connection
        # Where the break comes after the last byte of a stated length, nothing of the message is missing.
        is_late = self.end == "late reset" or self.end == "reset" and self.cut == self.size and "length" in self.framing
        if is_late:
            # All of the body was sent, but no system promises to deliver what a reset follows.
            return None if not ends_with_connection else False
        if self.end == "cut" and self.cut == self.size and "length" in self.framing:
            return True
        if self.end == "cut" and ends_with_connection:
            # The body is what came before the end.
            return True
        return False

    @property
    def length(self):
        """The bytes that the origin's message has, where it is whole."""
        return self.cut if self.end == "cut" and self.framing in ("close", "1.0 close") else self.size

    def __str__(self):
        return (
            f"run {self.number}: {self.way}, {self.size} bytes, framing '{self.framing}', end '{self.end}' at {self.cut}, "
            f"{'upload' if self.is_upload else f'reader {self.reader!r}'}{', TLS' if self.is_secure else ''}{', pace' if self.pace else ''}"
        )


def size(rng, largest):
    kind = rng.random()
    if kind < 0.1:
        return rng.choice([0, 1, 2, 16383, 16384, 16385, 65535, 65536, 65537])
    if kind < 0.6:
        return rng.randrange(1 << 19)
    if kind < 0.97:
        return rng.randrange(min(largest, 4 << 20))
    if kind < 0.995:
        return rng.randrange(min(largest, 16 << 20))
    return largest


# The origin


class Origin:
    """Answers each path as its run says the first time, and whole with a length from then on."""

    def __init__(self, context=None):
        self.context, self.runs, self.asked = context, {}, {}
        self.lock, self.sent = threading.Lock(), collections.Counter()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                handle = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(handle,), daemon=True).start()

    def serve(self, handle):
        plain = handle
        handle.settimeout(PATIENCE)
        try:
            handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.context:
                handle = self.context.wrap_socket(handle, server_side=True, suppress_ragged_eofs=False)
                plain = handle
            while self.answer(handle):
                pass
        except (OSError, ValueError, EOFError, Broken):
            pass
        finally:
            plain.close()

    def answer(self, handle):
        head = b""
        while b"\r\n\r\n" not in head:
            bytes = handle.recv(65536)
            if not bytes:
                return False
            head += bytes
        target = head.split(b" ")[1].decode()
        path = "/" + target.rsplit("/", 1)[1]
        run = self.runs[path]
        if run.is_upload:
            return self.receive(handle, run, head)
        with self.lock:
            count = self.asked[path] = self.asked.get(path, 0) + 1
        if count > 1:
            self.head(handle, run, "length", run.length)
            self.body(handle, run, "length", run.length, run.length)
            return True
        try:
            return self.first(handle, run)
        finally:
            run.sent.set()

    def receive(self, handle, run, head):
        """Takes a body that a client sends."""
        head, _, rest = head.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head.decode("latin-1").split("\r\n")[1:])
        reader = Reader(handle, run, bytearray(rest))
        try:
            reader.body(fields, "fast")
            run.got_whole = True
        finally:
            run.got = reader.taken
            run.gotten.set()
        handle.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return True

    def first(self, handle, run):
        self.head(handle, run, run.framing, run.size)
        end = run.cut if run.end in ("cut", "reset") else run.size
        self.body(handle, run, run.framing, end, run.size)
        with self.lock:
            self.sent.update([f"framing '{run.framing}'", f"end '{run.end}'"])
        if run.end == "surplus":
            handle.sendall(b"surplus" * 100)
        if run.end in ("reset", "late reset"):
            reset(handle)
            return False
        if run.end == "cut" or "close" in run.framing or "1.0" in run.framing or run.end == "no notify":
            finish(handle, notifies=run.end != "no notify")
            return False
        return True

    def head(self, handle, run, framing, size):
        lines = ["HTTP/1.0 200 OK" if "1.0" in framing else "HTTP/1.1 200 OK"]
        lines.append("Cache-Control: " + ("max-age=3600" if run.is_kept else "no-store"))
        if "length" in framing:
            lines.append(f"Content-Length: {size}")
        if "chunks" in framing:
            lines.append("Transfer-Encoding: chunked")
        if "close" in framing:
            lines.append("Connection: close")
        handle.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def body(self, handle, run, framing, end, size):
        offset = 0
        while offset < end:
            count = min(end - offset, PIECE)
            bytes = piece(run.number, offset, count)
            if "chunks" in framing:
                bytes = b"%x\r\n%b\r\n" % (count, bytes)
            handle.sendall(bytes)
            offset += count
            if run.pace and offset < 1 << 20:
                time.sleep(0.001)
        if "chunks" in framing and end == size and run.end not in ("cut", "reset"):
            handle.sendall(b"0\r\n\r\n")


def reset(handle):
    """Ends a connection with RST, past TLS."""
    handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if isinstance(handle, ssl.SSLSocket):
        socket.socket(fileno=handle.detach()).close()
    else:
        handle.close()


def finish(handle, notifies):
    """Ends a connection with FIN, and TLS with close_notify where that is wanted."""
    plain = handle
    if isinstance(handle, ssl.SSLSocket):
        if notifies:
            try:
                plain = handle.unwrap()
            except OSError:
                return
        else:
            plain = socket.socket(fileno=handle.detach())
    plain.close()


# The client


class Reader:
    """Reads a message from a connection, and compares its body with what belongs there."""

    def __init__(self, handle, run, buffer=b""):
        self.handle, self.run, self.buffer = handle, run, bytearray(buffer)
        self.taken = 0

    def more(self):
        try:
            bytes = self.handle.recv(PIECE)
        except TimeoutError as error:
            raise Failure("nothing comes any more") from error
        except OSError as error:
            raise Broken(f"{type(error).__name__} {error}") from error
        if not bytes:
            return False
        self.buffer += bytes
        return True

    def head(self):
        while b"\r\n\r\n" not in self.buffer:
            if not self.more():
                raise Broken("the connection ended before the head did")
        head, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
        self.buffer = bytearray(rest)
        lines = head.decode("latin-1").split("\r\n")
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        return int(lines[0].split(" ")[1]), fields

    def take(self, count):
        """Compares what came with what belongs there."""
        bytes = self.buffer[:count]
        del self.buffer[:count]
        if bytes != piece(self.run.number, self.taken, len(bytes)):
            raise Failure(f"other bytes than the origin's after {self.taken}")
        self.taken += len(bytes)

    def body(self, fields, reader):
        """Takes the body; returns where it ended as it should."""
        self.reader, self.reads = reader, 0
        if fields.get("transfer-encoding") == "chunked":
            while True:
                while b"\r\n" not in self.buffer:
                    self.read()
                line, _, rest = bytes(self.buffer[:64]).partition(b"\r\n")
                del self.buffer[: len(line) + 2]
                left = int(line, 16)
                last = left == 0
                while left:
                    if not self.buffer:
                        self.read()
                    count = min(left, len(self.buffer), PIECE)
                    self.take(count)
                    left -= count
                while len(self.buffer) < 2:
                    self.read()
                if self.buffer[:2] != b"\r\n":
                    raise Failure("a chunk that isn't as long as it says")
                del self.buffer[:2]
                if last:
                    return
        if "content-length" in fields:
            left = int(fields["content-length"])
            while left:
                if not self.buffer:
                    self.read()
                count = min(left, len(self.buffer), PIECE)
                self.take(count)
                left -= count
            return
        while True:
            while self.buffer:
                self.take(PIECE)
            try:
                self.read()
            except EOFError:
                return

    def read(self):
        self.reads += 1
        if self.reader == "slow" and self.reads < 50:
            time.sleep(0.002)
        if self.reader in ("stops", "leaves") and self.reads == 3:
            # The origin has sent all; or nothing more fits between the two, of which no event tells. Any moment will do.
            self.run.sent.wait(0.5)
            if self.reader == "leaves":
                raise Left
        if not self.more():
            raise EOFError("the connection ended within the body")


class Client(Reader):
    """Asks for one run's body through a server."""

    def __init__(self, bench, run):
        handle = socket.socket()
        handle.settimeout(PATIENCE)
        # A loopback segment of 64 kB doesn't fit a small receive buffer. Each would wait for a probe of the window.
        handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1448)
        handle.connect(("127.0.0.1", bench.ports[run.way]))
        handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(handle, run)
        self.bench = bench

    def close(self):
        self.handle.close()

    def connect(self):
        run = self.run
        if run.way in ("tunnel", "ca"):
            authority = f"localhost:{self.bench.origin(run).port}"
            self.handle.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
            status, _ = self.head()
            if status != 200:
                raise Failure(f"CONNECT was answered {status}")
        if run.way == "ca" or run.way == "tunnel" and run.is_secure:
            context = self.bench.trust_authority if run.way == "ca" else self.bench.trust_origin
            self.handle = context.wrap_socket(self.handle, server_hostname="localhost", suppress_ragged_eofs=False)

    def target(self):
        """The request's target, and its Host."""
        run = self.run
        host = f"localhost:{self.bench.origin(run).port}"
        if run.way == "proxy":
            return f"http://{host}{run.path}", host
        if run.way in ("origin", "secure"):
            return run.path, f"localhost:{self.bench.ports[run.way]}"
        return run.path, host

    def ask(self, reader, more=""):
        if reader in ("slow", "stops"):
            self.handle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.connect()
        target, host = self.target()
        version = "1.0" if reader == "1.0" else "1.1"
        self.handle.sendall(f"GET {target} HTTP/{version}\r\nHost: {host}\r\n{more}\r\n".encode())
        if reader == "half-closed" and not isinstance(self.handle, ssl.SSLSocket):
            self.handle.shutdown(socket.SHUT_WR)
        return self.head()

    def upload(self):
        """Sends a body, and ends as the run says; the status of the answer."""
        run = self.run
        self.connect()
        target, host = self.target()
        framing = f"Content-Length: {run.size}" if run.framing == "length" else "Transfer-Encoding: chunked"
        self.handle.sendall(f"POST {target} HTTP/1.1\r\nHost: {host}\r\n{framing}\r\n\r\n".encode())
        # A body that is cut lacks a byte at least.
        end = run.size if run.end == "whole" else min(run.cut, max(0, run.size - 1))
        offset = 0
        while offset < end:
            count = min(end - offset, PIECE)
            bytes = piece(run.number, offset, count)
            if run.framing == "chunks":
                bytes = b"%x\r\n%b\r\n" % (count, bytes)
            self.handle.sendall(bytes)
            offset += count
        if run.framing == "chunks" and run.end == "whole":
            self.handle.sendall(b"0\r\n\r\n")
        if run.end == "cut" and (run.size > 0 or run.framing == "chunks"):
            finish(self.handle, notifies=True)
            return 0
        if run.end == "reset" and (run.size > 0 or run.framing == "chunks"):
            reset(self.handle)
            return 0
        run.end = "whole"
        return self.head()[0]


class Left(Exception):
    """The client went away."""


def fetch(bench, run, reader, more=""):
    """The status, Cache-Status and the bytes that came, or why the body is not whole."""
    client = Client(bench, run)
    try:
        status, fields = client.ask(reader, more)
        if status != 200:
            return status, fields.get("cache-status", ""), None, "no body"
        try:
            client.body(fields, reader)
        except (Broken, EOFError) as error:
            return status, fields.get("cache-status", ""), client.taken, f"{error}" or "broken"
        return status, fields.get("cache-status", ""), client.taken, None
    finally:
        client.close()


def upload(bench, run):
    """One run that sends a body: the origin gets it whole, or sees that it isn't."""
    client = Client(bench, run)
    try:
        try:
            status = client.upload()
        except (Broken, OSError):
            status = 0
        bench.count(f"{'whole' if run.end == 'whole' else 'broken'} uploads")
        # An origin that never hears of the request has nothing to tell.
        if run.end == "whole":
            if status != 200 or not run.got_whole or run.got != run.size:
                raise Failure(f"the client gets {status}, the origin {run.got} of {run.size} bytes")
    finally:
        client.close()
    if run.end != "whole":
        run.gotten.wait(5)
        if run.got_whole:
            raise Failure(f"the origin takes {run.got} of {run.size} bytes as whole")


def attempt(bench, run):
    """One run: the first answer, and what the next client gets."""
    if run.is_upload:
        return upload(bench, run)
    try:
        status, cache, count, trouble = fetch(bench, run, run.reader)
    except Broken as error:
        status, cache, count, trouble = 0, "", 0, str(error)
    except Left:
        status = None
    # A client that has closed its side waits five seconds for the answer to begin, which may be too few on a busy machine.
    has_left = status is None or status == 0 and run.reader == "half-closed"
    if not has_left:
        judge(run, status, count, trouble)
        bench.count(f"{'broken' if trouble else 'whole'} bodies by way of '{run.way}'")
    if run.way == "tunnel":
        return
    status, cache, count, trouble = fetch(bench, run, "fast")
    # Whoever comes while the first body is still on its way shares its end.
    while trouble and run.is_whole is not True and "; collapsed" in cache:
        status, cache, count, trouble = fetch(bench, run, "fast")
    if trouble or status != 200 or count != run.length:
        raise Failure(f"the second answer is {status}, {cache}, {count} of {run.length} bytes: {trouble or 'whole'}")
    if "; hit" in cache and run.is_whole is False and bench.origin(run).asked[run.path] < 2:
        raise Failure("what was broken off is a hit")


def judge(run, status, count, trouble):
    if run.is_whole:
        if trouble or status != 200:
            raise Failure(f"{status}, {count} of {run.length} bytes, then: {trouble}")
        if count != run.length:
            raise Failure(f"{count} of {run.length} bytes count as whole")
    elif trouble is None and (run.is_whole is False or count != run.length):
        raise Failure(f"{count} of {run.size} bytes count as whole, though the origin broke off")


# The bench


class Bench:
    """Origins, servers and what they need."""

    def __init__(self, afcache, work):
        self.afcache, self.work = os.path.abspath(afcache), work
        self.servers, self.ports, self.stores = [], {}, {}
        self.happened, self.lock = collections.Counter(), threading.Lock()
        self.certificate, key = f"{work}/certificate.pem", f"{work}/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
            + ["-subj", "/CN=test", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", self.certificate],
            check=True,
            capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.plain, self.secure = Origin(), Origin(context)
        self.trust_origin = ssl.create_default_context(cafile=self.certificate)

    def count(self, what):
        with self.lock:
            self.happened[what] += 1

    def origin(self, run):
        return self.secure if run.is_secure else self.plain

    def start(self, way):
        store = self.stores[way] = f"{self.work}/store-{way}"
        arguments = {
            "origin": ["--origin", f"http://localhost:{self.plain.port}"],
            "secure": ["--origin", f"https://localhost:{self.secure.port}", "--cacert", self.certificate],
            "proxy": ["--forward-proxy", "--allow-private"],
            "tunnel": ["--forward-proxy", "--allow-private"],
            "ca": ["--forward-proxy", "--allow-private", "--ca", f"{self.work}/ca", "--cacert", self.certificate],
        }[way]
        if way == "ca":
            command = [self.afcache, "ca", "create", "--ca", f"{self.work}/ca", "--common-name", "test", "--valid-for", "2d"]
            subprocess.run(command + ["--host", "localhost"], check=True, capture_output=True)
            self.trust_authority = ssl.create_default_context(cafile=f"{self.work}/ca/certificate.pem")
        server = subprocess.Popen(
            [self.afcache, "serve", "--cache", store, "--port", "0"] + arguments,
            stdout=subprocess.PIPE,
            stderr=open(f"{self.work}/{way}.log", "w"),
            text=True,
        )
        self.servers.append(server)
        line = server.stdout.readline()
        if not line:
            raise Failure(f"'serve {' '.join(arguments)}' doesn't start: {open(f'{self.work}/{way}.log').read()}")
        self.ports[way] = int(line.strip().rstrip("/").rsplit(":", 1)[1])

    def close(self):
        for server in self.servers:
            server.send_signal(signal.SIGTERM)
        for server in self.servers:
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()

    def check_stores(self, runs):
        """What the stores answer alone must be whole, and sound."""
        count = 0
        for run in runs:
            if run.way != "tunnel" and not run.is_upload:
                status, cache, taken, trouble = fetch(self, run, "fast", "Cache-Control: only-if-cached\r\n")
                if status == 504:
                    continue
                if trouble or taken != run.length:
                    raise Failure(f"{run}: the store answers {status}, {taken} of {run.length} bytes: {trouble or 'whole'}")
                count += 1
                self.count(f"stored responses by way of '{run.way}'")
        self.close()
        for way, server in zip(self.ports, self.servers):
            if server.returncode != 0:
                raise Failure(f"the server for '{way}' ends with {server.returncode}: {open(f'{self.work}/{way}.log').read()}")
        for way, store in self.stores.items():
            if not os.path.isdir(store):
                if self.happened[f"stored responses by way of '{way}'"]:
                    raise Failure(f"the store of '{way}' answered, and there is none")
                continue
            result = subprocess.run([self.afcache, "cache", "verify", "--cache", store], capture_output=True, text=True)
            if result.returncode != 0:
                raise Failure(f"'cache verify' ends with {result.returncode}: {result.stdout}{result.stderr}")
            if self.happened[f"stored responses by way of '{way}'"] and "received response" not in result.stdout:
                raise Failure(f"'cache verify' checked none of the responses of '{way}': {result.stdout}")
        return count

    def require_everything(self, ways):
        """Raises if something that the runs are for did not happen."""
        happened = self.happened + self.plain.sent + self.secure.sent
        needed = [f"framing '{framing}'" for framing in FRAMINGS] + [f"end '{end}'" for end in ENDS]
        if {"tunnel", "secure", "ca"} & set(ways):
            needed.append("end 'no notify'")
        for way in ways:
            needed += [f"whole bodies by way of '{way}'", f"broken bodies by way of '{way}'"]
            if way != "tunnel":
                needed.append(f"stored responses by way of '{way}'")
        needed += ["whole uploads", "broken uploads"]
        if missing := [what for what in needed if not happened[what]]:
            raise Failure(f"left out: 0 {', 0 '.join(missing)}; there must be one at least, so make more runs")
        return needed


def perform(arguments, ways, runs):
    """Makes the runs; returns a sentence.

    Raises a failure where one of them failed, or something was left out.
    """
    work = tempfile.mkdtemp(prefix="byte-test-")
    bench = None
    failures = []
    try:
        bench = Bench(arguments.afcache, work)
        for way in ways:
            bench.start(way)
        for run in runs:
            bench.origin(run).runs[run.path] = run
        waiting, lock = list(reversed(runs)), threading.Lock()

        def work_off():
            while True:
                with lock:
                    if not waiting:
                        return
                    run = waiting.pop()
                try:
                    attempt(bench, run)
                except Exception as error:
                    with lock:
                        failures.append(run)
                        print(f"{run}: {error or type(error).__name__}", flush=True)

        threads = [threading.Thread(target=work_off) for _ in range(arguments.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kept = bench.check_stores([run for run in runs if run not in failures])
        if failures:
            raise Failure(f"{len(failures)} of {len(runs)} runs failed")
        if arguments.run is None:
            bench.require_everything(ways)
    finally:
        if bench:
            bench.close()
        shutil.rmtree(work, ignore_errors=True)
    count = lambda what: sum(number for name, number in bench.happened.items() if name.startswith(what))
    return (
        f"{len(runs)} runs: every body whole or an error, {kept} of them in stores; {count('whole bodies')} bodies were whole,"
        f" {count('broken bodies')} broken off; {count('whole uploads')} uploads were whole, {count('broken uploads')} broken off"
    )


def prove(arguments):
    """Leaves out what the runs are for, and checks that the test then fails."""

    def all_whole(run):
        run.end = "whole"

    def never_stored(run):
        run.is_kept = False

    def one_framing(run):
        run.framing = "length"

    def no_upload(run):
        run.is_upload = False

    cases = [
        ("bodies that are broken off", "0 end 'cut'", all_whole), ("bodies that are stored", "0 stored responses", never_stored),
        ("framings", "0 framing 'chunks'", one_framing), ("uploads", "0 whole uploads", no_upload),
    ]
    for missing, expected, change in cases:
        runs = chosen(arguments, ["origin"])
        for run in runs:
            change(run)
        try:
            said = perform(arguments, ["origin"], runs)
        except Failure as error:
            said = str(error)
        if "left out: " not in said or expected not in said:
            print(f"byte-test: without {missing} it should fail with '{expected}', and says: {said}")
            return 1
        print(f"without {missing}: fails: {said}", flush=True)
    print(f"proved: without what it needs the test fails, in {len(cases)} ways")
    return 0


def chosen(arguments, ways):
    """The runs that the arguments ask for."""
    runs = []
    for number in range(arguments.runs):
        rng = random.Random(f"{arguments.seed} {number}")
        runs.append(Run(number, rng.choice(WAYS), rng, arguments.largest))
    return [run for run in runs if run.way in ways and (arguments.run is None or run.number == arguments.run)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("afcache")
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--run", type=int)
    parser.add_argument("--only", default=",".join(WAYS))
    parser.add_argument("--largest", type=int, default=100_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--prove", action="store_true", help="leave out what the runs are for, and check that the test then fails")
    arguments = parser.parse_args()
    ways = arguments.only.split(",")
    if unknown := [way for way in ways if way not in WAYS]:
        parser.error(f"there is no '{unknown[0]}'; choose from {', '.join(WAYS)}")
    if arguments.prove:
        arguments.runs, arguments.largest = 200, 1_000_000
        return prove(arguments)
    runs = chosen(arguments, ways)
    if not runs:
        parser.error("there is no such run")
    try:
        print(perform(arguments, ways, runs), flush=True)
    except Failure as error:
        print(f"byte-test: {error}", flush=True)
        return 1
    return 0


sys.exit(main())
