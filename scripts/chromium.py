"""Chromium without a window, controlled over a pipe, for scripts that look at pages as a reader does."""

import base64
import contextlib
import json
import os
import select
import subprocess
import time

# How long a page may take for a step, in seconds.
PATIENCE = 30

# Returns the place of an element in the window, or nothing while it can't be clicked.
CLICKABLE = """names => {
    let root = document, x = 0, y = 0;
    for (const name of names.slice(0, -1)) {
        const frame = root?.querySelector(name), place = frame?.getBoundingClientRect();
        if (frame?.shadowRoot) {
            root = frame.shadowRoot;
            continue;
        }
        if (!place?.width) return;
        x += place.x;
        y += place.y;
        root = frame.contentDocument;
    }
    const element = root?.querySelector(names.at(-1));
    element?.scrollIntoView({block: 'center'});
    const place = element?.getBoundingClientRect();
    const middle = place?.width && [place.x + place.width / 2, place.y + place.height / 2], last = window.__place;
    window.__place = middle;
    if (middle && last && middle.every((value, index) => value == last[index])
        && element.contains(root.elementFromPoint(...middle))) return [middle[0] + x, middle[1] + y];
}"""


class PageError(Exception):
    """A page that doesn't do what was expected of it."""


class Browser:
    """Chromium for as long as the block lasts. It reaches this machine only, and keeps its profile in the given folder."""

    def __init__(self, profile):
        self.number, self.rest, self.tabs = 0, b"", {}
        its_read, self.write = os.pipe()
        self.read, its_write = os.pipe()
        chromium = [
            "chromium", "--headless=new", *(["--no-sandbox"] if os.geteuid() == 0 else []), "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost", f"--user-data-dir={profile}",
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


class Tab:
    """A tab, what its pages requested, and the problems that they and their workers reported: exceptions and errors."""

    def __init__(self, browser, session):
        self.browser, self.session, self.problems, self.requested = browser, session, [], []
        browser.tabs[session] = self
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def report(self, method, values):
        if method == "Target.attachedToTarget":
            # A worker: what it reported before is repeated.
            self.browser.tabs[values["sessionId"]] = self
            for domain in ("Runtime", "Log"):
                self.browser.post(f"{domain}.enable", values["sessionId"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(values["request"]["url"])
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
        try:
            result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        except PageError:
            return None
        return None if "exceptionDetails" in result else result["result"].get("value")

    def wait(self, expression, purpose=None, patience=PATIENCE):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + patience
        while not (value := self.evaluate(expression)):
            if time.monotonic() > end:
                raise PageError(f"{purpose or expression}: not within {patience} seconds at '{self.evaluate('location.href')}'")
            time.sleep(0.05)
        return value

    def open(self, url):
        self.send("Page.navigate", url=url)
        same = f"location.href.split('#')[0] == {json.dumps(url)}"
        self.wait(f"document.readyState == 'complete' && {same}", f"'{url}' is loaded")

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def find(self, selector, purpose, patience=PATIENCE):
        """Waits until an element can be clicked, and returns its place."""
        return self.wait(f"({CLICKABLE})({json.dumps(selector.split(' >>> '))})", purpose, patience)

    def click(self, selector):
        """Clicks in the middle of an element as a mouse does, once it stands still and nothing hides it.

        In a selector, ' >>> ' leads into the document of a frame, or into a shadow root.
        """
        place = self.find(selector, f"'{selector}' can be clicked")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def type(self, text):
        """Types a text where the keyboard's focus is, key by key."""
        for letter in text:
            for kind in ("keyDown", "keyUp"):
                self.send("Input.dispatchKeyEvent", type=kind, key=letter, **({"text": letter} if kind == "keyDown" else {}))

    def press(self, key):
        codes = {"Enter": (13, "\r"), "Backspace": (8, "")}
        code, text = codes[key]
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def picture(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
