"""Spends bytes on the wire without bodies, and measures what this costs in memory; see scripts/test-memory."""

import argparse
import gzip
import itertools
import os
import pathlib
import re
import select
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

from listening import wait_until_listening

parser = argparse.ArgumentParser(prog="test-memory", add_help=False)
parser.add_argument("afcache")
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--only", default="", help="only ways, or programs, with this text in their name")
parser.add_argument("--size", type=int, default=40, metavar="MB", help="the bytes of one peer")
parser.add_argument("--table", action="store_true", help="print the results as a table of Markdown")
arguments = parser.parse_args()
afcache, work = arguments.afcache, arguments.work

ONE_PEER, MANY_PEERS = 150, 256
PEERS = 64
# The seconds for one peer, and for all of 64.
PATIENCE = 30

# Responses of HTTP/1.1: the bytes before, and those that are repeated until the size is reached. What isn't valid may be
# refused at once; what is valid must be read to its end.
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
RESPONSES = {
    "chunk extensions": (CHUNKED, b"2;" + b"e" * 2000 + b"\r\nok\r\n"),
    "short chunk extensions": (CHUNKED, b"1;a=bcdefghi\r\na\r\n"),
    "chunks of one byte": (CHUNKED, b"1\r\na\r\n"),
    "chunk sizes with zeros": (CHUNKED, b"00000000001\r\na\r\n"),
    "white space after chunk sizes": (CHUNKED, b"1" + b" " * 1000 + b"\r\na\r\n"),
    "a chunk's line without end": (CHUNKED + b"1;", b"e" * 1000),
    "a chunk without end of its data": (CHUNKED + b"1\r\na", b"a" * 1000),
    "trailers": (CHUNKED + b"0\r\n", b"T: v\r\n" * 200),
    "a trailer without end": (CHUNKED + b"0\r\nT: ", b"v" * 1000),
    "interim responses": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 40),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 40),
    "large interim responses": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: " + b"l" * 60_000 + b"\r\n\r\n"),
    "interim responses with many fields": (b"", b"HTTP/1.1 103 Early Hints\r\n" + b"L: l\r\n" * 1000 + b"\r\n"),
    "short fields": (HEAD, b"F: v\r\n" * 200),
    "fields of the same name": (HEAD, b"Set-Cookie: a=" + b"b" * 100 + b"\r\n"),
    "a field without end": (HEAD + b"F: ", b"v" * 1000),
    "a name without end": (HEAD, b"n" * 1000),
    "folded lines": (HEAD + b"F: v\r\n", b" folded\r\n" * 100),
    "lines that are no fields": (HEAD, b"no field\r\n" * 100),
    "a status line without end": (b"HTTP/1.1 200 ", b"O" * 1000),
    "empty lines before the head": (b"", b"\r\n" * 500),
    "bytes after a length": (HEAD + b"Content-Length: 2\r\n\r\nok", b"x" * 1000),
    "bytes after 204": (b"HTTP/1.1 204 No Content\r\n\r\n", b"x" * 1000),
    "responses that nobody asked for": (HEAD + b"Content-Length: 2\r\n\r\nok", HEAD + b"Content-Length: 0\r\n\r\n"),
    "empty members of gzip": (HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n", gzip.compress(b"") * 50),
}

# Requests of HTTP/1.1, in the same form. %s is the target.
POST = b"POST %s HTTP/1.1\r\nHost: %s\r\n"
GET = b"GET %s HTTP/1.1\r\nHost: %s\r\n"
REQUESTS = {
    "chunk extensions": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"2;" + b"e" * 2000 + b"\r\nok\r\n"),
    "chunks of one byte": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "a chunk's line without end": (POST + b"Transfer-Encoding: chunked\r\n\r\n1;", b"e" * 1000),
    "trailers": (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"T: v\r\n" * 200),
    "short fields": (GET, b"F: v\r\n" * 200),
    "a field without end": (GET + b"F: ", b"v" * 1000),
    "folded lines": (GET + b"F: v\r\n", b" folded\r\n" * 100),
    "a target without end": (b"GET /", b"t" * 1000),
    "empty lines before the head": (b"", b"\r\n" * 500),
    "requests whose responses aren't read": (b"", GET + b"\r\n"),
    "requests with 200 fields": (b"", GET + b"F: v\r\n" * 200 + b"\r\n"),
}


