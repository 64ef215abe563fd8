"""The tests of scripts/record_app.py's application in Chromium, with Playwright: record_suite.py URL"""

import os
import sys

from playwright.sync_api import expect, sync_playwright

url = sys.argv[1]
arguments = os.environ["AFCACHE_CHROMIUM_OPTIONS"].split() + (["--no-sandbox"] if os.geteuid() == 0 else [])
# Nothing leaves this machine, not even what the browser requests by itself.
arguments += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(error))

    page.goto(url)
    expect(page).to_have_title("Library")
    expect(page.locator("h1")).to_have_css("color", "rgb(0, 100, 0)")
    assert page.evaluate("document.images[0].naturalWidth") == 40

    # GraphQL: one URL, two bodies.
    page.get_by_role("button", name="Titles").click()
    expect(page.locator("#result")).to_contain_text("The Sea")
    page.get_by_role("button", name="Pages").click()
    expect(page.locator("#result")).to_contain_text("436")

    # The video: its length, a place near the end, and a part of its bytes.
    page.wait_for_function("document.getElementById('video').readyState >= 1")
    length = page.evaluate("document.getElementById('video').duration")
    assert length > 20, length
    page.evaluate("""() => new Promise((done, fail) => {
        const video = document.getElementById('video');
        [video.onseeked, video.onerror] = [done, () => fail(video.error.message)];
        video.currentTime = video.duration - 2;
    })""")
    status, size = page.evaluate("""async () => {
        const answer = await fetch('/video.webm', {headers: {Range: 'bytes=1000-1999'}});
        return [answer.status, (await answer.arrayBuffer()).byteLength];
    }""")
    assert (status, size) == (206, 1000), (status, size)

    page.click("#moved")
    expect(page).to_have_title("New")
    assert page.url == url + "new", page.url
    page.goto(url)
    page.fill("input", "Ada")
    page.click("#send")
    expect(page).to_have_title("Hello, Ada")
    assert page.goto(url + "missing").status == 404
    expect(page).to_have_title("Nothing here")
    assert not errors, errors
    browser.close()
