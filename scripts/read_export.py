"""Reads an exported site as its reader does, in any browser and in any form of an export (scripts/exported_form.py)."""

import json
import time
import urllib.parse

from page import PageError

# Until when something has to happen, in seconds, and how long a link is looked for that a menu may hide.
PATIENCE, SHORT = 20, 2
PICKED = "[data-picked]"
# Marks a link, so that a selector finds it; it opens in the same tab.
PICK = """(href => {
    document.querySelectorAll('[data-picked]').forEach(element => element.removeAttribute('data-picked'));
    const link = [...document.querySelectorAll('a[href]')].find(a => a.href == href && a.getClientRects().length && !a.closest('[aria-hidden=true]'));
    link?.setAttribute('data-picked', '');
    link?.removeAttribute('target');
    return !!link;
})"""
# The links that a reader sees.
LINKS = """[...document.querySelectorAll('a[href]')].filter(a => a.getClientRects().length && !a.hasAttribute('download')).map(a => a.href)"""
TEXT = "document.readyState == 'complete' && document.body && document.body.innerText.trim().replace(/\\s+/g, ' ')"
NO_SCRIPTS = "[...document.querySelectorAll('meta[http-equiv]')].some(policy => policy.content.includes(\"script-src 'none'\"))"
IMAGES = "[...document.images].filter(image => image.loading != 'lazy').map(image => [image.currentSrc || image.src, image.complete && image.naturalWidth > 0])"
# The images of styles, of elements and of what styles put before and after them.
STYLES = """[...new Set([...document.querySelectorAll('*')].flatMap(element => [null, '::before', '::after'].flatMap(part => {
    const style = getComputedStyle(element, part);
    return [style.backgroundImage, style.listStyleImage, style.borderImageSource, style.maskImage].flatMap(
        value => [...(value || '').matchAll(/url\\("(.*?)"\\)/g)].map(found => found[1]));
})))].filter(url => !url.startsWith('data:'))"""


def facts(page):
    """What a page shows, to compare an export with the site."""
    return {"out": page.evaluate(LINKS) or [], "images": page.evaluate(IMAGES) or [], "styles": page.evaluate(STYLES) or []}


def is_out(url):
    return url.startswith(("http:", "https:", "ws:", "wss:", "ftp:"))


def bare(url):
    return url.partition("#")[0]