# --- HTTP/2 (RFC 9113) ---------------------------------------------------------------------------------------------------

DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION, ALTSVC = range(11)
END_STREAM, END_HEADERS, PADDED = 1, 4, 8


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A field of HPACK that isn't indexed (RFC 7541, section 6.2.2)."""

    def number(value, bits):
        most = (1 << bits) - 1
        if value < most:
            return bytes([value])
        rest, value = [most], value - most
        while value >= 128:
            rest.append(value % 128 + 128)
            value //= 128
        return bytes([*rest, value])

    return b"\0" + number(len(name), 7) + name + number(len(value), 7) + value


STATUS_200, STATUS_404 = b"\x88", b"\x8d"
STATUS_103 = b"\x08\x03103"
# An entry of 4,000 bytes in the dynamic table, and then one byte for each time that it is used.
BOMB = b"\x40\x01x\x7f\xa1\x1e" + b"v" * 4000
assert BOMB[3:6] == b"\x7f\xa1\x1e"


def frames(stream, is_response):
    """The ways to spend frames: what comes first, what is repeated, and if it takes from the window."""
    start = STATUS_200 if is_response else b"\x83\x87\x84\x01\x09localhost"
    head = frame(HEADERS, END_HEADERS, stream, start)
    ways = {
        "padding of DATA": (head, frame(DATA, PADDED, stream, b"\xff" + b"a" + bytes(255)), 257),
        "DATA of one byte": (head, frame(DATA, 0, stream, b"a"), 1),
        "empty DATA": (head, frame(DATA, 0, stream), 0),
        "padding of empty DATA": (head, frame(DATA, PADDED, stream, b"\xff" + bytes(255)), 256),
        "PING": (head, frame(PING, 0, 0, bytes(8)), 0),
        "SETTINGS": (head, frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 100) * 20), 0),
        "WINDOW_UPDATE": (head, frame(WINDOW, 0, 0, struct.pack(">I", 1)), 0),
        "WINDOW_UPDATE of a stream": (head, frame(WINDOW, 0, stream, struct.pack(">I", 1)), 0),
        "PRIORITY": (head, frame(PRIORITY, 0, stream, bytes(4) + b"\x10"), 0),
        "PRIORITY of other streams": (head, b"".join(frame(PRIORITY, 0, 2 * n + 1001, bytes(4) + b"\x10") for n in range(500)), 0),
        "empty CONTINUATION": (frame(HEADERS, 0, stream, start), frame(CONTINUATION, 0, stream), 0),
        "CONTINUATION": (frame(HEADERS, 0, stream, start), frame(CONTINUATION, 0, stream, literal(b"f", b"v" * 1000) * 15), 0),
        "a field that is used again and again": (
            b"", frame(HEADERS, 0, stream, start + BOMB) + frame(CONTINUATION, END_HEADERS, stream, b"\xbe" * 16_000), 0,
        ),
        "trailers": (head, frame(HEADERS, END_HEADERS | END_STREAM, stream, literal(b"t", b"v" * 16_000)), 0),
        "RST_STREAM": (head, frame(RST, 0, stream + 2, struct.pack(">I", 8)), 0),
        "unknown frames": (head, frame(0xFA, 0, stream, bytes(16_000)), 0),
        "frames of other protocols": (head, frame(ALTSVC, 0, stream, bytes(4000)), 0),
        "GOAWAY with data": (head, frame(GOAWAY, 0, 0, struct.pack(">II", 2**31 - 1, 0) + bytes(4000)), 0),
    }
    if is_response:
        ways |= {
            "interim responses": (b"", frame(HEADERS, END_HEADERS, stream, STATUS_103), 0),
            "large interim responses": (b"", frame(HEADERS, END_HEADERS, stream, STATUS_103 + literal(b"l", b"l" * 16_000)), 0),
            "PUSH_PROMISE": (head, frame(PUSH, END_HEADERS, stream, struct.pack(">I", 2) + b"\x82\x87\x84"), 0),
        }
    else:
        opened = itertools.count(stream, 2)

        def streams(*rest):
            return b"".join(
                frame(HEADERS, END_HEADERS | END_STREAM, number, b"\x82\x87\x84\x01\x09localhost") + b"".join(f(number) for f in rest)
                for number in itertools.islice(opened, 500)
            )

        ways |= {
            "streams that are reset": (b"", lambda: streams(lambda n: frame(RST, 0, n, struct.pack(">I", 8))), 0),
            "streams whose responses aren't read": (b"", lambda: streams(), 0),
        }
    return ways


