"""A second machine without a name server, for scripts that read what this one serves: a network namespace behind a cable."""

import contextlib
import os
import subprocess
import time

from listening import wait_until_listening

# The addresses of this machine and of the other, on a network that has nobody else.
HERE, THERE = "10.99.0.1", "10.99.0.2"


class AnotherHost:
    """The other machine, for as long as the block lasts. Must run in a network namespace of its own ('unshare --net')."""

    def __init__(self):
        self.machine = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        # Before a command: it runs there.
        self.enter = ["nsenter", "--target", str(self.machine.pid), "--net"]

    def __enter__(self):
        def namespace(process):
            return os.readlink(f"/proc/{process}/ns/net")

        end = time.monotonic() + 10
        while namespace(self.machine.pid) == namespace("self"):
            if time.monotonic() > end:
                raise TimeoutError("the other machine's network doesn't come up")
            time.sleep(0.01)
        self.ip("link", "set", "lo", "up")
        self.ip("link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(self.machine.pid))
        self.ip("address", "add", f"{HERE}/24", "dev", "here")
        self.ip("link", "set", "here", "up")
        for words in (["link", "set", "lo", "up"], ["address", "add", f"{THERE}/24", "dev", "there"], ["link", "set", "there", "up"]):
            self.ip(*words, there=True)
        return self

    def __exit__(self, *_):
        self.machine.kill()
        self.machine.wait()

    def ip(self, *words, there=False):
        subprocess.run([*(self.enter if there else []), "ip", *words], check=True)


@contextlib.contextmanager
def nginx_before(server, address, port, folder):
    """nginx, for as long as the block lasts: it hands what is asked of it at an address and a port to a server."""
    configuration = folder / "nginx.conf"
    paths = " ".join(f"{name}_temp_path {folder};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration.write_text(f"""
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1; events {{}}
http {{ access_log off; {paths} server {{ listen {address}:{port}; location / {{ proxy_pass {server}; }} }} }}
""")
    nginx = subprocess.Popen(["nginx", "-e", f"{folder}/nginx.log", "-c", str(configuration)])
    try:
        wait_until_listening(nginx, f"{address}:{port}")
        yield
    finally:
        nginx.terminate()
        nginx.wait()
