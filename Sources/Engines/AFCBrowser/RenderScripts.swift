/// The scripts that run in pages.
enum RenderScripts {
    /// Runs before a page's own scripts: random numbers have a seed, and neither windows nor service workers start.
    static let seeded = """
        (() => {
            let state = 20231114;
            const next = () => {
                state = state + 0x6D2B79F5 | 0;
                let value = Math.imul(state ^ state >>> 15, 1 | state);
                value = value + Math.imul(value ^ value >>> 7, 61 | value) ^ value;
                return ((value ^ value >>> 14) >>> 0) / 4294967296;
            };
            Math.random = next;
            if (window.Crypto) {
                Crypto.prototype.getRandomValues = array => {
                    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
                    for (let index = 0; index < bytes.length; index++) bytes[index] = next() * 256;
                    return array;
                };
                Crypto.prototype.randomUUID = () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'
                    .replace(/x/g, () => (next() * 16 | 0).toString(16));
            }
            const workers = navigator.serviceWorker;
            if (workers) workers.register = () => Promise.reject(new DOMException('\(noWorkers)', 'SecurityError'));
            window.open = () => null;
        })();
        """

    /// The text of the exception that a page gets when it registers a service worker.
    static let noWorkers = "service workers are not started here"

    /// Runs before the scripts of a page that is rendered: ``seeded``, and what waits until it is visible needn't wait,
    /// since nothing is drawn.
    static let beginning =
        seeded + """
            (() => {
                window.requestAnimationFrame = run => setTimeout(() => run(performance.now()), 16);
                window.cancelAnimationFrame = clearTimeout;
                window.requestIdleCallback = run => setTimeout(() => run({didTimeout: false, timeRemaining: () => 50}), 1);
                window.cancelIdleCallback = clearTimeout;
                window.IntersectionObserver = class {
                    constructor(run, options) {
                        [this.run, this.root, this.waiting] = [run, options?.root ?? null, []];
                        [this.rootMargin, this.thresholds] = ['0px', [0]];
                    }
                    observe(target) {
                        if (!this.waiting.length) setTimeout(() => this.report(), 16);
                        this.waiting.push(target);
                    }
                    report() {
                        const entries = this.waiting.map(target => {
                            const place = target.getBoundingClientRect();
                            return {target, isIntersecting: true, intersectionRatio: 1, boundingClientRect: place,
                                intersectionRect: place, rootBounds: null, time: performance.now()};
                        });
                        this.waiting = [];
                        if (entries.length) this.run(entries, this);
                    }
                    unobserve(target) { this.waiting = this.waiting.filter(other => other != target); }
                    disconnect() { this.waiting = []; }
                    takeRecords() { return []; }
                };
            })();
            """

    /// Does what a reader could do: opens what is closed, and scrolls to the end.
    static let behavior = """
        (() => {
            for (const element of document.querySelectorAll('details')) element.open = true;
            for (const element of document.querySelectorAll('[loading=lazy]')) element.loading = 'eager';
            let place = 0, steps = 0;
            const scroll = setInterval(() => {
                window.scrollTo(0, place += innerHeight);
                window.dispatchEvent(new Event('scroll'));
                const end = Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0);
                if (place > end || ++steps > 50) clearInterval(scroll);
            }, 20);
        })();
        """

    /// Types a letter into each search field, which makes many searches load their index.
    static let typing = """
        (() => {
            const fields = 'input[type=search], input[role=searchbox], input[role=combobox], [role=search] input,'
                + ' input[name=q], input[id*=search i]';
            for (const field of [...document.querySelectorAll(fields)].slice(0, 5)) {
                if (field.type == 'hidden' || field.disabled) continue;
                field.focus();
                const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
                field.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}));
                set.call(field, 'a');
                field.dispatchEvent(new InputEvent('input', {data: 'a', inputType: 'insertText', bubbles: true}));
                field.dispatchEvent(new KeyboardEvent('keyup', {key: 'a', bubbles: true}));
            }
        })();
        """

    /// The most links of a page.
    static let linkLimit = 10_000

    /// Returns a script whose value is the list of a page's links.
    ///
    /// - Parameter skipsNofollow: True to leave out links that the page marks as nofollow.
    /// - Returns: The script.
    static func links(skipsNofollow: Bool) -> String { links.replacing("SKIPS", with: "\(skipsNofollow)") }

    private static let links = """
        (() => {
            const links = new Set();
            if (SKIPS && document.querySelector('meta[name=robots i][content*=nofollow i]')) return [];
            const search = (root, depth) => {
                for (const element of root.querySelectorAll('a[href], area[href]')) {
                    if (SKIPS && /\\bnofollow\\b/i.test(element.rel)) continue;
                    if (links.size >= \(linkLimit)) return;
                    const link = element.href?.baseVal ?? element.href;
                    if (typeof link == 'string' && link.length <= 8192 && /^https?:/i.test(link)) links.add(link);
                }
                if (depth < 8) for (const element of root.querySelectorAll('*')) {
                    if (element.shadowRoot) search(element.shadowRoot, depth + 1);
                }
            };
            search(document, 0);
            return [...links];
        })()
        """
}
