"""Starts a program as systemd does for a socket unit: with sockets that listen already, from descriptor 3 on.

activate.py ADDRESS... -- COMMAND...: an address is 'tcp' for a free port of 127.0.0.1, or the path of a Unix socket. The
first line says the ports and paths, divided by blanks.
"""

import os
import socket
import sys

divider = sys.argv.index("--")
addresses, command = sys.argv[1:divider], sys.argv[divider + 1 :]
sockets = []
names = []
for address in addresses:
    if address == "tcp":
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        names.append(str(listener.getsockname()[1]))
    else:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(address)
        os.chmod(address, 0o666)
        listener.listen(128)
        names.append(address)
    sockets.append(listener)
print(" ".join(names), flush=True)
# Copies above what may be taken already, and from there to where they belong.
copies = [os.dup2(listener.fileno(), 100 + place) for place, listener in enumerate(sockets)]
for place, copy in enumerate(copies):
    os.dup2(copy, 3 + place)
    os.close(copy)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)), LISTEN_FDNAMES=":".join("s" for _ in sockets))
os.execvp(command[0], command)
