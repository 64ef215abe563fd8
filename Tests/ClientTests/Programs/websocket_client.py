"""A client of WebSockets over plain sockets.

    python3 websocket_client.py PORT TARGET echo|half-close|refuse

It prints what came, one line each.
"""

import socket
import sys

port, target, what = int(sys.argv[1]), sys.argv[2], sys.argv[3]
handle = socket.create_connection(("127.0.0.1", port), timeout=30)
handle.sendall(
    f"GET {target} HTTP/1.1\r\nHost: a.example\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: chat\r\n"
    "Origin: http://a.example\r\n\r\n".encode()
)


def exactly(length):
    bytes = b""
    while len(bytes) < length:
        more = handle.recv(length - len(bytes))
        if not more:
            raise EOFError
        bytes += more
    return bytes


def frame():
    first, length = exactly(2)
    if length == 126:
        length = int.from_bytes(exactly(2), "big")
    return first & 0x0F, exactly(length)


def send(code, body):
    mask = b"\x01\x02\x03\x04"
    size = bytes([0x80 | len(body)]) if len(body) < 126 else b"\xfe" + len(body).to_bytes(2, "big")
    masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(body))
    handle.sendall(bytes([0x80 | code]) + size + mask + masked)


head = b""
while b"\r\n\r\n" not in head:
    head += exactly(1)
lines = head.decode("latin-1").split("\r\n")
print(lines[0].split(" ")[1])
fields = dict(line.split(": ", 1) for line in lines[1:] if line)
for name in ("Sec-WebSocket-Accept", "Sec-WebSocket-Version", "Connection", "Upgrade", "Cache-Status"):
    if name in fields:
        print(f"{name}: {fields[name]}")
if what == "refuse":
    print(exactly(3).decode().strip())
    sys.exit()
print(*frame())
for body in (b"one", b"x" * 40000, b"three"):
    send(1, body)
    code, came = frame()
    print(code, len(came), came == body)
if what == "half-close":
    handle.shutdown(socket.SHUT_WR)
    print(*frame())
else:
    send(9, b"ping")
    print(*frame())
    send(8, b"\x03\xe8")
    print(*frame())
print(len(handle.recv(1)))
