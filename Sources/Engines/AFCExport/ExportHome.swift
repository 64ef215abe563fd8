internal import AFCHTTP
internal import AFCText

/// The first page of an export: its sites, and a search over them.
enum ExportHome {
    /// A site, as the first page names it.
    struct Site {
        var title: String
        var path: String
        var address: String
        var icon: String?
        var language: String?
        var made: Timestamp
    }

    /// Returns the page.
    ///
    /// - Parameters:
    ///   - sites: The sites.
    ///   - hasSearch: True if there is a search.
    /// - Returns: The HTML.
    static func page(_ sites: [Site], hasSearch: Bool) -> String {
        let title = sites.count == 1 ? sites[0].title : "\(sites.count) sites"
        var items = ""
        for site in sites {
            let icon = site.icon.map { "<img src=\"\(Markup.escaped($0))\" alt=\"\" width=24 height=24>" } ?? "<i></i>"
            let language = site.language.map { " lang=\"\(Markup.escaped($0))\"" } ?? ""
            let date = HTTPDate.format(site.made).split(separator: " ").dropFirst().prefix(3).joined(separator: " ")
            items +=
                "<li>\(icon)<div><a href=\"\(Markup.escaped(ExportPlan.address(of: site.path)))\"\(language)>\(Markup.escaped(site.title))</a>"
                + "<p>\(Markup.escaped(site.address)) · packed \(date)</p></div></li>\n"
        }
        let search = """
            <form role=search id=f><input type=search id=q placeholder="Search these pages" aria-label="Search these pages" \
            autocomplete=off autofocus></form>
            <p id=n role=status></p>
            <ol id=r></ol>

            """
        return """
            <!doctype html>
            <html lang=en>
            <meta charset=utf-8>
            <meta http-equiv=Content-Security-Policy content="default-src 'self' file: data: 'unsafe-inline'">
            <meta name=viewport content="width=device-width,initial-scale=1">
            <title>\(Markup.escaped(title))</title>
            <style>
            \(style)
            </style>
            <h1>\(sites.count == 1 ? "Packed site" : "Packed sites")</h1>
            \(hasSearch ? search : "")<ul>
            \(items)</ul>
            \(hasSearch ? "<script src=\"\(ExportPlan.ownFolder)/search.js\"></script>\n" : "")
            """
    }

    private static let style = """
        :root { color-scheme: light dark; --line: #8883; --soft: #6b7280; }
        @media (prefers-color-scheme: dark) { :root { --soft: #9ca3af; } }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 1.5rem 1rem 4rem;
          overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; }
        input { width: 100%; box-sizing: border-box; font: inherit; font-size: 1.1rem; padding: .6rem .9rem;
          border: 1px solid var(--line); border-radius: .6rem; }
        ul, ol { list-style: none; padding: 0; }
        li { border-top: 1px solid var(--line); padding: .7rem 0; }
        ul li { display: flex; gap: .8rem; align-items: start; }
        ul i { width: 24px; flex: none; }
        li p { margin: .1rem 0 0; font-size: .9rem; }
        p { color: var(--soft); }
        a { font-weight: 600; }
        """

