/// The style sheet of the server's own pages: for narrow and wide windows, light and dark, and for keyboards.
enum PageStyle {
    /// The style sheet.
    static let text = """
        :root {
          color-scheme: light dark;
          --back: #f7f7f5; --card: #fff; --text: #1d1f22; --soft: #5c636b; --line: #dcdfe3; --accent: #0a5bb5;
          --mark: #ffe88a; --shade: #0001;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #141619; --card: #1d2024; --text: #e7e9ec; --soft: #a3abb4; --line: #33383f; --accent: #84b6f5;
            --mark: #665200; --shade: #0006;
          }
        }
        * { box-sizing: border-box; }
        body {
          font: 1rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 4rem;
          background: var(--back); color: var(--text); overflow-wrap: anywhere;
        }
        h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em; margin: 1.5rem 0 1rem; }
        h2 { font-size: 1rem; margin: 2.2rem 0 .6rem; color: var(--soft); font-weight: 600; }
        a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .15em; }
        a:not(:hover) { text-decoration-color: color-mix(in srgb, currentColor 40%, transparent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
        .note { color: var(--soft); font-size: .9rem; }
        p.note { margin: .3rem 0; }
        code { background: var(--shade); padding: .1rem .35rem; border-radius: .25rem; font-size: .92em; }
        mark { background: var(--mark); color: inherit; border-radius: .15rem; padding: 0 .1rem; }
        kbd {
          border: 1px solid var(--line); border-bottom-width: 2px; border-radius: .3rem; padding: 0 .35rem;
          font: .8rem/1.4 system-ui, sans-serif; background: var(--card);
        }
        table { border-collapse: collapse; width: 100%; font-size: .95rem; }
        th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        th { color: var(--soft); font-weight: 600; font-size: .85rem; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .table { overflow-x: auto; }
        .sides { table-layout: fixed; }
        del, ins { text-decoration: none; background: color-mix(in srgb, #d33 22%, transparent); }
        ins { background: color-mix(in srgb, #2a2 24%, transparent); }
        summary { cursor: pointer; color: var(--soft); font-weight: 600; margin: 2.2rem 0 .6rem; }
        .search { position: relative; display: flex; gap: .5rem; margin: 0 0 .5rem; }
        .search label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .search input[type=search] {
          flex: 1; min-width: 0; font: inherit; font-size: 1.1rem; padding: .6rem .9rem; color: inherit;
          background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
          box-shadow: 0 1px 3px var(--shade);
        }
        .search button, .proxy button {
          font: inherit; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .6rem;
          background: var(--card); color: var(--accent); cursor: pointer; font-weight: 600;
        }
        .search button:hover, .proxy button:hover { border-color: var(--accent); }
        .suggestions {
          position: absolute; z-index: 1; top: 100%; left: 0; right: 0; margin: .3rem 0 0; padding: .3rem;
          list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
          box-shadow: 0 8px 24px var(--shade);
        }
        .suggestions[hidden] { display: none; }
        .suggestions li { padding: .4rem .7rem; border-radius: .4rem; cursor: pointer; }
        .suggestions li span { display: block; color: var(--soft); font-size: .82rem; }
        .suggestions li[aria-selected=true], .suggestions li:hover {
          background: color-mix(in srgb, var(--accent) 14%, transparent);
        }
        .sites { list-style: none; margin: 0; padding: 0; display: grid; gap: .6rem; }
        @media (min-width: 44rem) { .sites { grid-template-columns: 1fr 1fr; } }
        .sites li {
          display: flex; gap: .9rem; align-items: flex-start; background: var(--card); padding: .9rem 1rem;
          border: 1px solid var(--line); border-radius: .7rem; min-width: 0;
        }
        .sites li > div { min-width: 0; }
        .sites a.title { font-weight: 600; font-size: 1.05rem; text-decoration: none; }
        .sites a.title:hover { text-decoration: underline; }
        .icon {
          flex: none; width: 2.2rem; height: 2.2rem; border-radius: .5rem; object-fit: contain;
          display: grid; place-items: center; font-weight: 700; color: var(--accent);
          background: color-mix(in srgb, var(--accent) 12%, transparent);
        }
        img.icon { background: #fff; padding: .2rem; }
        .proxy { margin-top: 2.2rem; }
        .proxy p { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .3rem 0; }
        .proxy code { user-select: all; font-size: 1rem; padding: .4rem .7rem; }
        .results { list-style: none; margin: 1.2rem 0 0; padding: 0; }
        .results li { margin: 0 0 1.4rem; }
        .results a { font-size: 1.1rem; font-weight: 600; text-decoration: none; }
        .results a:hover { text-decoration: underline; }
        .results p { margin: .15rem 0; }
        .results .place { color: var(--soft); font-size: .85rem; }
        nav.pages { display: flex; justify-content: space-between; gap: 1rem; margin-top: 2rem; }
        @media (prefers-reduced-motion: no-preference) { a, button, li { transition: background-color .12s, border-color .12s; } }
        """
}
