/// The script of a frame of an exported file, which shows one page.
enum FrameLoader {
    /// The script: it gets a page and what the page loads over a port, and makes up for what a frame without an origin lacks.
    static let script = #"""
        (() => {
          'use strict';
          const w = window, d = document, source = d.currentScript.textContent;
          const token = /http:\/\/(\d+)\.afcache\.invalid\//g;
          w.addEventListener('message', function first(event) {
            if (event.source !== w.parent || !event.ports[0]) return;
            w.removeEventListener('message', first);
            event.stopImmediatePropagation();
            const port = event.ports[0];
            start(event.data, port).catch(error => port.postMessage({failed: String(error)}));
          });

          const start = async (init, port) => {
            const waiting = new Map();
            let asked = 0;
            const ask = message => new Promise(done => { waiting.set(++asked, done); port.postMessage({...message, id: asked}); });
            port.onmessage = ({data, ports}) => {
              if ('jump' in data) return jump(data.jump);
              const done = waiting.get(data.id);
              waiting.delete(data.id);
              if (done) done(ports[0] ? {init: data.answer, port: ports[0]} : data.answer);
            };
            const send = message => port.postMessage(message);
            let page = init.address, base = page.replace(/#.*/, '');
            const resolve = (address, from = base) => { try { return new URL(address, from).href; } catch { return null; } };
            const decode = (bytes, encoding) => {
              try { return new TextDecoder(encoding || 'utf-8').decode(bytes); } catch { return new TextDecoder().decode(bytes); }
            };
            const go = (address, replaces) => {
              const url = resolve(address);
              if (url) send({go: url, replaces: !!replaces});
            };

            // Bodies, as blob: URLs of this frame.
            const real = new Map(), known = new Map(), imports = {}, pending = new Set();
            const make = (body, type, url) => {
              const address = URL.createObjectURL(new Blob([body], {type}));
              real.set(address, url);
              return address;
            };
            const isScript = type => /javascript|ecmascript/.test(type);
            // The address of media that only the outer page can play; an element with it reports an error.
            const besides = 'data:text/plain,beside#';
            const get = async key => {
              const found = await ask({get: key});
              return found && found.bytes ? found : null;
            };
            let isStarted = false;
            const load = (key, chain = []) => {
              if (chain.includes(key) || chain.length > 40) return typeof key === 'string' ? key : 'data:,';
              // A style sheet within others isn't shared, since two of them may import each other.
              const isShared = !chain.length || typeof key === 'string';
              if (isShared && known.has(key)) return known.get(key);
              const result = (async () => {
                const found = await ask({get: key});
                if (!found) return null;
                const {url, type, encoding} = found;
                // A module is one, whether a page or another module names it.
                if (isShared && url !== key) {
                  if (known.has(url)) return known.get(url);
                  known.set(url, result);
                }
                if (found.isBeside) return besides + encodeURIComponent(url).replace(/'/g, '%27');
                const outer = [...chain, key, url];
                if (isScript(type)) return make(await code(decode(found.bytes, encoding), url, outer), 'text/javascript;charset=utf-8', url);
                if (!found.isChanged) return make(found.bytes, encoding ? type + ';charset=' + encoding : type, url);
                return make(await fill(decode(found.bytes, encoding), outer), type + ';charset=utf-8', url);
              })();
              if (isShared) known.set(key, result);
              return result;
            };
            const fill = async (text, chain = []) => {
              const numbers = [...new Set([...text.matchAll(token)].map(found => found[1]))];
              const found = new Map(await Promise.all(numbers.map(async number => [number, await load(Number(number), chain)])));
              return text.replace(token, (all, number) => found.get(number) || 'data:,');
            };

            // Scripts get the page's real address instead of this frame's, and modules whole addresses, since a blob: URL is no base:
            // the import map has the bodies of those that the page begins with, and later ones are blob: URLs themselves. What is
            // written into a script has no quotes, since it may come to stand in a string.
            const specifier = /(\b(?:from|import)\s*)(["'])([^"'\n\\]+)\2/g, scriptURLs = [];
            let map = {};
            const prefixes = () => Object.entries(Object(map.imports)).filter(([name]) => name.endsWith('/'));
            const module = (name, from) => {
              if (/^\.{0,2}\/|^https?:/.test(name)) return resolve(name, from);
              const [prefix, address] = prefixes().filter(([prefix]) => name.startsWith(prefix)).sort((a, b) => b[0].length - a[0].length)[0] || [];
              return prefix === undefined ? null : resolve(name.slice(prefix.length), resolve(String(address)) || base);
            };
            const code = async (text, url, chain = []) => {
              if (/\b(import|from)\b/.test(text)) {
                const names = new Map();
                for (const [, , , path] of text.matchAll(specifier)) {
                  const target = names.has(path) ? null : module(path, url);
                  if (!target) continue;
                  if (!isStarted) want(target);
                  names.set(path, (target in imports ? target : await load(target, chain) || target).replace(/'/g, '%27'));
                }
                const number = scriptURLs.push(url) - 1;
                text = text.replace(specifier, (all, before, quote, path) => before + quote + (names.get(path) || path) + quote)
                  // But not a method of that name.
                  .replace(/(?<![.\w$'"`])import\s*\((?!\s*\)|[\w$\s,={}[\]]*\)\s*\{)/g, 'afcacheImport(' + number + ',')
                  .replace(/\bimport\.meta\.url\b/g, 'afcacheScript(' + number + ')');
              }
              if (!text.includes('location')) return text;
              text = text.replace(/(?<![.\w$])(?:window|document|self|globalThis)\.location(?![\w$])/g, 'afcacheLocation');
              const hasOwn = new RegExp('\\b(?:var|let|const|function|class)\\s+location(?![\\w$])|\\blocation\\s*=>|\\{\\s*location\\s*[,}=]'
                + '|,\\s*location\\s*\\}|[(,]\\s*location\\s*(?:=[^=]|,[^()]*\\)\\s*(?:=>|\\{)|\\)\\s*(?:=>|\\{))').test(text);
              return hasOwn ? text : text.replace(/(?<![.\w$"'`\/-])location(?=\s*(?:\.(?=[a-z])|\[))|(?<=[(=]|,\s?)location(?=\s*[);])/g, 'afcacheLocation');
            };
            w.afcacheScript = number => scriptURLs[number];
            w.afcacheImport = async (number, name) => {
              const text = String(name), url = module(text, scriptURLs[number]);
              if (!url || url in imports) return import(url || text);
              const address = await load(url);
              if (!address) throw new TypeError('Failed to fetch dynamically imported module: ' + url);
              return import(address);
            };
            const want = url => {
              if (url in imports) return;
              imports[url] = url;
              const loaded = Promise.resolve(load(url)).then(address => {
                if (address) imports[url] = address; else delete imports[url];
                pending.delete(loaded);
              });
              pending.add(loaded);
            };

            // What scripts load.
            const setters = new WeakMap();
            const own = /^(?:blob|data|about|javascript|mailto|tel):|^#|^\s*$/i;
            const substitute = (target, text, set) => {
              const url = own.test(text) ? null : resolve(text, d.baseURI);
              if (!url) return set(text);
              setters.set(target, url);
              Promise.resolve(load(url.replace(/#.*/, ''))).then(address => {
                if (setters.get(target) !== url) return;
                const hash = url.indexOf('#');
                // A missing one is refused by the policy, so that the element reports an error.
                set(address ? address + (hash < 0 ? '' : url.slice(hash)) : url);
              });
            };
            const realOf = (target, text) => real.get(text) || setters.get(target) || text;
            const hook = (type, name) => {
              const property = type && Object.getOwnPropertyDescriptor(type.prototype, name);
              if (!property || !property.set) return;
              Object.defineProperty(type.prototype, name, {
                ...property,
                get() { return realOf(this, property.get.call(this)); },
                set(value) {
                  if (this instanceof HTMLIFrameElement) nest(this, String(value));
                  else substitute(this, String(value), text => property.set.call(this, text));
                },
              });
            };
            const hooked = [[w.HTMLScriptElement, 'src'], [w.HTMLImageElement, 'src'], [w.HTMLLinkElement, 'href'],
              [w.HTMLMediaElement, 'src'], [w.HTMLSourceElement, 'src'], [w.HTMLIFrameElement, 'src'], [w.HTMLTrackElement, 'src'],
              [w.HTMLInputElement, 'src'], [w.HTMLVideoElement, 'poster']];
            const attributes = new Map();
            for (const [type, name] of hooked) {
              hook(type, name);
              attributes.set(name, [...attributes.get(name) || [], type]);
            }
            const {setAttribute, getAttribute} = Element.prototype;
            const isHooked = (target, name) => (attributes.get(name) || []).some(type => target instanceof type);
            Element.prototype.setAttribute = function (name, value) {
              const key = String(name).toLowerCase();
              if (!isHooked(this, key)) return setAttribute.call(this, name, value);
              if (this instanceof HTMLIFrameElement) return nest(this, String(value));
              substitute(this, String(value), text => setAttribute.call(this, name, text));
            };
            Element.prototype.getAttribute = function (name) {
              const value = getAttribute.call(this, name);
              return value && value.startsWith('blob:') ? real.get(value) || value : value;
            };
            w.Audio = function (address) {
              const audio = d.createElement('audio');
              if (address !== undefined) audio.src = address;
              return audio;
            };
            w.Audio.prototype = HTMLAudioElement.prototype;

            // A page within a page is a frame as this one is.
            const nest = async (frame, address) => {
              if (own.test(address)) return setAttribute.call(frame, 'src', address);
              const url = resolve(address, d.baseURI), found = url && await ask({frame: url});
              if (!found || !found.port) return setAttribute.call(frame, 'srcdoc', '<p>Not in this file</p>');
              frame.addEventListener('load', () => frame.contentWindow.postMessage(found.init, '*', [found.port]), {once: true});
              setAttribute.call(frame, 'srcdoc', '<!doctype html><meta charset=utf-8><meta http-equiv=x-dns-prefetch-control content=off><script>' + source + '<\/script>');
            };

            // Requests.
            const wanted = async (input, options) => {
              const method = (options && options.method || input && input.method || 'GET').toUpperCase();
              const url = resolve(typeof input === 'object' && input && 'url' in input ? input.url : String(input), d.baseURI);
              return url && (method === 'GET' || method === 'HEAD') ? get(url.replace(/#.*/, '')) : null;
            };
            const fetchOwn = w.fetch;
            w.fetch = async (input, options) => {
              if (/^(blob|data):/.test(typeof input === 'string' ? input : input && input.url || '')) return fetchOwn(input, options);
              const found = await wanted(input, options);
              if (!found) throw new TypeError('Failed to fetch');
              const type = found.encoding ? found.type + '; charset=' + found.encoding : found.type;
              const response = new Response(found.bytes, {headers: {'content-type': type, 'content-length': String(found.bytes.byteLength)}});
              Object.defineProperty(response, 'url', {value: found.url});
              return response;
            };
            const {open, send: sendOwn, abort} = XMLHttpRequest.prototype, requests = new WeakMap();
            XMLHttpRequest.prototype.open = function (method, address, isAsync = true) {
              requests.set(this, {method, address: String(address), isAsync});
              return open.call(this, 'GET', 'data:,', true);
            };
            XMLHttpRequest.prototype.abort = function () {
              requests.delete(this);
              return abort.call(this);
            };
            XMLHttpRequest.prototype.send = function (body) {
              const request = requests.get(this);
              if (!request || own.test(request.address)) {
                if (request) open.call(this, request.method, request.address, request.isAsync);
                return sendOwn.call(this, body);
              }
              if (!request.isAsync) throw new DOMException('A file can’t be loaded synchronously', 'NetworkError');
              wanted(request.address, {method: request.method}).then(found => {
                if (requests.get(this) !== request) return;
                const {responseType, timeout} = this;
                const type = found && (found.encoding ? found.type + ';charset=' + found.encoding : found.type);
                open.call(this, 'GET', found ? make(found.bytes, type, found.url) : 'data:', true);
                Object.assign(this, {responseType, timeout});
                sendOwn.call(this);
              });
            };
            if (w.Worker) {
              const WorkerOwn = w.Worker;
              w.Worker = function (address, options) {
                const url = resolve(String(address), d.baseURI);
                if (!url || /^(blob|data):/.test(url)) return new WorkerOwn(address, options);
                const first = 'onmessage=e=>{onmessage=null;const f=e.data.files,i=self.importScripts;self.importScripts=(...a)=>{'
                  + 'for(const u of a){const t=f[new URL(u,e.data.url).href];if(t===undefined)i(u);else(0,eval)(t)}};(0,eval)(e.data.code)}';
                const worker = new WorkerOwn(URL.createObjectURL(new Blob([first], {type: 'text/javascript'})), {name: options && options.name || ''});
                const post = worker.postMessage, queue = [];
                worker.postMessage = (...message) => { queue.push(message); };
                (async () => {
                  const found = await get(url);
                  if (!found) return worker.dispatchEvent(new ErrorEvent('error', {message: 'Not in this file: ' + url}));
                  const text = decode(found.bytes, found.encoding), files = {};
                  const names = [...text.matchAll(/importScripts\s*\(([^)]*)\)/g)].flatMap(call => [...call[1].matchAll(/["']([^"']+)["']/g)]);
                  for (const [, name] of names.slice(0, 100)) {
                    const target = resolve(name, url), file = target && await get(target);
                    if (file) files[target] = decode(file.bytes, file.encoding);
                  }
                  post.call(worker, {code: text, files, url});
                  delete worker.postMessage;
                  for (const message of queue) worker.postMessage(...message);
                })();
                return worker;
              };
              w.Worker.prototype = WorkerOwn.prototype;
            }

            // What a frame without an origin of its own doesn't have.
            const fits = map => map.size <= 2000 && [...map].reduce((size, [key, value]) => size + key.length + value.length, 0) <= 5e6;
            const storage = kind => {
              const map = new Map(init.stores[kind]);
              const set = (key, value) => {
                const old = map.get(String(key));
                map.set(String(key), String(value));
                if (fits(map)) return send({store: kind, key: String(key), value: String(value)});
                if (old === undefined) map.delete(String(key)); else map.set(String(key), old);
                throw new DOMException('The storage is full', 'QuotaExceededError');
              };
              const remove = key => { map.delete(String(key)); send({store: kind, key: String(key), value: null}); };
              const methods = {
                getItem: key => map.has(String(key)) ? map.get(String(key)) : null, setItem: set, removeItem: remove,
                clear: () => { for (const key of [...map.keys()]) remove(key); }, key: index => [...map.keys()][index] ?? null,
              };
              return new Proxy(methods, {
                get: (target, key) => key === 'length' ? map.size : Object.hasOwn(target, key) ? target[key] : map.get(key),
                set: (target, key, value) => { set(key, value); return true; },
                has: (target, key) => Object.hasOwn(target, key) || map.has(key),
                deleteProperty: (target, key) => { remove(key); return true; },
                ownKeys: () => [...map.keys()],
                getOwnPropertyDescriptor: (target, key) => map.has(key)
                  ? {value: map.get(key), configurable: true, enumerable: true, writable: true} : undefined,
              });
            };
            const define = (target, name, get, set) => Reflect.defineProperty(target, name, {get, set, configurable: true});
            for (const [name, kind] of [['localStorage', 'local'], ['sessionStorage', 'session']]) {
              const made = storage(kind);
              define(w, name, () => made);
            }
            const cookies = new Map(init.stores.cookie);
            define(Document.prototype, 'cookie', () => [...cookies].map(([name, value]) => name + '=' + value).join('; '), text => {
              const [pair, ...rest] = String(text).split(';'), mark = pair.indexOf('=');
              const name = pair.slice(0, Math.max(mark, 0)).trim(), value = pair.slice(mark + 1).trim();
              const age = rest.map(part => /^\s*max-age\s*=\s*(-?\d+)/i.exec(part)).find(found => found);
              const end = rest.map(part => /^\s*expires\s*=(.*)/i.exec(part)).find(found => found);
              const isOver = age ? Number(age[1]) <= 0 : end ? Date.parse(end[1]) <= performance.timeOrigin + performance.now() : false;
              if (isOver) cookies.delete(name); else if (cookies.has(name) || cookies.size < 200) cookies.set(name, value);
              send({store: 'cookie', key: name, value: isOver ? null : value});
            });
            for (const name of ['serviceWorker', 'storage', 'locks']) Reflect.deleteProperty(Navigator.prototype, name);
            for (const name of ['caches', 'indexedDB', 'RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport']) {
              if (!Reflect.deleteProperty(w, name) || name in w) define(w, name, () => undefined);
            }
            let state = null;
            for (const name of ['pushState', 'replaceState']) {
              History.prototype[name] = (value, title, address) => {
                const text = address === undefined || address === null ? page : String(address).replace(/^about:srcdoc/, () => page.replace(/#.*/, ''));
                const url = resolve(text, d.baseURI);
                if (!url || new URL(url).origin !== new URL(page).origin) throw new DOMException('The address has another origin', 'SecurityError');
                state = value;
                if (url === page) return;
                page = url;
                send({address: url, replaces: name === 'replaceState'});
              };
            }
            define(History.prototype, 'state', () => state);
            const place = {
              assign: address => go(address), replace: address => go(address, true), reload: () => go(page), toString: () => page,
              ancestorOrigins: {length: 0, contains: () => false, item: () => null},
            };
            for (const name of ['href', 'protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin']) {
              define(place, name, () => new URL(page)[name], value => {
                if (name === 'href') return go(String(value));
                const url = new URL(page);
                url[name] = value;
                if (name === 'hash') { send({address: url.href}); page = url.href; jump(url.hash); } else go(url.href);
              });
            }
            define(w, 'afcacheLocation', () => place, value => go(String(value)));
            define(Document.prototype, 'URL', () => page);
            define(Document.prototype, 'documentURI', () => page);
            define(Document.prototype, 'referrer', () => '');
            define(Document.prototype, 'domain', () => new URL(page).hostname);

            const decoded = text => { try { return decodeURIComponent(text); } catch { return text; } };
            const scroll = hash => {
              const name = hash.slice(1), text = decoded(name);
              const target = d.getElementById(name) || d.getElementById(text) || d.getElementsByName(text)[0];
              if (target) target.scrollIntoView(); else if (!name || name.toLowerCase() === 'top') w.scrollTo(0, 0);
              // For styles of ':target'.
              w.location.replace('about:srcdoc' + (hash || '#'));
            };
            const jump = hash => {
              const oldURL = page;
              page = page.replace(/#.*/, '') + hash;
              scroll(hash);
              w.dispatchEvent(new HashChangeEvent('hashchange', {oldURL, newURL: page}));
            };

            const listen = () => {
              // The frame's own address isn't the page's.
              w.addEventListener('hashchange', event => { if (event.isTrusted) event.stopImmediatePropagation(); }, true);
              w.addEventListener('click', event => {
                if (event.defaultPrevented || event.button) return;
                const anchor = event.composedPath().find(item => item instanceof Element && item.matches('a[href], area[href], a'));
                const href = anchor && (typeof anchor.href === 'string' ? anchor.href : anchor.href && resolve(anchor.href.baseVal));
                if (!href || /^javascript:/i.test(href)) return;
                event.preventDefault();
                const mark = href.indexOf('#');
                if (mark >= 0 && href.slice(0, mark) === page.replace(/#.*/, '')) {
                  const hash = href.slice(mark);
                  if (href !== page) send({address: href});
                  jump(hash);
                } else go(real.get(href) || href);
              });
              w.addEventListener('submit', event => {
                if (event.defaultPrevented) return;
                event.preventDefault();
                const form = event.target, button = event.submitter;
                const method = (button && button.getAttribute('formmethod') || form.getAttribute('method') || 'get').toLowerCase();
                const url = new URL(resolve(button && button.getAttribute('formaction') || form.getAttribute('action') || page, d.baseURI));
                if (method !== 'get') return send({go: url.href});
                const fields = new FormData(form);
                if (button && button.name) fields.append(button.name, button.value);
                url.search = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)])).toString();
                go(url.href);
              });
              w.addEventListener('error', ({target}) => {
                const media = target instanceof HTMLSourceElement ? target.parentNode : target;
                if (!(media instanceof HTMLMediaElement)) return;
                const address = getAttribute.call(target, 'src') || '';
                if (address.startsWith(besides)) offer(media, decodeURIComponent(address.slice(besides.length)));
              }, true);
              let timer;
              w.addEventListener('scroll', () => {
                clearTimeout(timer);
                timer = setTimeout(() => send({scroll: w.scrollY}), 150);
              }, {passive: true});
              new MutationObserver(records => {
                for (const {target, type, attributeName, addedNodes} of records) {
                  if (type === 'attributes') {
                    // A setter notes its address; what remains was set by a parser.
                    mend(target, attributeName);
                  } else for (const node of addedNodes) {
                    if (!(node instanceof Element)) continue;
                    for (const item of [node, ...node.querySelectorAll('img, link, source, video, audio, iframe, script, track, input')]) {
                      if (item.hasAttribute('data-afcache-src')) {
                        const address = getAttribute.call(item, 'data-afcache-src');
                        item.removeAttribute('data-afcache-src');
                        nest(item, address);
                      }
                      for (const name of attributes.keys()) mend(item, name);
                    }
                  }
                }
              }).observe(d, {childList: true, subtree: true, attributes: true, attributeFilter: [...attributes.keys()]});
            };
            // Puts a button in place of media that lie beside the file.
            const offered = new WeakSet();
            const offer = (media, url) => {
              if (offered.has(media)) return;
              offered.add(media);
              const button = d.createElement('button'), name = new URL(url).pathname.split('/').pop();
              Object.assign(button, {type: 'button', textContent: '▶ ' + decoded(name), title: 'Play'});
              button.addEventListener('click', event => {
                event.preventDefault();
                event.stopPropagation();
                send({play: url});
              });
              if (!media.poster) media.style.display = 'none';
              media.after(button);
            };
            const mend = (item, name) => {
              if (!isHooked(item, name) || item instanceof HTMLScriptElement) return;
              const value = getAttribute.call(item, name);
              if (value === null || own.test(value)) return;
              const url = resolve(value, d.baseURI);
              if (!url || setters.get(item) === url || item instanceof HTMLLinkElement && !/stylesheet|icon/i.test(item.rel)) return;
              if (item instanceof HTMLIFrameElement) { setters.set(item, url); nest(item, value); return; }
              substitute(item, value, text => { if (text !== url) setAttribute.call(item, name, text); });
            };

            // The page.
            let html = decode(init.bytes, init.encoding);
            if (init.type !== 'text/html') html = html.replace(/<\?xml[^>]*\?>/, '').replace(/<((?:script|div|span|a|iframe|textarea|title|p|i|b|em|style)\b[^>]*)\/>/gi, (all, tag) => '<' + tag + '></' + tag.split(/\s/)[0] + '>');
            html = html.replace(/(<i?frame\b[^>]*?\s)src(\s*=)/gi, '$1data-afcache-src$2').replace(/(<meta\b[^>]*?)http-equiv(\s*=\s*["']?refresh)/gi, '$1data-afcache$2');
            if (/<base\s/i.test(html) || /data-afcache=/i.test(html)) {
              const parsed = new DOMParser().parseFromString(html, 'text/html');
              const first = parsed.querySelector('base[href]'), refresh = parsed.querySelector('meta[data-afcache]');
              if (first) base = resolve(getAttribute.call(first, 'href')) || base;
              const found = refresh && /^\s*([\d.]*)\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(getAttribute.call(refresh, 'content') || '');
              if (found && found[2].trim()) setTimeout(() => go(found[2].trim(), true), Math.min(Number(found[1]) || 0, 3600) * 1000);
            }
            const parsedMap = text => {
              try { return Object(JSON.parse(text)); } catch (error) { console.error('The import map is not JSON: ' + error.message); return {}; }
            };
            const inline = /(<script\b[^>]*>)([\s\S]*?)(<\/script)/gi, scripts = [];
            for (const [all, tag, text, end] of html.matchAll(inline)) {
              const type = (/\btype\s*=\s*["']?\s*([^"'\s>]*)/i.exec(tag) || [])[1] || '';
              if (type.toLowerCase() === 'importmap') {
                map = parsedMap(text);
                // The page gets one map for both, before its first module.
                scripts.push('<script type=x><\/script');
              } else scripts.push(!text || type && !isScript(type) && type !== 'module' ? all : tag + await code(text, base) + end);
            }
            let next = 0;
            html = html.replace(inline, () => scripts[next++]);
            const addresses = Object.entries(Object(map.imports)).filter(([name]) => !name.endsWith('/'));
            for (const [, address] of addresses) if (!/\.afcache\.invalid\//.test(address)) {
              const url = resolve(address);
              if (url) want(url);
            }
            html = await fill(html);
            while (pending.size) await Promise.all(pending);
            const entries = {...imports};
            for (const [name, address] of addresses) {
              const filled = await fill(String(address));
              entries[name] = filled !== address ? filled : imports[resolve(address)] || resolve(address);
            }
            const quote = text => text.replace(/[&"<]/g, c => '&#' + c.charCodeAt(0) + ';');
            // Firefox looks up the names of links on pages that aren't secure.
            const head = '<meta http-equiv=x-dns-prefetch-control content=off><base href="' + quote(base) + '">' + (Object.keys(entries).length
              ? '<script type=importmap>' + JSON.stringify({imports: entries}).replace(/</g, '\\u003c') + '<\/script>' : '');
            const before = /^(?:\s|<!\x2d-[\s\S]*?-->|<!doctype[^>]*>|<html(?:\s[^>]*)?>|<head(?:\s[^>]*)?>)*/i.exec(html)[0];
            isStarted = true;
            d.open();
            listen();
            w.addEventListener('DOMContentLoaded', () => { send({isShown: true}); send({title: d.title}); });
            w.addEventListener('load', () => {
              send({title: d.title});
              if (init.scroll) w.scrollTo(0, init.scroll); else if (init.hash) scroll(init.hash);
            });
            d.write(before + head + html.slice(before.length));
            d.close();
          };
        })();
        """#
}