class Reader:
    """A reader of an export in a tab, and what doesn't work for them, by the step."""

    def __init__(self, tab, form, online, word):
        self.tab, self.form, self.online, self.word = tab, form, online, word
        self.failed, self.done, self.visited = {}, {}, []
        # The one address to which a link leads out.
        self.out = None

    @property
    def page(self):
        return self.form.inside(self.tab)

    def read(self):
        """Does all steps; returns the failures, and how many things each step has looked at."""
        for step in (self.start, self.links, self.history, self.reload, self.fragment, self.images, self.styles, self.search, self.link_out):
            if step in (self.history, self.reload) and "links" in self.failed:
                continue
            try:
                self.done[step.__name__] = step()
            except PageError as error:
                self.failed[step.__name__.replace("_", " ")] = [str(error)]
        requests = [url for url in self.tab.requested if is_out(url) and bare(url) != self.out]
        if requests:
            self.failed["requests"] = [f"'{url}' was requested" for url in dict.fromkeys(requests)]
        return self.failed, self.done

    def text(self, purpose):
        """The text that the page shows once its scripts change it no more."""
        text = self.page.wait(TEXT, f"{purpose}: it shows a text", PATIENCE)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            time.sleep(0.5)
            last, text = text, self.page.evaluate(TEXT)
            if text and text == last:
                return text
        raise PageError(f"{purpose}: its text changes again and again")

    def wait_for(self, place, purpose, text=None):
        """Waits until a page is shown, with a text if one is given."""
        # A router's address of a page that was left may lack the slash that the page's own has.
        places = [place, f"{place}/"] if text else [place]
        self.tab.wait(f"{json.dumps(places)}.includes({self.form.place})", purpose, PATIENCE)
        if text:
            self.page.wait(f"({TEXT}) == {json.dumps(text)}", f"{purpose} with the same text", PATIENCE)
        return text or self.text(purpose)

    def click(self, href):
        """Clicks on a link; returns false if a reader can't see it."""
        if not self.page.evaluate(f"{PICK}({json.dumps(href)})"):
            return False
        try:
            self.page.find(PICKED, "the link", SHORT)
        except PageError:
            return False
        self.form.follow(self.tab, PICKED)
        return True

    def followed(self, href):
        """Follows a link, and returns where it leads; none if a reader can't click on it, or a script opens a menu instead."""
        if not self.click(href):
            return None
        try:
            return self.tab.wait(f"({self.form.place}) != {json.dumps(self.visited[-1])} && ({self.form.place})", patience=SHORT * 2)
        except PageError:
            return None

    def start(self):
        self.form.open_start(self.tab)
        self.texts = [self.text("the start page")]
        self.visited = [self.tab.evaluate(self.form.place)]
        return 1

    def links(self):
        """Follows a link of each page, three times, to pages that weren't seen."""
        for _ in range(3):
            hrefs = list(dict.fromkeys(bare(href) for href in self.page.evaluate(LINKS) or [] if self.form.is_page(href)))
            unseen = [href for href in hrefs if self.form.place_of(href) not in self.visited]
            # A small site may have no further page.
            others = [href for href in hrefs if self.form.place_of(href) != self.visited[-1]]
            place = next((place for href in [*unseen, *others] if (place := self.followed(href))), None)
            if not place and not others and len(self.visited) > 1:
                # A page without links: the reader opens the first one again.
                self.form.open_place(self.tab, self.visited[0])
                place = self.visited[0]
            if not place:
                raise PageError(f"'{self.visited[-1]}' has no link that leads to another page")
            text = self.text(f"the page '{place}' of a link")
            # A redirect may follow, and a menu that moves may bring another link below the mouse.
            place = self.tab.wait(self.form.place)
            if not self.form.is_page(place):
                raise PageError(f"a link of '{self.visited[-1]}' leads to '{place}'")
            self.visited.append(place)
            self.texts.append(text)
        return 3

    def history(self):
        """Goes back twice, and forward."""
        for move, index in (("back", -2), ("back", -3), ("forward", -2)):
            self.tab.evaluate(f"setTimeout(() => history.{move}())")
            self.wait_for(self.visited[index], f"'{move}' shows '{self.visited[index]}'", self.texts[index])
        return 3

    def reload(self):
        self.tab.evaluate("window.__loaded = true")
        self.tab.evaluate("setTimeout(() => location.reload())")
        self.tab.wait("!window.__loaded", "the page is loaded again", PATIENCE)
        self.wait_for(self.visited[-2], "a reload shows the same page", self.texts[-2])
        return 1

    def fragment(self):
        """Clicks on a link to a part of the same page, on the first page that has one."""
        for place in dict.fromkeys(self.visited):
            self.form.open_place(self.tab, place)
            self.page.wait(TEXT, "the page shows a text", PATIENCE)
            has_target = "document.getElementById(decodeURIComponent(new URL(a.href).hash.slice(1)))?.getClientRects().length"
            links = f"[...document.querySelectorAll('a[href*=\"#\"]')].filter(a => a.href.split('#')[0] == document.URL.split('#')[0] && {has_target}).map(a => a.href)"
            for href in self.page.evaluate(links) or []:
                if not self.click(href):
                    continue
                target = json.dumps(urllib.parse.unquote(href.partition("#")[2]))
                self.page.wait(f"location.hash == {json.dumps('#' + href.partition('#')[2])} || document.querySelector(':target')", f"the link to '{href}' leads there", PATIENCE)
                shown = f"(box => box.top < innerHeight + 1 && box.bottom > -1)(document.getElementById({target}).getBoundingClientRect())"
                self.page.wait(shown, f"the part '{href}' is shown", PATIENCE)
                return 1
        return 0

    def images(self):
        """Looks at the images of all pages that were visited; each must be there."""
        count = 0
        for place in dict.fromkeys(self.visited):
            self.form.open_place(self.tab, place)
            self.page.wait(TEXT, "the page shows a text", PATIENCE)
            end = time.monotonic() + PATIENCE
            while True:
                # Scripts may add images once the text is shown.
                found = [image for image in self.page.evaluate(IMAGES) or [] if image[0] and not is_out(image[0])]
                missing = [url for url, is_shown in found if not is_shown]
                if not missing or time.monotonic() > end:
                    break
                time.sleep(0.1)
            if missing:
                raise PageError(f"the image '{missing[0]}' isn't shown")
            count += len(found)
        shown = sum(is_shown for url, is_shown in self.online["images"])
        # Without its scripts, a page shows what its HTML has.
        if shown and not count and not self.page.evaluate(NO_SCRIPTS):
            raise PageError(f"the site shows {shown} images, the export none")
        return count

    def styles(self):
        """Loads what the start page's styles refer to."""
        self.form.open_start(self.tab)
        self.page.wait(TEXT, "the start page shows a text", PATIENCE)
        urls = [url for url in self.page.evaluate(STYLES) or [] if not is_out(url)]
        self.page.evaluate(f"void (window.__images = {json.dumps(urls)}.map(url => {{ const image = new Image; image.src = url; return image }}))")
        self.page.wait("window.__images.every(image => image.complete)", "the images of styles are loaded", PATIENCE)
        for url, width in zip(urls, self.page.evaluate("window.__images.map(image => image.naturalWidth)")):
            if not width:
                raise PageError(f"'{url}', to which a style refers, isn't shown")
        if self.online["styles"] and not urls and not self.page.evaluate(NO_SCRIPTS):
            raise PageError(f"the site's styles show {len(self.online['styles'])} images, the export's none")
        return len(urls)

    def search(self):
        """Searches on the export's own page, and opens a result."""
        self.form.search(self.tab, self.word)
        address = self.tab.evaluate(f"document.querySelector({json.dumps(self.form.results)}).href")
        self.tab.click(self.form.results)
        text = self.wait_for(self.form.place_of(address), "the search's result is shown")
        title = self.page.evaluate("document.title") or ""
        if self.word.lower() not in f"{text} {title}".lower():
            raise PageError(f"the search's result '{address}' doesn't have '{self.word}'")
        return 1

    def link_out(self):
        """Follows a link out, which must lead to the live address; nothing else may request anything."""
        for place in dict.fromkeys(self.visited):
            self.form.open_place(self.tab, place)
            self.page.wait(TEXT, "the page shows a text", PATIENCE)
            for href in self.page.evaluate(LINKS) or []:
                if not self.form.is_out(href):
                    continue
                if place == self.visited[0] and self.online["out"] and href not in self.online["out"]:
                    raise PageError(f"'{href}' is no link of the site")
                if not self.click(href):
                    continue
                self.out = bare(href)
                self.form.leave(self.tab)
                end = time.monotonic() + PATIENCE
                while not any(bare(url) == self.out for url in self.tab.requested):
                    # An answer of the browser brings what it reports.
                    place = self.tab.evaluate("location.href")
                    if time.monotonic() > end:
                        raise PageError(f"the link to '{href}' doesn't lead there, but to '{place}'")
                    time.sleep(0.05)
                return 1
        return 0