class Peer:
    """The other side of a connection of HTTP/2: it reads frames, and waits for the window.

    Everything happens in the caller's thread: two threads that read and write one TLS connection at once damage OpenSSL's memory.
    """

    def __init__(self, connection, is_client, reads=True):
        connection.setblocking(False)
        self.connection, self.is_client, self.reads = connection, is_client, reads
        self.opened, self.is_over, self.is_closed = [], False, False
        # The streams that the other side has reset or answered.
        self.ended = set()
        # The windows of the connection and of its streams.
        self.windows = {}
        self.input, self.output, self.chunk = bytearray(), bytearray(), b""
        self.skip = 0 if is_client else 24
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" if is_client else b""
        self.send(preface + frame(SETTINGS, 0, 0) + frame(WINDOW, 0, 0, struct.pack(">I", 1 << 24)))

    def window(self, stream):
        return min(self.windows.get(0, 65535), self.windows.get(stream, 65535))

    def step(self, seconds):
        """Reads and writes what is possible now, or waits a while until something is."""
        before = len(self.output) + len(self.chunk)
        self.write()
        if (not self.reads or not self.read()) and len(self.output) + len(self.chunk) == before and not self.is_closed:
            poll = select.poll()
            poll.register(self.connection, (select.POLLIN if self.reads else 0) | (select.POLLOUT if before else 0))
            poll.poll(seconds * 1000)

    def write(self):
        try:
            while self.chunk or self.output:
                # TLS must be given the same bytes again until it has sent them.
                if not self.chunk:
                    self.chunk = bytes(self.output[:16384])
                    del self.output[:16384]
                self.chunk = self.chunk[self.connection.send(self.chunk):]
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.is_over = self.is_closed = True

    def read(self):
        """Reads what is there; returns false if there is nothing."""
        try:
            data = self.connection.recv(1 << 16)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return False
        except OSError:
            data = b""
        if not data:
            self.is_over = self.is_closed = True
            return False
        self.input += data
        if self.skip:
            if len(self.input) < self.skip:
                return True
            del self.input[: self.skip]
            self.skip = 0
        place = 0
        while len(self.input) >= place + 9:
            end = place + 9 + int.from_bytes(self.input[place : place + 3], "big")
            if len(self.input) < end:
                break
            head = self.input[place : place + 9]
            self.take(head[3], head[4], int.from_bytes(head[5:], "big"), bytes(self.input[place + 9 : end]))
            place = end
        del self.input[:place]
        return True

    def take(self, kind, flags, stream, payload):
        if kind == HEADERS:
            self.opened.append(stream)
        if kind == WINDOW:
            self.windows[stream] = self.windows.get(stream, 65535) + int.from_bytes(payload, "big")
        if kind == RST or self.is_client and kind in (DATA, HEADERS) and flags & END_STREAM:
            self.ended.add(stream)
        if kind == GOAWAY:
            self.is_over = True
        if kind == SETTINGS and not flags & 1:
            self.output += frame(SETTINGS, 1, 0)

    def send(self, data):
        """Sends all of the bytes, and reads meanwhile."""
        self.output += data
        end = time.monotonic() + PATIENCE
        while (self.output or self.chunk) and time.monotonic() < end:
            self.step(1)
            if self.is_closed:
                raise OSError("closed")
        if self.output or self.chunk:
            raise OSError("the other side reads nothing")
        if self.reads:
            self.read()

    def wait(self, condition, seconds=5):
        end = time.monotonic() + seconds
        while not condition() and not self.is_over and time.monotonic() < end:
            self.step(0.1)
        return condition()


