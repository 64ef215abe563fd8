"""An origin that answers with what the request's query says, and writes down every request as it came.

    python3 origin.py LOG FOLDER [CERTIFICATE KEY]

It prints its port. A query is a list of response fields, so that `/a?Cache-Control=max-age=60&ETag="1"` has these two. Names
in lower case mean something else: `status`, `size` (bytes of the body), `echo` (the body is the request's head), `pace`
(seconds after each 64 KiB), `mirror` (a request field whose value the body has), `events` (an event stream of so many events, each of which is sent when another
request came), `unread` (the request's body isn't read, so that it is taken for the next request). A request that has the ETag
gets a 304.
Files of the folder, unless that is `-`, are answered with, and are fresh for an hour.
"""

import json
import mimetypes
import os
import socket
import ssl
import sys
import threading
import time
import urllib.parse

log = open(sys.argv[1], "a", buffering=1)
lock = threading.Lock()
arrived = threading.Condition(lock)
count = 0


def note(head, body, trouble=None):
    global count
    with lock:
        count += 1
        log.write(json.dumps({"head": head, "body": body.decode("latin-1"), "trouble": trouble}) + "\n")
        arrived.notify_all()
        return count


class Closed(Exception):
    pass


class Connection:
    def __init__(self, handle):
        self.handle = handle
        self.buffer = b""

    def more(self):
        bytes = self.handle.recv(65536)
        if not bytes:
            raise Closed
        self.buffer += bytes

    def upto(self, end):
        while end not in self.buffer:
            self.more()
        part, self.buffer = self.buffer.split(end, 1)
        return part

    def exactly(self, length):
        while len(self.buffer) < length:
            self.more()
        part, self.buffer = self.buffer[:length], self.buffer[length:]
        return part

    def body(self, fields):
        if fields.get("transfer-encoding") == "chunked":
            body = b""
            while True:
                length = int(self.upto(b"\r\n"), 16)
                body += self.exactly(length)
                self.upto(b"\r\n")
                if length == 0:
                    return body
        return self.exactly(int(fields.get("content-length", "0")))

    def serve(self):
        while True:
            head = self.upto(b"\r\n\r\n").decode("latin-1")
            lines = head.split("\r\n")
            words = lines[0].split(" ")
            fields = {}
            for line in lines[1:]:
                name, value = line.split(":", 1)
                fields[name.lower()] = value.strip()
            number = note(head, b"" if "unread=" in lines[0] else self.body(fields))
            if len(words) != 3:
                return
            self.answer(words[0], words[1], fields, head, number)

    def answer(self, method, target, fields, head, number):
        path, _, query = target.partition("?")
        wanted = urllib.parse.parse_qsl(query, keep_blank_values=True)
        options = {name: value for name, value in wanted if name.islower()}
        lines = [(name, value) for name, value in wanted if not name.islower()]
        body = f"{path} {number}\n".encode()
        if "echo" in options:
            body = head.encode("latin-1")
        if "mirror" in options:
            body = fields.get(options["mirror"], "none").encode("latin-1")
        file = os.path.join(sys.argv[2], path.lstrip("/"))
        if os.path.isfile(file):
            lines += [("Content-Type", mimetypes.guess_type(file)[0]), ("Cache-Control", "max-age=3600")]
            with open(file, "rb") as opened:
                body = opened.read()
        if "events" in options:
            return self.send_events(lines, int(options["events"]))
        size = int(options.get("size", len(body)))
        status = int(options.get("status", 200))
        tag = dict(lines).get("ETag")
        if tag and fields.get("if-none-match") == tag:
            status = 304
        text = f"HTTP/1.1 {status} Answer\r\nDate: {time.strftime('%a, %d %b %Y %H:%M:%S GMT', time.gmtime())}\r\n"
        text += "".join(f"{name}: {value}\r\n" for name, value in lines)
        if status != 304:
            text += f"Content-Length: {size}\r\n"
        self.handle.sendall(text.encode("latin-1") + b"\r\n")
        if method == "HEAD" or status == 304:
            return
        if "size" not in options:
            return self.handle.sendall(body)
        piece = b"0123456789abcdef" * 4096
        while size > 0:
            self.handle.sendall(piece[:size])
            time.sleep(float(options.get("pace", 0)))
            size -= len(piece)


    def send_events(self, lines, events):
        lines += [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("Transfer-Encoding", "chunked")]
        text = "HTTP/1.1 200 Answer\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines)
        self.handle.sendall(text.encode("latin-1") + b"\r\n")
        seen = count
        for number in range(events):
            event = f"data: {number}\n\n".encode()
            self.handle.sendall(b"%x\r\n%s\r\n" % (len(event), event))
            with arrived:
                arrived.wait_for(lambda: count > seen + number)
        self.handle.sendall(b"0\r\n\r\n")


def accepted(handle):
    try:
        handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            handle = context.wrap_socket(handle, server_side=True)
        Connection(handle).serve()
    except (Closed, OSError):
        pass
    except Exception as error:
        note("", b"", repr(error))
    finally:
        handle.close()


context = None
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
listener = socket.create_server(("127.0.0.1", 0), backlog=256)
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=accepted, args=(listener.accept()[0],), daemon=True).start()
