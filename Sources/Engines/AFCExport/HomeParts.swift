internal import AFCText
internal import AFCURL

/// The parts of the first page of an export: its style, the list of sites, and the search over them.
enum HomeParts {
    /// Returns the title of a page for all sites.
    static func title(_ sites: [ExportedSite]) -> String {
        sites.count == 1 ? name(sites[0]) : "\(sites.count) sites"
    }

    /// Returns the list of sites.
    ///
    /// - Parameters:
    ///   - sites: The sites.
    ///   - address: Returns the address of a site's start page.
    /// - Returns: The HTML.
    static func list(_ sites: [ExportedSite], _ address: (ExportedSite) -> String) -> String {
        var items = ""
        for site in sites {
            let icon = site.icon.map { "<img src=\"\(Markup.escaped($0))\" alt=\"\" width=24 height=24>" } ?? "<i></i>"
            let language = site.language.map { " lang=\"\(Markup.escaped($0))\"" } ?? ""
            items +=
                "<li>\(icon)<div><a href=\"\(Markup.escaped(address(site)))\"\(language)>\(Markup.escaped(name(site)))</a>"
                + "<p>\(Markup.escaped(([site.url.description] + site.provenance).joined(separator: " · ")))</p></div></li>\n"
        }
        return "<ul id=sites>\n\(items)</ul>"
    }

    private static func name(_ site: ExportedSite) -> String {
        site.title.isEmpty ? site.url.host ?? site.url.description : site.title
    }

    static let style = """
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

    /// The function of the search, which splits and folds words as `SearchWord` does.
    ///
    /// Its arguments are a function that runs one of the scripts of ``ExportSearch`` by its name, and one that returns the
    /// address for a link to a page.
    static let search = """
        'use strict';
        const afcacheSearch = (load, link) => {
          const waiting = new Map(), words = new Map();
          let pages = [], length = 1, ready;
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
              const [title, address, site, summary] = pages[number];
              const item = document.createElement('li'), anchor = document.createElement('a');
              anchor.href = link(address);
              anchor.textContent = title;
              const about = document.createElement('p');
              about.textContent = site + (summary ? ' — ' + summary : '');
              item.append(anchor, about);
              return item;
            }));
          };
          let timer;
          input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(show, 80); });
          document.getElementById('f').addEventListener('submit', event => { event.preventDefault(); show(); });
          if (input.value) show();
        };

        """
}
