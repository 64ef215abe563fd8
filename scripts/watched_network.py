"""A network that has nobody in it but a listener, for scripts that count what a browser tries to send.

Everything that leaves a program is seen: the names that it looks up, each attempt to connect, and each datagram. Must run in a
network namespace and a mount namespace of its own ('unshare --net --mount'), where the listener may take any port.
"""

import contextlib
import dataclasses
import http.server
import pathlib
import socket
import struct
import subprocess
import threading

# The address of the name server; those of names follow in other subnets.
SERVER = "10.99.0.1"
# Names that nobody was given stand here, such as those that a browser asks for on its own.
UNKNOWN = "10.99.0.9"
OUTGOING = 4


@dataclasses.dataclass(frozen=True)
class Attempt:
    """Something that was tried: a look-up of a name, a connection, a request, or a datagram."""

    kind: str
    # The name, or the address and port if nobody was given the address.
    target: str


class WatchedNetwork:
    """The network, for as long as the block lasts. `answer` returns status, type and body for a host and a path."""

    def __init__(self, folder, names, answer):
        self.folder, self.answer, self.attempts, self.is_ended = pathlib.Path(folder), answer, [], False
        self.addresses = {name: f"10.99.{1 + number // 200}.{1 + number % 200}" for number, name in enumerate(names)}
        self.names = {address: name for name, address in self.addresses.items()}
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        # Nobody outside announces anything on it.
        pathlib.Path("/proc/sys/net/ipv6/conf/all/disable_ipv6").write_text("1")
        for words in (
            "link set lo up", "link add out type veth peer name away", f"address add {SERVER}/16 dev out", "link set out up", "link set away up",
            "route add default dev out",
            "route add local 10.99.0.0/16 dev lo",
        ):
            subprocess.run(["ip", *words.split()], check=True)
        resolver = self.folder / "resolv.conf"
        resolver.write_text(f"nameserver {SERVER}\n")
        subprocess.run(["mount", "--bind", resolver, pathlib.Path("/etc/resolv.conf").resolve()], check=True)
        self.packets = self.stack.enter_context(socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003)))
        self.packets.settimeout(0.2)
        self.lookups = self.stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.lookups.bind((SERVER, 53))
        self.lookups.settimeout(0.2)
        self.closed = self.stack.enter_context(socket.create_server(("0.0.0.0", 443)))
        self.closed.settimeout(0.2)
        network = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                host = self.headers.get("Host", "")
                network.attempts.append(Attempt("request", host.lower()))
                status, kind, body = network.answer(host, self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Access-Control-Allow-Private-Network", "true")
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.server.serve_forever, self.watch, self.look_up, self.refuse)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_ended = True
        self.server.shutdown()
        self.server.server_close()
        for thread in self.threads:
            thread.join()
        self.stack.close()

    def taken(self):
        """What was tried since the last call."""
        attempts, self.attempts = self.attempts, []
        return attempts

    def watch(self):
        while not self.is_ended:
            try:
                packet, place = self.packets.recvfrom(65536)
            except TimeoutError:
                continue
            if place[2] != OUTGOING or place[1] != 0x0800 or len(packet) < 20:
                continue
            start = (packet[0] & 15) * 4
            protocol, target, rest = packet[9], socket.inet_ntoa(packet[16:20]), packet[start:]
            if target.startswith("127.") or len(rest) < 14 and protocol == 6 or len(rest) < 8:
                continue
            source, port = struct.unpack("!HH", rest[:4])
            if protocol == 17 and 53 in (port, source):
                continue
            # Of a connection, the first packet counts, and no answer to one, nor the kernel's word that nobody listens.
            if protocol == 6 and rest[13] & 0x12 != 2 or protocol == 1:
                continue
            name = self.names.get(target, f"{target}:{port}")
            self.attempts.append(Attempt({6: "connection", 17: "datagram"}.get(protocol, f"protocol {protocol}"), name))

    def look_up(self):
        while not self.is_ended:
            try:
                question, client = self.lookups.recvfrom(4096)
            except TimeoutError:
                continue
            labels, index = [], 12
            while index < len(question) and question[index]:
                labels.append(question[index + 1 : index + 1 + question[index]].decode("ascii", "replace"))
                index += 1 + question[index]
            name, end = ".".join(labels).lower(), index + 5
            kind = struct.unpack("!H", question[index + 1 : index + 3])[0]
            self.attempts.append(Attempt("name", name))
            answers = b""
            if kind == 1:
                address = socket.inet_aton(self.addresses.get(name, UNKNOWN))
                answers = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + address
            head = question[:2] + b"\x81\x80" + struct.pack("!HHHH", 1, 1 if answers else 0, 0, 0)
            self.lookups.sendto(head + question[12:end] + answers, client)

    def refuse(self):
        """Takes secure connections, and ends them."""
        while not self.is_ended:
            with contextlib.suppress(TimeoutError):
                self.closed.accept()[0].close()
