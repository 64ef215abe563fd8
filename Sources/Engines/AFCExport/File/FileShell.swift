internal import AFCText
internal import AFCURL

/// The page of an exported file: the bar, the search, and the script that shows one page of a site at a time.
enum FileShell {
    /// The policy, which the frames of pages inherit: nothing is requested from a network (CSP3).
    ///
    /// This page may load media from files; frames may not, since they have no origin.
    private static func policy(hasMediaBeside: Bool) -> String {
        """
        default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline' blob: data:; \
        img-src blob: data:; font-src blob: data:; media-src blob: data:\(hasMediaBeside ? " file:" : ""); \
        worker-src blob: data:; connect-src blob: data:; manifest-src 'none'; object-src 'none'; frame-src 'none'; \
        form-action 'none'
        """
    }

    /// Returns the beginning of the file, which ends before the elements of bodies.
    ///
    /// - Parameters:
    ///   - sites: The sites.
    ///   - hasSearch: True if there is a search.
    ///   - hasMediaBeside: True if there is a folder of media beside the file.
    ///   - tableSize: The number of bytes of the table.
    /// - Returns: The HTML.
    static func page(_ sites: [ExportedSite], hasSearch: Bool, hasMediaBeside: Bool, tableSize: Int) -> String {
        let config = JSONValue.object([
            ("block", .number("\(BlockStream.blockSize)")), ("table", .number("\(tableSize)")),
            ("title", .string(HomeParts.title(sites))),
            ("home", .string(sites.count == 1 ? sites[0].url.description : "")),
        ])
        return """
            \(FileOutput.mark)<html lang=en>
            <meta charset=utf-8>
            <meta http-equiv=Content-Security-Policy content="\(policy(hasMediaBeside: hasMediaBeside))">
            <meta http-equiv=x-dns-prefetch-control content=off>
            <meta name=viewport content="width=device-width,initial-scale=1">
            <title>\(Markup.escaped(HomeParts.title(sites)))</title>
            <style>
            \(HomeParts.style)
            \(style)
            </style>
            <header>
            <button id=home type=button title="Start page" aria-label="Start page">⌂</button>
            \(hasSearch ? form : "<span id=q hidden></span>")
            <p><a id=live rel=noreferrer target=_blank title="The live page on the web"></a> <span id=date></span></p>
            </header>
            \(hasSearch ? results : "")
            <main id=panel hidden></main>
            <div id=view></div>
            <noscript><main><p>This file needs JavaScript to show its pages.</p></main></noscript>
            <template id=start>
            <h1>\(sites.count == 1 ? "Packed site" : "Packed sites")</h1>
            \(HomeParts.list(sites) { "#" + $0.url.description })
            </template>
            <script type=x id=config>\(config.serialized.replacing("<", with: "\\u003c"))</script>
            <script type=x id=loader>\(FrameLoader.script)</script>
            <script>
            \(hasSearch ? HomeParts.search : "'use strict';")
            \(script)
            </script>

            """
    }

    private static let form = """
        <form role=search id=f><input type=search id=q placeholder="Search these pages" aria-label="Search these pages" \
        autocomplete=off></form>
        """

    private static let results = """
        <main id=found hidden>
        <p id=n role=status></p>
        <ol id=r></ol>
        </main>
        """

    private static let style = """
        html, body { height: 100%; }
        body { display: flex; flex-direction: column; max-width: none; padding: 0; }
        header { display: flex; gap: .6rem; align-items: center; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
          font-size: .9rem; flex: none; }
        header p { margin: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 1; text-align: right; }
        header a { font-weight: normal; color: inherit; }
        header form { flex: 1 1 14rem; max-width: 26rem; }
        header input { font-size: .95rem; padding: .3rem .6rem; }
        header button { font: inherit; font-size: 1.2rem; line-height: 1; padding: .3rem .5rem; background: none;
          border: 1px solid var(--line); border-radius: .5rem; color: inherit; cursor: pointer; }
        main { max-width: 48rem; width: 100%; box-sizing: border-box; margin: 0 auto; padding: 1rem; }
        #found { position: absolute; z-index: 1; inset: 3rem 0 0; max-width: none; overflow: auto; background: Canvas; }
        #found > * { max-width: 48rem; margin: 0 auto; }
        #view { flex: 1; position: relative; min-height: 0; }
        #panel:not([hidden]) + #view { display: none; }
        iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; background: #fff; color-scheme: light; }
        iframe.next { visibility: hidden; }
        dialog { border: 1px solid var(--line); border-radius: .5rem; max-width: 90vw; }
        dialog button { display: block; margin: .5rem 0 0 auto; }
        video { max-width: 100%; max-height: 80vh; }
        @media (max-width: 40rem) { header p { display: none; } }
        @media print { header, #found { display: none; } }
        """

