"""The test of scripts/prove-site, which installs and builds everything that this program needs."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from listening import wait_until_listening

NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ }}
http {{
    include /etc/nginx/mime.types; default_type application/octet-stream; access_log off;
    client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
    uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
    server {{ listen 127.0.0.1:{port}; root {folder}; disable_symlinks off; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(connection, target, headers):
    connection.request("GET", target, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    return answer.status, body, answer.getheader("Content-Type"), answer.getheader("Last-Modified")


def run(*command, allowed=(0,)):
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    print(f"$ {' '.join(os.path.basename(c) if i == 0 else c for i, c in enumerate(command))}")
    for line in (done.stdout + done.stderr).splitlines()[:12]:
        print("  " + line)
    print(f"  ({time.monotonic() - began:.2f} s)")
    if done.returncode not in allowed:
        sys.exit(f"prove-site: exit code {done.returncode}")


def main(afcache, folder, start):
    work = tempfile.mkdtemp(prefix="afcache-prove-")
    processes = []
    try:
        port = free_port()
        with open(f"{work}/nginx.conf", "w") as file:
            file.write(NGINX.format(work=work, port=port, folder=folder))
        nginx = subprocess.Popen(["nginx", "-c", f"{work}/nginx.conf"], stderr=subprocess.DEVNULL)
        processes.append(nginx)
        origin = f"127.0.0.1:{port}"
        wait_until_listening(nginx, origin)
        package, store = f"{work}/site.zip", f"{work}/store"
        # The site itself has dead links, which are listed and give exit code 5.
        run(afcache, "pack", f"http://{origin}{start}", "-o", package, allowed=(0, 5))
        run(afcache, "lint", "--quiet", package)
        run(afcache, "load", package, "--cache", store)
        listing = subprocess.run([afcache, "ls", package, "--json"], capture_output=True, text=True, check=True).stdout
        resources = [json.loads(line) for line in listing.splitlines()]
        expected = {}
        connection = http.client.HTTPConnection(origin)
        for resource in resources:
            target = resource["url"].removeprefix(f"http://{origin}")
            expected[target] = fetch(connection, target, {})
        connection.close()
        nginx.terminate()
        nginx.wait()
        server = subprocess.Popen(
            [afcache, "serve", "--cache", store, "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        processes.append(server)
        address = server.stdout.readline().strip().removeprefix("serving at http://").rstrip("/")
        connection = http.client.HTTPConnection(address)
        wrong = 0
        for target, (status, body, kind, modified) in expected.items():
            found = fetch(connection, f"http://{origin}{target}", {"Host": origin})
            if found != (status, body, kind, modified):
                wrong += 1
                print(f"  differs: {target}: {found[0]} {found[2]} {found[3]}, expected {status} {kind} {modified}")
        print(f"{len(expected)} resources compared after nginx was stopped: {wrong} differ")
        server.send_signal(signal.SIGTERM)
        if server.wait(timeout=60) != 0:
            sys.exit("prove-site: the server did not end with 0")
        return 1 if wrong or not expected else 0
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
                process.wait()
        shutil.rmtree(work)


sys.exit(main(*sys.argv[1:4]))
