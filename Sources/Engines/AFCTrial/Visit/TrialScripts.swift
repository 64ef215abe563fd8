internal import AFCText

/// The scripts with which a trial looks at pages.
///
/// They read, except those that make something visible.
enum TrialScripts {
    /// The most characters of a page's text.
    static let textLimit = 200_000
    /// The most links of a page.
    static let linkLimit = 1000

    /// Returns what is visible on the page.
    static let look = """
        (() => {
            const parts = [], links = new Map(), seen = {pictures: 0, count: 0, length: 0};
            const hidden = /^(?:SCRIPT|STYLE|NOSCRIPT|TEMPLATE|HEAD|TITLE|OPTION)$/i;
            const pictures = /^(?:IMG|SVG|CANVAS|VIDEO|AUDIO|OBJECT|EMBED|INPUT|BUTTON|TEXTAREA|SELECT|METER|PROGRESS)$/i;
            const walk = (node, depth) => {
                if (++seen.count > 200000 || depth > 400 || seen.length > \(textLimit)) return;
                if (node.nodeType == Node.TEXT_NODE) {
                    const text = node.data.trim();
                    if (text) { parts.push(text); seen.length += text.length + 1; }
                    return;
                }
                if (node.nodeType == Node.ELEMENT_NODE) {
                    if (hidden.test(node.tagName)) return;
                    if (node.checkVisibility && !node.checkVisibility({visibilityProperty: true})
                        && getComputedStyle(node).display != 'contents') {
                        // What is in something invisible may be visible, unless it takes no part in the layout.
                        if (getComputedStyle(node).visibility != 'hidden') return;
                        for (const child of node.children) walk(child, depth + 1);
                        return;
                    }
                    const place = node.getBoundingClientRect();
                    if (pictures.test(node.tagName) && place.width > 1 && place.height > 1) seen.pictures++;
                    else if (seen.pictures == 0 && place.width > 1 && place.height > 1
                        && getComputedStyle(node).backgroundImage.startsWith('url')) seen.pictures++;
                    const link = node.href?.baseVal ?? node.href;
                    if (/^(?:A|AREA)$/i.test(node.tagName) && typeof link == 'string' && link.length <= 8192
                        && /^https?:/i.test(link)) {
                        const page = link.split('#')[0], count = links.get(page);
                        if (count || links.size < \(linkLimit)) links.set(page, (count ?? 0) + 1);
                    }
                    if (/^I?FRAME$/i.test(node.tagName)) {
                        try { walk(node.contentDocument.documentElement, depth + 1); } catch {
                            if (place.width > 1 && place.height > 1) seen.pictures++;
                        }
                        return;
                    }
                    if (node.tagName == 'SLOT' && node.assignedNodes().length) {
                        for (const child of node.assignedNodes()) walk(child, depth + 1);
                        return;
                    }
                }
                for (const child of (node.shadowRoot ?? node).childNodes) walk(child, depth + 1);
            };
            if (document.documentElement) walk(document.documentElement, 0);
            const sheets = [...document.querySelectorAll('link[rel~=stylesheet i][href]')].slice(0, 1000);
            // Nobody can read one that failed, or one of another origin.
            const foreign = [];
            const applies = link => {
                try { return link.sheet?.cssRules.length > 0; } catch { foreign.push(link.href); return false; }
            };
            return {url: location.href, title: document.title.slice(0, 300), text: parts.join(' ').slice(0, \(textLimit)),
                pictures: seen.pictures, named: sheets.filter(link => !link.disabled).length,
                applied: sheets.filter(applies).length + [...document.querySelectorAll('style')].length
                    + document.adoptedStyleSheets.length, links: [...links.keys()], counts: [...links.values()], foreign,
                isStrict: document.compatMode == 'CSS1Compat'};
        })()
        """

    private static let elements = """
        const elements = function* (root, selector, depth) {
            for (const element of root.querySelectorAll(selector)) yield element;
            if (depth > 8) return;
            for (const element of root.querySelectorAll('*')) {
                if (element.shadowRoot) yield* elements(element.shadowRoot, selector, depth + 1);
            }
        };
        const place = async element => {
            element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
            await new Promise(done => setTimeout(done, 50));
            const box = [...element.getClientRects()].find(box => box.width > 1 && box.height > 1);
            if (!box) return null;
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            let hit = document.elementFromPoint(x, y);
            while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) != hit) {
                hit = hit.shadowRoot.elementFromPoint(x, y);
            }
            return hit && (element.contains(hit) || hit.contains(element)) ? [x, y] : null;
        };
        const isVisible = element => element.checkVisibility?.({visibilityProperty: true}) ?? true;
        """

    /// Returns the place of a link in the window, ready to be clicked; 'clicked' if nobody can click it with a mouse, so
    /// that a script did; nil if there is no such link.
    static func link(to url: String) -> String {
        """
        (async () => {
            \(elements)
            const wanted = \(JSONValue.string(url).serialized);
            let found = null;
            for (const element of elements(document, 'a[href], area[href]', 0)) {
                if (element.href.split?.('#')[0] != wanted) continue;
                found ??= element;
                if (!isVisible(element)) continue;
                element.removeAttribute('target');
                const at = await place(element);
                if (at) return at;
            }
            if (!found) return null;
            found.removeAttribute('target');
            found.click();
            return 'clicked';
        })()
        """
    }

    /// Returns the place of a search field in the window; nil if none is visible.
    static let field = """
        (async () => {
            \(elements)
            const fields = 'input[type=search], input[role=searchbox], input[role=combobox], [role=search] input,'
                + ' input[name=q], input[id*=search i], input[class*=search i], input[placeholder*=search i]';
            for (const field of elements(document, fields, 0)) {
                if (/^(?:hidden|checkbox|radio|submit|button|image|reset)$/.test(field.type) || field.disabled) continue;
                if (!isVisible(field)) continue;
                const at = await place(field);
                if (at) { field.focus(); return at; }
            }
            return null;
        })()
        """

    /// Returns the place of what shows the search field; nil if there is nothing like it.
    static let opener = """
        (async () => {
            \(elements)
            let tried = 0;
            for (const element of elements(document, 'button, [role=button], summary, label, a[href^="#"], a:not([href])', 0)) {
                const names = ['aria-label', 'title', 'class', 'id', 'for', 'data-target', 'data-bs-target'];
                const words = names.map(name => element.getAttribute(name) ?? '').join(' ') + ' '
                    + element.textContent.slice(0, 60);
                if (!/search/i.test(words) || !isVisible(element) || element.type == 'submit') continue;
                if (++tried > 5) break;
                const at = await place(element);
                if (at) return at;
            }
            return null;
        })()
        """

    /// Returns true if the focus is in a field for text.
    static let hasFocus = """
        (() => {
            let active = document.activeElement;
            while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
            return !!active && (/^(?:INPUT|TEXTAREA)$/.test(active.tagName) || active.isContentEditable);
        })()
        """
}
