"""What a reader does in a page, in whichever browser."""

import base64
import json
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


class Page:
    """A page in a tab, what it requested, and the problems that it and its workers reported: exceptions and errors.

    A browser adds `evaluate`, `navigate`, `press_mouse`, `press_key`, `resize` and `screenshot`.
    """

    def __init__(self):
        self.problems, self.requested = [], []

    def wait(self, expression, purpose=None, patience=PATIENCE):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + patience
        while not (value := self.evaluate(expression)):
            if time.monotonic() > end:
                raise PageError(f"{purpose or expression}: not within {patience} seconds at '{self.evaluate('location.href')}'")
            time.sleep(0.05)
        return value

    def open(self, url):
        self.navigate(url)
        same = f"location.href.split('#')[0] == {json.dumps(url)}"
        self.wait(f"document.readyState == 'complete' && {same}", f"'{url}' is loaded")

    def find(self, selector, purpose, patience=PATIENCE):
        """Waits until an element can be clicked, and returns its place."""
        return self.wait(f"({CLICKABLE})({json.dumps(selector.split(' >>> '))})", purpose, patience)

    def click(self, selector):
        """Clicks in the middle of an element as a mouse does, once it stands still and nothing hides it.

        In a selector, ' >>> ' leads into the document of a frame, or into a shadow root.
        """
        self.press_mouse(*self.find(selector, f"'{selector}' can be clicked"))

    def type(self, text):
        """Types a text where the keyboard's focus is, key by key."""
        for letter in text:
            self.press_key(letter)

    def picture(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.screenshot()))
