"""Firefox without a window, controlled by WebDriver BiDi, with the same steps as scripts/chromium.py."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import time

import websockets.sync.client

from page import PATIENCE, Page, PageError

# Firefox asks nobody for updates, experiments or the state of the network.
SETTINGS = {
    "network.proxy.type": 0, "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "app.normandy.enabled": False,
    "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False, "browser.search.update": False,
    "services.settings.server": "data:,", "media.gmp-manager.url": "data:,", "intl.accept_languages": "en-US",
}
# Each name leads to this machine.
HERE = {"network.dns.forceResolve": "127.0.0.1"}


class Firefox:
    """Firefox for as long as the block lasts. It keeps its profile in the given folder, which is new.

    Each name leads to this machine, unless it `resolves` names by the machine's name server.
    """

    def __init__(self, profile, resolves=False):
        profile = pathlib.Path(profile)
        profile.mkdir(parents=True)
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in {**SETTINGS, **({} if resolves else HERE)}.items()))
        self.number, self.tabs, self.log = 0, {}, profile / "output"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                ["firefox-esr", "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, "HOME": str(profile)},
            )
        end = time.monotonic() + PATIENCE
        while not (found := re.search(r"WebDriver BiDi listening on (ws://\S+)", self.log.read_text(errors="replace"))):
            if time.monotonic() > end or self.process.poll() is not None:
                self.process.kill()
                raise PageError(f"firefox doesn't start: {self.log.read_text(errors='replace')[-500:]}")
            time.sleep(0.1)
        self.socket = websockets.sync.client.connect(f"{found[1]}/session", max_size=1 << 26, proxy=None)
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["network.beforeRequestSent", "network.fetchError", "log.entryAdded"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(PageError):
            self.send("browser.close")
        self.socket.close()
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def send(self, method, **parameters):
        """Sends a command, and waits for its answer."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            try:
                answer = json.loads(self.socket.recv(timeout=PATIENCE * 2))
            except (TimeoutError, websockets.exceptions.ConnectionClosed) as error:
                raise PageError(f"firefox ended, or hangs in {method}") from error
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise PageError(f"{method}: {answer['message']}")
                return answer["result"]
            if answer.get("type") == "event":
                values = answer["params"]
                tab = self.tabs.get(values.get("context") or values.get("source", {}).get("context"))
                for known in [tab] if tab else self.tabs.values():
                    known.report(answer["method"], values)

    @contextlib.contextmanager
    def tab(self, proxy=None):
        """A tab with cookies and storage of its own, for as long as the block lasts. All its requests go to the proxy, if there is one."""
        if proxy:
            raise PageError("this Firefox takes no proxy for a single tab")
        user = self.send("browser.createUserContext")["userContext"]
        context = self.send("browsingContext.create", type="tab", userContext=user)["context"]
        try:
            tab = self.tabs[context] = FirefoxTab(self, context)
            tab.resize(1280, 900)
            yield tab
        finally:
            del self.tabs[context]
            self.send("browser.removeUserContext", userContext=user)


class FirefoxTab(Page):
    """A tab, what its pages requested, and the problems that they reported."""

    def __init__(self, browser, context):
        super().__init__()
        self.browser, self.context = browser, context

    def report(self, method, values):
        if method == "network.beforeRequestSent":
            self.requested.append(values["request"]["url"])
        elif method == "network.fetchError":
            self.withdraw(values["request"]["url"], values["errorText"])
        elif values["level"] == "error":
            self.problems.append(values["text"] or "an error without words")

    def withdraw(self, url, reason):
        """Forgets a request that a policy of the page kept from being sent."""
        if "CSP" in reason or "CONTENT_BLOCKED" in reason:
            with contextlib.suppress(ValueError):
                self.requested.remove(url)

    def evaluate(self, expression):
        try:
            answer = self.browser.send(
                "script.evaluate", expression=f"JSON.stringify({expression})", target={"context": self.context}, awaitPromise=True,
            )
        except PageError:
            return None
        text = answer.get("result", {}).get("value")
        return json.loads(text) if isinstance(text, str) else None

    def navigate(self, url):
        self.browser.send("browsingContext.navigate", context=self.context, url=url, wait="none")

    def resize(self, width, height):
        self.browser.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def act(self, kind, actions, **source):
        self.browser.send("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, **source, "actions": actions}])

    def press_mouse(self, x, y):
        self.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}, *({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))])

    def press_key(self, key):
        # The private characters of WebDriver's keys.
        self.type([{"Enter": "\uE006", "Backspace": "\uE003"}.get(key, key)])

    def type(self, text):
        # It loses keys that follow each other at once.
        pause = {"type": "pause", "duration": 30}
        self.act("key", [action for key in text for action in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}, pause)])

    def screenshot(self):
        return self.browser.send("browsingContext.captureScreenshot", context=self.context)["data"]

    def frame(self):
        """The page in a frame of the tab."""
        return FirefoxFrame(self)


class FirefoxFrame(FirefoxTab):
    """The page in a tab's newest frame, or in the tab while there is none."""

    def __init__(self, tab):
        Page.__init__(self)
        self.browser, self.tab = tab.browser, tab

    @property
    def context(self):
        frames = self.browser.send("browsingContext.getTree", root=self.tab.context)["contexts"][0]["children"]
        return frames[-1]["context"] if frames else self.tab.context