def spend(send, first, piece, size, may_send=lambda count: count):
    """Sends the first bytes, and then the piece until there are as many as wanted; returns their number."""
    sent = 0
    end = time.monotonic() + PATIENCE
    try:
        send(first)
        sent = len(first)
        while sent < size and time.monotonic() < end:
            one = piece() if callable(piece) else piece
            count = may_send(max(1, 65536 // len(one)))
            if not count:
                break
            send(one * (count if not callable(piece) else 1))
            sent += len(one) * count
    except OSError:
        # The other side has had enough, as it may.
        pass
    return sent


def spend_frames(peer, way, size, stream, is_response):
    """Spends frames on a stream, and on the next one if the other side has ended it; returns the number of bytes."""
    sent = 0
    while sent < size and not peer.is_over:
        first, piece, cost = frames(stream, is_response)[way]
        spent = 0

        def is_ended():
            # Each piece of such a way has streams of its own.
            return stream in peer.ended and not callable(piece)

        def may_send(count):
            nonlocal spent
            if cost:
                if not peer.wait(lambda: is_ended() or peer.window(stream) - spent > cost):
                    return 0
                count = min(count, (peer.window(stream) - spent) // cost)
                spent += count * cost
            return 0 if peer.is_over or is_ended() else count

        peer.windows[stream] = 65535
        count = spend(peer.send, first, piece, size - sent, may_send)
        sent += count
        # Frames of the connection count against its window, too.
        peer.windows[0] = peer.windows.get(0, 65535) - spent
        if is_response or not count or not is_ended():
            break
        stream += 2
    return sent


# --- Origins and clients -------------------------------------------------------------------------------------------------


class Origin:
    """Answers each request for '/' in one way, and others with 404."""

    def __init__(self, way, size, tls=None):
        self.way, self.size, self.tls, self.sent, self.threads = way, size, tls, 0, []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self.serve, args=[connection], daemon=True)
            self.threads.append(thread)
            thread.start()

    def serve(self, connection):
        try:
            connection.settimeout(PATIENCE)
            if self.tls:
                return self.serve_frames(self.tls.wrap_socket(connection, server_side=True))
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    data += piece
                head, data = data.split(b"\r\n\r\n", 1)
                target = head.split(b" ")[1]
                if re.fullmatch(rb"(http://[^/]*)?/(x\.zip)?", target):
                    self.sent += spend(connection.sendall, *self.way, self.size)
                    return
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        except (OSError, IndexError):
            pass
        finally:
            connection.close()

    def serve_frames(self, connection):
        peer = Peer(connection, is_client=False)
        # The first request is the one for robots.txt.
        if peer.wait(lambda: len(peer.opened) >= 1):
            peer.send(frame(HEADERS, END_HEADERS | END_STREAM, peer.opened[0], STATUS_404))
        if peer.wait(lambda: len(peer.opened) >= 2):
            self.sent += spend_frames(peer, self.way, self.size, peer.opened[1], True)
        connection.close()

    def close(self):
        """Ends the origin, and returns the number of bytes that it spent."""
        self.socket.close()
        end = time.monotonic() + 5
        for thread in self.threads:
            thread.join(max(0, end - time.monotonic()))
        return self.sent


def request(port, way, size, target, host):
    first, piece = way
    fill = lambda text: text % ((target, host) * (text.count(b"%s") // 2)) if b"%s" in text else text
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        sent = spend(connection.sendall, fill(first), fill(piece), size)
        # The server may still be reading.
        time.sleep(0.3)
        return sent


def request_frames(port, way, size, tls):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        with tls.wrap_socket(connection, server_hostname="localhost") as secure:
            sent = spend_frames(Peer(secure, True, reads="aren't read" not in way), way, size, 1, False)
            time.sleep(0.3)
            return sent


def fetch(port, target, host):
    """Sends one request, and takes the response as fast as it comes."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            connection.sendall(GET % (target, host) + b"Connection: close\r\n\r\n")
            end = time.monotonic() + PATIENCE
            while connection.recv(1 << 16) and time.monotonic() < end:
                pass
    except OSError:
        pass


# --- Programs --------------------------------------------------------------------------------------------------------------

quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}


def run(*words):
    """Runs the program to its end, or for a while; returns the most memory that it took, in MB."""
    program = subprocess.Popen([afcache, *words], **quiet)
    timer = threading.Timer(PATIENCE, program.kill)
    timer.start()
    _, _, usage = os.wait4(program.pid, 0)
    timer.cancel()
    program.returncode = 0
    return usage.ru_maxrss / 1000


class Server:
    """A running 'serve'."""

    def __init__(self, *options):
        self.program = subprocess.Popen(
            [afcache, "serve", "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        address = re.search(r"https?://([^/\s]+)", self.program.stdout.readline())[1]
        self.port = int(address.rsplit(":", 1)[1])
        wait_until_listening(self.program, f"127.0.0.1:{self.port}")

    def end(self):
        """Ends the server, and returns the most memory that it took, in MB."""
        if self.program.poll() is not None:
            sys.exit(f"test-memory: the server has ended with {self.program.returncode}")
        lines = pathlib.Path(f"/proc/{self.program.pid}/status").read_text()
        self.program.kill()
        self.program.wait()
        return int(re.search(r"VmHWM:\s*(\d+)", lines)[1]) / 1000


def at_once(count, action):
    """Runs an action in threads, and returns the sum of what they return."""
    sums = []

    def quietly():
        try:
            sums.append(action() or 0)
        except OSError:
            pass

    threads = [threading.Thread(target=quietly, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE * 2)
    return sum(sums)


counter = itertools.count()


def fresh(name):
    return work / f"{next(counter)}-{name}"


def client_run(program, origin, scheme):
    url = f"{scheme}://127.0.0.1:{origin.port}/"
    match program:
        case "pack":
            return run("pack", url, "--scope", "page", "--retries", "0", "--insecure", "--quiet", "-o", fresh("p.zip"))
        case "load":
            return run("load", url + "x.zip", "--cache", fresh("cache"))
        case "record":
            curl = ["curl", "-s", "-m", str(PATIENCE), "-o", "/dev/null", url]
            return run("record", "-o", fresh("r.zip"), "--", *curl)


def served_run(program, count, way, size, is_response, version):
    origin = Origin(way if is_response else (HEAD + b"Content-Length: 2\r\n\r\nok", b""), size if is_response else 0)
    secure = ["--tls-cert", certificate, "--tls-key", key] if version == 2 else []
    options, target, host = {
        "server": (["--cache", cache], b"/docs.example/", b"localhost"),
        "gateway": (["--cache", fresh("cache"), "--origin", f"http://127.0.0.1:{origin.port}"], b"/", b"localhost"),
        "proxy": (["--cache", fresh("cache"), "--forward-proxy", "--allow-private"],
                  b"http://127.0.0.1:%d/" % origin.port, b"127.0.0.1:%d" % origin.port),
    }[program]
    server = Server(*options, *secure)
    if is_response:
        at_once(count, lambda: fetch(server.port, target, host))
        sent = 0
    elif version == 2:
        sent = at_once(count, lambda: request_frames(server.port, way, size, client_tls))
    else:
        sent = at_once(count, lambda: request(server.port, way, size, target, host))
    return server.end(), origin.close() + sent


certificate, key, cache = work / "tls.pem", work / "tls.key", work / "cache"
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
     "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
    check=True, stderr=subprocess.DEVNULL,
)
(work / "site").mkdir()
(work / "site" / "index.html").write_text("<p>ok</p>")
subprocess.run(
    [afcache, "pack", "--folder", work / "site", "--base-url", "https://docs.example/", "-o", work / "site.zip"], check=True, **quiet,
)
subprocess.run([afcache, "load", work / "site.zip", "--cache", cache], check=True, **quiet)
server_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_tls.load_cert_chain(certificate, key)
server_tls.set_alpn_protocols(["h2"])
client_tls = ssl.create_default_context(cafile=certificate)
client_tls.set_alpn_protocols(["h2"])

results, failures = [], []


def note(way, program, peers, measured):
    megabytes, sent = measured
    limit = ONE_PEER if peers == 1 else MANY_PEERS
    is_fine = megabytes < limit and sent
    results.append((way, program, peers, megabytes))
    print(f"{'ok  ' if is_fine else 'FAIL'} {way}, {program}, {peers} at once: {megabytes:.0f} MB for {sent / 1e6:.3f} MB", file=sys.stderr, flush=True)
    if not is_fine:
        failures.append(f"{way}, {program}, {peers} at once: {megabytes:.0f} MB of {limit}, {sent} bytes sent")


def is_wanted(way, program):
    return arguments.only in f"{way}, {program}"


size = arguments.size * 1_000_000
for name, way in RESPONSES.items():
    title = f"responses: {name}"
    for program in ("pack", "load", "record"):
        if is_wanted(title, program):
            origin = Origin(way, size)
            note(title, program, 1, (client_run(program, origin, "http"), origin.close()))
    for program in ("gateway", "proxy"):
        for peers in (1, PEERS):
            if is_wanted(title, program):
                part = size if peers == 1 else size // 8
                note(title, program, peers, served_run(program, peers, way, part, True, 1))
for name in frames(1, True):
    title = f"responses over HTTP/2: {name}"
    if is_wanted(title, "pack"):
        origin = Origin(name, size, server_tls)
        note(title, "pack", 1, (client_run("pack", origin, "https"), origin.close()))
for name, way in REQUESTS.items():
    title = f"requests: {name}"
    for program in ("server", "gateway", "proxy"):
        for peers in (1, PEERS):
            if is_wanted(title, program):
                part = size if peers == 1 else size // 8
                note(title, program, peers, served_run(program, peers, way, part, False, 1))
for name in frames(1, False):
    title = f"requests over HTTP/2: {name}"
    for program in ("server", "gateway"):
        for peers in (1, PEERS):
            if is_wanted(title, program):
                part = size if peers == 1 else size // 8
                note(title, program, peers, served_run(program, peers, name, part, False, 2))

if not results:
    sys.exit("test-memory: no way has this text in its name")
if arguments.table:
    print(f"| way | towards | MB with one peer | MB with {PEERS} at once |\n| --- | --- | --- | --- |")
    for way in dict.fromkeys(way for way, *_ in results):
        found = [result for result in results if result[0] == way]
        towards = ", ".join(dict.fromkeys(program for _, program, *_ in found))
        most = [max((round(one[3]) for one in found if one[2] == peers), default="") for peers in (1, PEERS)]
        print(f"| {way} | {towards} | {most[0]} | {most[1]} |")
ways = len({way for way, *_ in results})
for peers, limit in ((1, ONE_PEER), (PEERS, MANY_PEERS)):
    most = max((result for result in results if result[2] == peers), key=lambda result: result[3], default=None)
    if most:
        print(f"{ways} ways, {peers} at once: at most {most[3]:.0f} MB ({most[0]}, {most[1]}), of {limit}")
if failures:
    sys.exit("test-memory: too much memory:\n" + "\n".join(failures))
