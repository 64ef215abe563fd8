internal import AFCText

/// The field in which a reader types a search, with its suggestions (ARIA's combobox pattern).
///
/// Without the script, it is a plain form.
enum SearchField {
    /// The path of the page with the results.
    static let path = "/.afcache/search"
    /// The path of the suggestions.
    static let suggestionPath = "/.afcache/suggest"

    /// Returns the form.
    ///
    /// - Parameters:
    ///   - base: The server's own origin, or an empty text for pages of that origin.
    ///   - query: The text in the field.
    ///   - host: The host to search; nil for all.
    ///   - placeholder: The text in the empty field.
    /// - Returns: The form in HTML.
    static func html(
        base: String = "",
        query: String = "",
        host: String? = nil,
        placeholder: String = "Search all pages"
    ) -> String {
        let limit = host.map { "<input type=\"hidden\" name=\"host\" value=\"\(Markup.escaped($0))\">\n" } ?? ""
        return """
            <form class="search" role="search" action="\(Markup.escaped(base + path))">
            <label for="query">Search</label>
            <input type="search" id="query" name="q" value="\(Markup.escaped(query))" maxlength="400"
            placeholder="\(Markup.escaped(placeholder))" autocomplete="off" autocapitalize="none" spellcheck="false">
            \(limit)<button>Search</button>
            <ul class="suggestions" id="suggestions" role="listbox" aria-label="Pages" hidden></ul>
            </form>

            """
    }

    /// The script of pages with the field: suggestions, `/` for the field, and the button that copies.
    ///
    /// It puts text from packages into the page as text only.
    static let script = #"""
        'use strict';
        (() => {
          const field = document.getElementById('query'), list = document.getElementById('suggestions');
          const host = document.querySelector('input[name=host]')?.value;
          let items = [], chosen = -1, asked = 0, timer, typed = '', request;
          field.setAttribute('role', 'combobox');
          field.setAttribute('aria-autocomplete', 'list');
          field.setAttribute('aria-controls', 'suggestions');
          const close = () => {
            list.hidden = true; chosen = -1;
            field.setAttribute('aria-expanded', 'false');
            field.removeAttribute('aria-activedescendant');
          };
          const choose = index => {
            chosen = index;
            [...list.children].forEach((item, place) => item.setAttribute('aria-selected', place === index));
            if (index < 0) return field.removeAttribute('aria-activedescendant');
            field.setAttribute('aria-activedescendant', list.children[index].id);
            list.children[index].scrollIntoView({block: 'nearest'});
          };
          const show = found => {
            items = found;
            list.replaceChildren(...found.map((item, place) => {
              const line = document.createElement('li'), where = document.createElement('span');
              line.id = 'suggestion-' + place;
              line.setAttribute('role', 'option');
              line.setAttribute('aria-selected', 'false');
              line.textContent = item.title;
              where.textContent = item.url;
              line.append(where);
              line.addEventListener('mousedown', event => event.preventDefault());
              line.addEventListener('click', () => { location.href = item.link; });
              return line;
            }));
            if (!found.length) return close();
            list.hidden = false; chosen = -1;
            field.setAttribute('aria-expanded', 'true');
            field.removeAttribute('aria-activedescendant');
          };
          const ask = async () => {
            typed = field.value;
            request?.abort();
            if (typed.trim().length < 2) return show([]);
            const number = ++asked;
            request = new AbortController();
            try {
              const words = new URLSearchParams({q: typed});
              if (host) words.set('host', host);
              const answer = await fetch('/.afcache/suggest?' + words, {signal: request.signal});
              if (!answer.ok) return;
              const found = await answer.json();
              if (number === asked && document.activeElement === field) show(found.suggestions);
            } catch { /* The next letter asks again. */ }
          };
          field.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, 120); });
          field.addEventListener('blur', close);
          field.addEventListener('keydown', event => {
            if (event.isComposing) return;
            const count = list.hidden ? 0 : items.length;
            if (event.key === 'ArrowDown' && !count) { event.preventDefault(); ask(); }
            else if (event.key === 'ArrowDown') { event.preventDefault(); choose((chosen + 2) % (count + 1) - 1); }
            else if (event.key === 'ArrowUp' && count) { event.preventDefault(); choose((chosen + count + 1) % (count + 1) - 1); }
            else if (event.key === 'Enter' && chosen >= 0) { event.preventDefault(); location.href = items[chosen].link; }
            else if (event.key === 'Escape' && count) { event.preventDefault(); close(); }
          });
          close();
          document.addEventListener('keydown', event => {
            const within = event.target.closest?.('input, textarea, select, [contenteditable]');
            if (event.key !== '/' || within || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            field.focus();
            field.select();
          });
          const address = document.querySelector('.proxy code'), button = document.querySelector('.proxy button');
          if (button) {
            button.hidden = false;
            button.addEventListener('click', async () => {
              try {
                await navigator.clipboard.writeText(address.textContent);
              } catch {
                getSelection().selectAllChildren(address);
                document.execCommand('copy');
              }
              button.textContent = 'Copied';
              setTimeout(() => { button.textContent = 'Copy'; }, 2000);
            });
          }
        })();
        """#
}
