internal import AFCText
internal import Crypto

/// The script that the server gives pages: it leads what their scripts do to the names of origins;
/// docs/reference/rewriting.md.
///
/// It has no list of packaged origins, which would tell each page what else is here. It computes the names, as
/// ``OriginName`` does, and asks the server where a reader goes (``LeavingPage``).
enum PageScript {
    /// The beginning of its path, below the host of each page.
    static let folder = "/.afcache/"
    /// The path to which a reader goes in place of another origin; the URL is the query.
    static let leavingPath = folder + "to"
    /// The path to which browsers send what the fence stopped.
    static let reportPath = folder + "stopped"

    /// The digest of the script, as in a policy.
    static let digest = sourceDigest(of: Array(text.utf8))
    /// The script's path, which changes with the script.
    static let path =
        folder + "page-" + Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(8)) + ".js"

    /// Returns the digest of an inline script, as in a policy (Content Security Policy §2.3.1).
    static func sourceDigest(of text: [UInt8]) -> String {
        "sha256-" + Base64.encode(Array(SHA256.hash(data: text)))
    }

    /// Returns the element for a page.
    ///
    /// - Parameters:
    ///   - site: The origin of the one site at the page's address, beside which others are below
    ///     ``LinkForm/neighborFolder``; nil if each origin has its name.
    ///   - hasPorts: True if other ports of the page's host stand for other origins.
    /// - Returns: The element.
    static func element(site: String?, hasPorts: Bool = false) -> String {
        let site = site.map { " data-site=\"\(Markup.escaped($0))\"" } ?? ""
        let ports = hasPorts ? " data-ports" : ""
        return "<script src=\"\(path)\" integrity=\"\(digest)\"\(site)\(ports)></script>"
    }

    static let text = #"""
        (() => {
            "use strict";
            const me = document.currentScript, {site, ports} = me.dataset, dot = location.host.indexOf(".");
            me.remove();
            const base = location.host.slice(dot), own = location.host.slice(0, dot), here = location.origin;
            const scheme = site ? site.split("/")[0] : /---\d+$/.test(own) ? "http:" : "https:";
            // The name of an origin below the server's name; nothing if only the server can tell it.
            const name = url => {
                const host = url.hostname;
                if (!/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(host) || /\.\.|-\.|\.-/.test(host)) return;
                let label = host.replace(/[.-]/g, part => part == "." ? "-" : "--");
                if (label.startsWith("xn--")) label = "i---" + label;
                label += url.protocol == "http:" ? "---" + (url.port || 80) : url.port ? "---s" + url.port : "";
                if (label.length < 64) return label;
            };
            // The URL that an absolute address means, unless it is one on this server.
            const meant = value => {
                if (typeof value != "string" && !(value instanceof URL)) return;
                const text = String(value).trim();
                if (!/^(https?:)?[\\/]{2}/i.test(text)) return;
                try {
                    const url = new URL(/^[\\/]/.test(text) ? scheme + text : text), host = "." + url.host;
                    const isHere = ports == null ? !site && host.endsWith(base) : url.hostname == location.hostname && url.origin != site;
                    if (url.host != location.host && !isHere) return url;
                } catch {
                    // The browser says what is wrong with the address.
                }
            };
            const rest = url => url.pathname + url.search + url.hash;
            const isOwn = url => site ? url.origin == site : name(url) == own;
            const leaving = url => here + "/.afcache/to?" + encodeURIComponent(url.href);
            // What is requested in place of an address.
            const asked = value => {
                const url = meant(value);
                if (!url) return value;
                if (isOwn(url)) return here + rest(url);
                if (ports != null) return value;
                const label = name(url);
                if (!label) return leaving(url);
                return (site ? here + "/.afcache/at/" + label : location.protocol + "//" + label + base) + rest(url);
            };
            // Where a reader goes in place of an address.
            const led = value => {
                const url = meant(value);
                return url ? isOwn(url) ? here + rest(url) : leaving(url) : value;
            };
            // An address that a page may read again, or show.
            const kept = value => {
                const url = meant(value);
                return url && isOwn(url) ? here + rest(url) : value;
            };
            const list = value => typeof value != "string" ? value
                : value.replace(/(^|,)(\s*)((?:https?:)?\/\/[^\s,]+)/gi, (_, comma, space, url) => comma + space + asked(url));
            const wrap = (object, key, index, change = asked) => {
                const old = object?.[key];
                if (typeof old != "function") return;
                const changed = values => values.map((value, place) => place == index ? change(value) : value);
                object[key] = new Proxy(old, {
                    apply: (target, self, values) => Reflect.apply(target, self, changed(values)),
                    construct: (target, values, made) => Reflect.construct(target, changed(values), made),
                });
            };
            for (const key of ["fetch", "Request", "Worker", "SharedWorker", "EventSource", "Audio"]) wrap(window, key, 0);
            wrap(XMLHttpRequest.prototype, "open", 1);
            wrap(Navigator.prototype, "sendBeacon", 0);
            wrap(History.prototype, "pushState", 2, kept);
            wrap(History.prototype, "replaceState", 2, kept);
            wrap(window, "open", 0, led);
            const changes = {
                HTMLImageElement: {src: asked, srcset: list}, HTMLScriptElement: {src: asked}, HTMLIFrameElement: {src: asked},
                HTMLFrameElement: {src: asked}, HTMLMediaElement: {src: asked}, HTMLVideoElement: {poster: asked},
                HTMLSourceElement: {src: asked, srcset: list}, HTMLTrackElement: {src: asked}, HTMLEmbedElement: {src: asked},
                HTMLInputElement: {src: asked, formAction: kept}, HTMLObjectElement: {data: asked},
                HTMLLinkElement: {href: asked, imageSrcset: list}, HTMLAnchorElement: {href: kept}, HTMLAreaElement: {href: kept},
                HTMLFormElement: {action: kept}, HTMLButtonElement: {formAction: kept},
            };
            for (const type in changes) {
                for (const key in changes[type]) {
                    const prototype = window[type]?.prototype, old = prototype && Object.getOwnPropertyDescriptor(prototype, key);
                    if (!old?.set) continue;
                    const change = changes[type][key];
                    Object.defineProperty(prototype, key, {...old, set(value) { old.set.call(this, change(value)); }});
                }
            }
            const setAttribute = Element.prototype.setAttribute;
            Element.prototype.setAttribute = new Proxy(setAttribute, {
                apply(target, element, [key, value, ...others]) {
                    const attribute = {srcset: "srcset", imagesrcset: "imageSrcset", formaction: "formAction"}[String(key).toLowerCase()]
                        ?? String(key).toLowerCase();
                    if (typeof value == "string" && value.includes("//")) {
                        for (const type in changes) {
                            const change = Object.hasOwn(changes[type], attribute) && changes[type][attribute];
                            if (change && window[type] && element instanceof window[type]) value = change(value);
                        }
                    }
                    return Reflect.apply(target, element, [key, value, ...others]);
                },
            });
            // What scripts insert as markup.
            const mend = element => {
                for (const type in changes) {
                    if (!window[type] || !(element instanceof window[type])) continue;
                    for (const key in changes[type]) {
                        const old = element.getAttribute?.(key), changed = old && changes[type][key](old);
                        if (old && changed != old) setAttribute.call(element, key, changed);
                    }
                }
            };
            addEventListener("DOMContentLoaded", () => new MutationObserver(records => {
                for (const record of records) {
                    for (const node of record.addedNodes) {
                        if (node.nodeType != 1) continue;
                        mend(node);
                        for (const element of node.querySelectorAll("[src],[srcset],[href],[poster],[data],[action]")) mend(element);
                    }
                }
            }).observe(document, {childList: true, subtree: true}));
            // Where a reader goes.
            const go = (url, replaces) => replaces ? location.replace(url) : location.assign(url);
            window.navigation?.addEventListener?.("navigate", event => {
                const url = event.destination.url, target = led(url);
                if (!event.cancelable || event.destination.sameDocument || event.formData || event.downloadRequest != null) return;
                if (target == url || event.navigationType == "traverse" || event.navigationType == "reload") return;
                event.preventDefault();
                go(target, event.navigationType == "replace");
            });
            // A link may open another window, whose navigation isn't this page's.
            const follow = event => {
                const link = event.composedPath().find(element => element.localName == "a" || element.localName == "area");
                const href = !event.defaultPrevented && link?.getAttribute?.("href");
                if (!href) return;
                const target = link.hasAttribute("download") ? asked(href) : led(href);
                if (target == href) return;
                setAttribute.call(link, "href", target);
                setTimeout(() => setAttribute.call(link, "href", href));
            };
            for (const kind of ["click", "auxclick"]) addEventListener(kind, follow);
            addEventListener("submit", event => {
                const form = event.target, submitter = event.submitter;
                const holder = submitter?.hasAttribute("formaction") ? submitter : form;
                const key = holder == form ? "action" : "formaction", action = holder.getAttribute(key), url = meant(action);
                if (event.defaultPrevented || !url) return;
                const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method") ?? "get";
                if (isOwn(url) || method.toLowerCase() != "get") {
                    setAttribute.call(holder, key, asked(action));
                } else {
                    event.preventDefault();
                    url.search = new URLSearchParams([...new FormData(form, submitter)].filter(([, value]) => typeof value == "string"));
                    go(leaving(url));
                }
            });
        })();

        """#
}
