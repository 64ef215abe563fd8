"""An origin of WebSockets (RFC 6455), over plain sockets: it sends each frame back, and `refuse` is a 400.

It prints its port, and then the head of each request, its line ends written as `|`.
"""

import base64
import hashlib
import socket
import sys
import threading


def exactly(handle, length):
    bytes = b""
    while len(bytes) < length:
        more = handle.recv(length - len(bytes))
        if not more:
            raise EOFError
        bytes += more
    return bytes


def serve(handle):
    head = b""
    while b"\r\n\r\n" not in head:
        head += exactly(handle, 1)
    text = head.decode("latin-1")
    print(text.replace("\r\n", "|"), flush=True)
    fields = {}
    for line in text.split("\r\n")[1:]:
        if line:
            name, value = line.split(":", 1)
            fields[name.lower()] = value.strip()
    if "refuse" in text.split("\r\n")[0] or fields.get("upgrade") != "websocket":
        handle.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nSec-WebSocket-Version: 13\r\n\r\nno\n")
        return handle.close()
    seed = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(seed.encode()).digest()).decode()
    # The first frame goes out with the head, as servers do that have something to say.
    handle.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode() + b"\x81\x05hello"
    )
    while True:
        try:
            first, second = exactly(handle, 2)
        except EOFError:
            # The client has closed its side: what the origin still has to say must reach it.
            handle.sendall(b"\x81\x03end")
            return handle.close()
        length = second & 0x7F
        if length == 126:
            length = int.from_bytes(exactly(handle, 2), "big")
        elif length == 127:
            length = int.from_bytes(exactly(handle, 8), "big")
        mask = exactly(handle, 4)
        body = exactly(handle, length)
        body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(body))
        size = bytes([length]) if length < 126 else b"\x7e" + length.to_bytes(2, "big")
        handle.sendall(bytes([first]) + size + body)
        if first & 0x0F == 8:
            return handle.close()


def accepted(handle):
    try:
        serve(handle)
    except (EOFError, OSError):
        handle.close()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=accepted, args=(listener.accept()[0],), daemon=True).start()
