"""Chromium without a window, controlled over a pipe, for scripts that look at pages as a reader does."""

import contextlib
import json
import os
import select
import subprocess

from page import PATIENCE, Page, PageError

# Keys that aren't letters: their code, and the text that they write.
KEYS = {"Enter": (13, "\r"), "Backspace": (8, "")}


class Browser:
    """Chromium for as long as the block lasts. It reaches this machine only, and keeps its profile in the given folder.

    Names below school.test lead to this machine, as those of a network's wildcard record would. With the words that come before a
    command for it, the browser runs on another machine. With no address, it asks the machine's name server for each name.
    """

    def __init__(self, profile, address="127.0.0.1", words_before=()):
        self.number, self.rest, self.tabs = 0, b"", {}
        its_read, self.write = os.pipe()
        self.read, its_write = os.pipe()
        chromium = [
            *words_before, "chromium", "--headless=new", *(["--no-sandbox"] if os.geteuid() == 0 else []), "--disable-gpu", "--no-first-run",
            # Without its own requests, Chromium heeds no hints to connect either.
            *(["--disable-background-networking"] if address else []), "--disable-component-update", "--disable-sync", "--no-proxy-server",
            *([f"--host-resolver-rules=MAP *.school.test {address}, MAP * ~NOTFOUND, EXCLUDE {address}, EXCLUDE *.localhost"] if address else []),
            f"--user-data-dir={profile}",
            "--hide-scrollbars", "--lang=en-US", "--remote-debugging-pipe",
        ]
        # The browser reads commands from its file 3, and writes to its file 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{its_read} 4>&{its_write}', "bash", *chromium], pass_fds=[its_read, its_write],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(its_read)
        os.close(its_write)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Closing the pipe ends the browser, which then still writes its profile.
        os.close(self.write)
        os.close(self.read)
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def post(self, method, session=None, **parameters):
        """Sends a command, and returns the number of its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        return self.number

    def send(self, method, session=None, **parameters):
        """Sends a command, and waits for its answer."""
        number = self.post(method, session, **parameters)
        while True:
            answer = self.receive()
            if answer.get("method") == "Target.detachedFromTarget" and answer["params"]["sessionId"] == session:
                raise PageError(f"{method}: the frame is gone")
            if answer.get("id") == number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.rest:
            found = select.select([self.read], [], [], PATIENCE)[0] and os.read(self.read, 1 << 20)
            if not found:
                raise PageError("chromium ended, or hangs")
            self.rest += found
        first, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(first)
        tab = self.tabs.get(message.get("sessionId"))
        if tab and "method" in message:
            tab.report(message["method"], message.get("params", {}))
        return message

    @contextlib.contextmanager
    def tab(self, proxy=None):
        """A tab with a profile of its own, for as long as the block lasts. All its requests go to the proxy, if there is one."""
        options = {"proxyServer": proxy, "proxyBypassList": "<-loopback>"} if proxy else {}
        context = self.send("Target.createBrowserContext", **options)["browserContextId"]
        try:
            target = self.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
            tab = Tab(self, self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
            tab.resize(1280, 900)
            yield tab
        finally:
            self.send("Target.disposeBrowserContext", browserContextId=context)


def evaluated(browser, session, expression):
    try:
        result = browser.send("Runtime.evaluate", session, expression=expression, returnByValue=True)
    except PageError:
        return None
    return None if "exceptionDetails" in result else result["result"].get("value")


class Tab(Page):
    """A tab, what its pages requested, and the problems that they and their workers reported: exceptions and errors."""

    def __init__(self, browser, session):
        super().__init__()
        self.browser, self.session, self.sent, self.frames = browser, session, {}, []
        browser.tabs[session] = self
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def report(self, method, values):
        if method == "Target.attachedToTarget":
            # A worker, or a frame in a process of its own: what it reported before is repeated.
            session = values["sessionId"]
            self.browser.tabs[session] = self
            for domain in ("Runtime", "Log"):
                self.browser.post(f"{domain}.enable", session)
            if values["targetInfo"]["type"] == "iframe":
                self.frames.append(session)
                self.browser.post("Network.enable", session)
                self.browser.post("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        elif method == "Target.detachedFromTarget":
            if values["sessionId"] in self.frames:
                self.frames.remove(values["sessionId"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(values["request"]["url"])
            self.sent[values["requestId"]] = values["request"]["url"]
        elif method == "Network.loadingFailed" and values.get("blockedReason") == "csp":
            # A policy of the page kept it from being sent.
            with contextlib.suppress(KeyError, ValueError):
                self.requested.remove(self.sent.pop(values["requestId"]))
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(f"{values['entry']['text']} {values['entry'].get('url', '')}".strip())
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "assert"):
            words = [str(a.get("value") or a.get("description") or a["type"]) for a in values["args"]]
            self.problems.append(f"console.{values['type']}: {' '.join(words)}")

    def evaluate(self, expression):
        """The value of an expression; none while it throws, for example because a page is replaced."""
        return evaluated(self.browser, self.session, expression)

    def navigate(self, url):
        self.send("Page.navigate", url=url)

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def press_mouse(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press_key(self, key):
        code, text = KEYS.get(key, (None, key))
        more = {"code": key, "windowsVirtualKeyCode": code} if code else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **more, **({"text": text} if text and kind == "keyDown" else {}))

    def screenshot(self):
        return self.send("Page.captureScreenshot", format="png")["data"]

    def frame(self):
        """The page in a frame of the tab."""
        return Frame(self)


class Frame(Page):
    """The page in a tab's newest frame that has a process of its own, or in the tab while there is none."""

    def __init__(self, tab):
        super().__init__()
        self.tab = tab

    def evaluate(self, expression):
        # An answer of the browser brings what it reports.
        self.tab.evaluate("0")
        return evaluated(self.tab.browser, self.tab.frames[-1] if self.tab.frames else self.tab.session, expression)

    def press_key(self, key):
        self.tab.press_key(key)

    def press_mouse(self, x, y):
        found = "(place => [place?.x ?? 0, place?.y ?? 0])(document.querySelector('iframe')?.getBoundingClientRect())"
        place = self.tab.evaluate(found) if self.tab.frames else (0, 0)
        self.tab.press_mouse(x + place[0], y + place[1])