    /// The script: it finds bodies in the elements, and gives a page's frame what the page may have.
    private static let script = #"""
        {
          const $ = id => document.getElementById(id);
          const config = JSON.parse($('config').textContent);
          const loader = '<!doctype html><meta charset=utf-8><meta http-equiv=x-dns-prefetch-control content=off><script>'
            + $('loader').textContent + '</' + 'script>';
          const view = $('view'), note = $('note'), panel = $('panel'), link = $('live');

          // Bodies lie in blocks of one size, each deflated, in an element of its own. An element is whole once another one follows.
          const element = async id => {
            for (;;) {
              const found = $(id), isOver = document.readyState !== 'loading';
              if (found && (found.nextElementSibling || isOver)) return found;
              if (isOver) throw new Error('this file is cut off or damaged');
              await new Promise(done => setTimeout(done, 10));
            }
          };
          const inflate = async id => {
            const text = atob((await element(id)).textContent), bytes = new Uint8Array(text.length);
            for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
            const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
            return new Uint8Array(await new Response(stream).arrayBuffer());
          };
          const blocks = new Map();
          const block = id => {
            const found = blocks.get(id) || inflate(id);
            blocks.delete(id);
            blocks.set(id, found);
            if (blocks.size > 24) blocks.delete(blocks.keys().next().value);
            return found;
          };
          const read = async (stream, offset, length) => {
            const bytes = new Uint8Array(length);
            for (let at = 0; at < length;) {
              const number = Math.floor((offset + at) / config.block), part = await block(stream + number);
              const from = offset + at - number * config.block;
              const piece = part.subarray(from, Math.min(part.length, from + length - at));
              if (!piece.length) throw new Error('this file is cut off or damaged');
              bytes.set(piece, at);
              at += piece.length;
            }
            return bytes;
          };
          const string = async (...place) => new TextDecoder().decode(await read(...place));

          // What the file has: a row is [URL, type, offset, length, encoding, flags, date], and the file that has the body instead.
          const rows = new Map();
          let table;
          const open = (async () => {
            if (typeof DecompressionStream === 'undefined') throw new Error('this browser is too old for it');
            table = JSON.parse(await string('t', 0, config.table));
            table.rows.forEach((row, number) => { row.number = number; rows.set(row[0], row); });
          })();
          const parse = (address, base) => { try { return new URL(address, base); } catch { return null; } };
          const whole = url => url.href.slice(0, url.href.length - url.hash.length);
          // Finds the resource that a server would answer with, and the address at which a browser would show it.
          const find = address => {
            let url = parse(address), query = '';
            for (let i = 0; url && i < 20; i++) {
              const text = whole(url);
              if (rows.has(text)) return {row: rows.get(text), address: text + query};
              if (Object.hasOwn(table.redirects, text)) { url = parse(table.redirects[text]); continue; }
              const spelled = path => { const other = new URL(text); other.pathname = path; return rows.get(other.href); };
              const path = url.pathname, near = path.endsWith('/') ? [path.slice(0, -1), path + 'index.html']
                : path.endsWith('/index.html') ? [path.slice(0, -10)] : [path + '/', path + '.html', path + '/index.html'];
              const found = near.map(spelled).find(row => row);
              if (found) return {row: found, address: found[0] + query};
              if (!url.search) return null;
              query = url.search;
              url = new URL(text);
              url.search = '';
            }
            return null;
          };

          // A frame gets what its page could read on the web: what has its own origin, what is shared with all, and of other
          // origins only what pages load without reading it.
          const origin = row => parse(row[0]).origin;
          const loads = /^(image|font|audio|video)\/|^text\/(css|javascript)$|^application\/(x-)?(javascript|font|ms-font|vnd.ms-fontobject)/;
          const isAllowed = (row, own) => origin(row) === own || (row[5] & 2) || loads.test(row[1]);

          const stores = new Map();
          const store = own => {
            if (!stores.has(own)) stores.set(own, {local: new Map(), session: new Map(), cookie: new Map()});
            return stores.get(own);
          };
          const fits = (map, key, value) => map.size < 2000
            && [...map].reduce((size, [other, text]) => size + other.length + text.length, key.length + value.length) <= 5e6;
          const copy = maps => Object.fromEntries(Object.entries(maps).map(([kind, map]) => [kind, [...map]]));

          let current;
          const answer = async (port, own, data, page, isNested) => {
            if (Number.isInteger(data.id) && 'get' in data) {
              const row = typeof data.get === 'number' ? table.rows[data.get] : find(String(data.get))?.row;
              const found = row && isAllowed(row, own)
                ? row[7] ? {url: row[0], type: row[1], isBeside: true} : {url: row[0], type: row[1], encoding: row[4], isChanged: !!(row[5] & 1), bytes: (await read('b', row[2], row[3])).buffer}
                : null;
              port.postMessage({id: data.id, answer: found}, found && found.bytes ? [found.bytes] : []);
            } else if (Number.isInteger(data.id) && 'frame' in data) {
              const found = find(String(data.frame));
              if (!found || origin(found.row) !== own) return port.postMessage({id: data.id, answer: null});
              const channel = new MessageChannel(), hash = parse(String(data.frame)).hash;
              serve(channel.port1, own, page, true);
              port.postMessage({id: data.id, answer: await init(found.row, found.address + hash)}, [channel.port2]);
            } else if ('store' in data) {
              const map = store(own)[data.store];
              if (!(map instanceof Map)) return;
              if (data.value === null) map.delete(String(data.key));
              else if (fits(map, String(data.key), String(data.value))) map.set(String(data.key), String(data.value));
            } else if (page === current) {
              // A link of a page within the page leads the whole page there.
              if ('go' in data) go(String(data.go), data.replaces);
              else if (isNested) return;
              else if ('play' in data) play(String(data.play), own);
              else if ('failed' in data) fail(new Error(String(data.failed)));
              else if ('title' in data) document.title = String(data.title).slice(0, 300) || page.url;
              else if ('scroll' in data) history.replaceState({scroll: Number(data.scroll) || 0}, '');
              else if ('address' in data) {
                const url = parse(String(data.address));
                if (!url || url.origin !== own) return;
                page.url = url.href;
                if (data.replaces) history.replaceState(null, '', '#' + url.href); else history.pushState(null, '', '#' + url.href);
                about(page.row, url.href);
              } else if (data.isShown) page.shown();
            }
          };
          const serve = (port, own, page, isNested = false) => {
            port.onmessage = event => {
              const data = event.data;
              if (data && typeof data === 'object') answer(port, own, data, page, isNested).catch(fail);
            };
          };
          const init = async (row, address, body) => {
            const bytes = body || (await read('b', row[2], row[3])).buffer;
            return {type: row[1], encoding: row[4], hash: parse(address)?.hash || '', bytes, stores: copy(store(origin(row))),
              address, scroll: history.state && history.state.scroll};
          };

          const about = (row, address) => {
            // A page may ask for any address, of which only those of the web become a link here.
            if (/^https?:/i.test(address)) link.href = address; else link.removeAttribute('href');
            link.textContent = address.replace(/^https?:\/\//, '');
            $('date').textContent = row && row[6] ? row[6] : '';
          };
          const clear = () => { panel.hidden = true; panel.replaceChildren(); };
          const say = (title, text, address, label) => {
            view.replaceChildren();
            current = null;
            const head = document.createElement('h1'), words = document.createElement('p');
            head.textContent = title;
            words.textContent = text;
            panel.replaceChildren(head, words);
            if (address) {
              const anchor = document.createElement('a');
              Object.assign(anchor, {href: address, textContent: label, rel: 'noreferrer', target: '_blank', id: 'out'});
              const line = document.createElement('p');
              line.append(anchor);
              panel.append(line);
            }
            panel.hidden = false;
            return panel;
          };
          // Media beside the file, which only this page can load.
          const player = row => {
            const media = document.createElement(/^audio/.test(row[1]) ? 'audio' : 'video');
            media.controls = true;
            media.src = row[7].split('/').map(encodeURIComponent).join('/');
            media.addEventListener('error', () => {
              const words = document.createElement('p');
              words.textContent = 'This browser can’t play it, or it isn’t beside this file: ' + row[7];
              media.replaceWith(words);
            });
            return media;
          };
          const play = (address, own) => {
            const row = find(address)?.row;
            if (!row || !row[7] || !isAllowed(row, own)) return;
            const dialog = document.createElement('dialog'), close = document.createElement('button'), media = player(row);
            Object.assign(close, {type: 'button', textContent: 'Close'});
            close.addEventListener('click', () => dialog.close());
            dialog.addEventListener('close', () => dialog.remove());
            dialog.append(media, close);
            document.body.append(dialog);
            dialog.showModal();
            media.play().catch(error => console.info(error.message));
          };
          const fail = error => say('This page can’t be shown', error.message);

          // A page that isn't HTML is shown by one that is.
          const markup = row => {
            const token = 'http://' + row.number + '.afcache.invalid/';
            if (/^image\//.test(row[1])) return '<!doctype html><body style="margin:0"><img src="' + token + '" style="max-width:100%">';
            if (/^video\//.test(row[1])) return '<!doctype html><body style="margin:0"><video controls src="' + token + '" style="max-width:100%">';
            if (/^audio\//.test(row[1])) return '<!doctype html><audio controls src="' + token + '">';
            return null;
          };
          const isText = type => /^text\/|json$|xml$|javascript$|yaml$|toml$/.test(type);
          const isPage = type => type === 'text/html' || type === 'application/xhtml+xml';

          let turn = 0;
          const show = async () => {
            const own = ++turn;
            await open;
            const asked = decodeHash(), url = parse(asked);
            $('q').value = '';
            if (!url) return config.home ? go(config.home, true) : home();
            if (current && whole(url) === whole(parse(current.url)) && current.url !== url.href) {
              current.url = url.href;
              current.port.postMessage({jump: url.hash});
              return;
            }
            const found = find(asked);
            if (!found) {
              about(null, asked);
              document.title = asked;
              const isWeb = /^(https?|mailto|tel):$/.test(url.protocol);
              return say('Not in this file', isWeb ? asked : '', isWeb ? asked : '', 'Open it on the web');
            }
            const row = found.row, address = found.address + url.hash;
            if (address !== url.href) history.replaceState(history.state, '', '#' + address);
            about(row, address);
            if (row[7]) {
              const page = say(parse(row[0]).pathname.split('/').pop(), row[1]);
              document.title = row[0];
              return page.append(player(row));
            }
            let shown = row, body;
            if (!isPage(row[1])) {
              let html = markup(row);
              if (!html && isText(row[1])) {
                const text = new TextDecoder(row[4] || 'utf-8').decode(await read('b', row[2], row[3]));
                html = '<!doctype html><pre style="white-space:pre-wrap">' + text.replace(/[&<]/g, c => c === '&' ? '&amp;' : '&lt;') + '</pre>';
              }
              if (!html) return download(row);
              body = new TextEncoder().encode(html).buffer;
              shown = [row[0], 'text/html', 0, 0, 'utf-8', 0, ''];
            }
            if (own !== turn) return;
            const message = await init(shown, address, body);
            if (own !== turn) return;
            const frame = document.createElement('iframe'), channel = new MessageChannel();
            // Without 'allow-same-origin', so that a page reaches neither this one, nor other pages, nor files.
            frame.setAttribute('sandbox', 'allow-scripts allow-forms');
            frame.title = 'Page';
            frame.className = 'next';
            const page = {url: address, row, port: channel.port1};
            page.shown = () => {
              frame.className = '';
              for (const other of [...view.children]) if (other !== frame) other.remove();
              clear();
            };
            serve(channel.port1, origin(row), page);
            frame.addEventListener('load', () => frame.contentWindow.postMessage(message, '*', [channel.port2]), {once: true});
            frame.srcdoc = loader;
            current = page;
            view.append(frame);
          };
          const download = async row => {
            const name = parse(row[0]).pathname.split('/').pop() || 'file';
            const blob = new Blob([await read('b', row[2], row[3])], {type: row[1]});
            const shown = say(name, row[1] + ', ' + Math.ceil(row[3] / 1000) + ' kB', URL.createObjectURL(blob), 'Open it');
            const anchor = shown.querySelector('#out').cloneNode();
            anchor.download = name;
            anchor.textContent = 'Save it';
            shown.append(anchor);
          };
          const decodeHash = () => location.hash.slice(1);
          const go = (address, replaces) => {
            const url = parse(address);
            if (!url) return;
            if (replaces) { history.replaceState(null, '', '#' + url.href); show().catch(fail); }
            else if (decodeHash() === url.href) { current = null; show().catch(fail); }
            else location.hash = '#' + url.href;
          };
          const home = () => {
            document.title = config.title;
            link.removeAttribute('href');
            link.textContent = $('date').textContent = '';
            view.replaceChildren();
            current = null;
            panel.replaceChildren($('start').content.cloneNode(true));
            panel.hidden = false;
          };

          addEventListener('hashchange', () => show().catch(fail));
          $('home').addEventListener('click', () => { if (config.home) go(config.home); else { history.pushState(null, '', '#'); home(); } });
          const search = $('f');
          if (search) {
            const found = $('found');
            $('r').addEventListener('click', () => { found.hidden = true; });
            afcacheSearch(async name => {
              await open;
              const place = Object.hasOwn(table.words, name) && table.words[name];
              // The text is this file's own: lists of strings.
              if (place) (0, eval)(await string('s', ...place));
            }, address => '#' + address);
            $('q').addEventListener('input', () => { found.hidden = !$('q').value.trim(); });
            addEventListener('keydown', event => { if (event.key === 'Escape') { $('q').value = ''; found.hidden = true; } });
            addEventListener('hashchange', () => { found.hidden = true; });
          }
          show().catch(fail);
        }
        """#
}