    /// The script of the search; it splits and folds words as `SearchWord` does.
    static let script = """
        'use strict';
        (() => {
          const folder = document.currentScript.src.replace(/[^/]*$/, '');
          const waiting = new Map(), words = new Map();
          let pages = [], length = 1, ready;
          const load = name => new Promise(done => {
            const script = document.createElement('script');
            script.src = folder + name;
            script.onload = script.onerror = done;
            document.head.append(script);
          });
          window.afcacheDocuments = (keyLength, list) => { length = keyLength; pages = list; };
          window.afcacheWords = (key, list) => {
            const found = new Map();
            for (let i = 0; i < list.length; i += 2) found.set(list[i], list[i + 1]);
            words.set(key, found);
          };
          const group = async word => {
            const key = [...word].slice(0, length).join('');
            if (!waiting.has(key)) {
              const name = Array.from({length: key.length}, (_, i) => key.charCodeAt(i).toString(16)).join('-');
              waiting.set(key, load('words-' + name + '.js'));
            }
            await waiting.get(key);
            return words.get(key) || new Map();
          };
          const special = {'ß': 'ss', 'ẞ': 'ss', 'Æ': 'ae', 'æ': 'ae', 'Œ': 'oe', 'œ': 'oe', 'Þ': 'th', 'þ': 'th',
            'Ð': 'd', 'ð': 'd', 'ı': 'i', 'İ': 'i', 'ŉ': 'n', 'ſ': 's', 'ς': 'σ', 'ﬀ': 'ff', 'ﬁ': 'fi', 'ﬂ': 'fl',
            'ﬃ': 'ffi', 'ﬄ': 'ffl', 'Ё': 'е', 'ё': 'е'};
          const single = new RegExp('[\\\\u0e01-\\\\u0e30\\\\u0e32-\\\\u0e33\\\\u0e40-\\\\u0e46\\\\u0e81-\\\\u0eb0\\\\u1000-\\\\u102a' +
            '\\\\u1780-\\\\u17b3\\\\u3005-\\\\u3007\\\\u3041-\\\\u3096\\\\u30a1-\\\\u30fa\\\\u30fc-\\\\u30fe\\\\u3400-\\\\u4dbf' +
            '\\\\u4e00-\\\\u9fff\\\\uac00-\\\\ud7a3\\\\uf900-\\\\ufaff\\\\uff66-\\\\uff9d\\\\u{20000}-\\\\u{3ffff}]', 'u');
          const fold = letter => special[letter] ||
            (/[\\u00c0-\\u024f\\u0370-\\u052f\\u1e00-\\u1fff\\uff01-\\uff5e]/.test(letter)
              ? letter.normalize(letter > '\\uff00' ? 'NFKD' : 'NFD').replace(/\\p{M}/gu, '') : letter).toLowerCase();
          const split = text => {
            const found = [];
            let word = '';
            const letters = [...text.replace(/(\\p{L})['\\u2019](?=\\p{L})/gu, '$1')];
            const finish = () => { if (word) found.push(word); word = ''; };
            letters.forEach((letter, i) => {
              if (/[\\u0300-\\u036f\\u0591-\\u05bd\\u0610-\\u061a\\u064b-\\u065f\\u200b-\\u200d]/.test(letter)) return;
              if (single.test(letter)) { finish(); found.push(letter); return; }
              if (/[\\p{L}\\p{Nd}\\p{Nl}\\p{M}]/u.test(letter)) { word += fold(letter); return; }
              if (word.length === 1 && letter === '+' && letters[i + 1] === '+') word += '⁺⁺';
              else if (word.length === 1 && letter === '#' && !/[a-z0-9]/i.test(letters[i + 1] || '')) word += '♯';
              finish();
            });
            finish();
            return found;
          };
          const decode = (text, scores, factor) => {
            let page = -1;
            for (const [, distance, weight] of text.matchAll(/([0-9a-z]+)([A-Z])/g)) {
              page += parseInt(distance, 36);
              const score = (weight.charCodeAt(0) - 64) * factor;
              if (score > (scores.get(page) || 0)) scores.set(page, score);
            }
          };
          const search = async text => {
            await (ready = ready || load('documents.js'));
            const asked = split(text);
            let result;
            for (const [i, word] of asked.entries()) {
              const scores = new Map(), isLast = i === asked.length - 1 && /[\\p{L}\\p{N}]$/u.test(text);
              const found = await group(word);
              for (const [other, list] of found) {
                const isWhole = other === word;
                if (!isWhole && !(isLast && other.startsWith(word))) continue;
                const count = (list.match(/[A-Z]/g) || []).length;
                decode(list, scores, Math.log(1 + pages.length / count) * (isWhole ? 1 : .4));
              }
              if (!result) result = scores;
              else for (const [page, score] of result) {
                if (scores.has(page)) result.set(page, score + scores.get(page)); else result.delete(page);
              }
            }
            return [...(result || [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
          };
          const input = document.getElementById('q'), list = document.getElementById('r');
          const note = document.getElementById('n');
          let turn = 0;
          const show = async () => {
            const own = ++turn, text = input.value;
            const found = text.trim() ? await search(text) : [];
            if (own !== turn) return;
            note.textContent = !text.trim() ? '' : found.length === 1 ? '1 page' : found.length + ' pages';
            list.replaceChildren(...found.slice(0, 50).map(([number]) => {
              const [title, path, site, summary] = pages[number];
              const item = document.createElement('li'), link = document.createElement('a');
              link.href = path.split('/').map(encodeURIComponent).join('/');
              link.textContent = title;
              const about = document.createElement('p');
              about.textContent = site + (summary ? ' — ' + summary : '');
              item.append(link, about);
              return item;
            }));
          };
          let timer;
          input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(show, 80); });
          document.getElementById('f').addEventListener('submit', event => { event.preventDefault(); show(); });
          if (input.value) show();
        })();

        """
}
