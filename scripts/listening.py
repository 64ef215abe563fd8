"""Waits for the servers that other scripts start."""

import socket
import sys
import time


def wait_until_listening(process, address):
    """Returns when a program listens at an address 'HOST:PORT'.

    Ends the script if the program ends first, or doesn't listen after a minute.
    """
    end = time.monotonic() + 60
    while True:
        # Checked before the attempt to connect, so that there is one attempt after the end.
        is_last = time.monotonic() >= end or process.poll() is not None
        try:
            socket.create_connection(address.split(":"), timeout=60).close()
            return
        except OSError as error:
            if is_last:
                process.kill()
                sys.exit(f"{process.args[0]} doesn't listen at {address}: {error}")
            time.sleep(0.02)
