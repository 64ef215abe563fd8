/// The style of a report's page, light and dark, for screens of any width and for paper.
enum ReportStyle {
    static let sheet: StaticString = """
        :root { color-scheme: light dark; --back: #f7f7f5; --card: #ffffff; --text: #1d1d1b; --soft: #62625c; --line: #e3e3de;
          --bar: #3d6fd9; --good: #1f7a4d; --fair: #a85a00; --bad: #b3261e; --link: #2456b8; }
        @media (prefers-color-scheme: dark) {
          :root { --back: #151514; --card: #1f1f1d; --text: #ececea; --soft: #a3a39c; --line: #363633;
            --bar: #6d9bf5; --good: #57c78c; --fair: #f0a54a; --bad: #ff8a80; --link: #93b8ff; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 62rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
        h1 { margin: 0; font-size: 2rem; line-height: 1.2; overflow-wrap: anywhere; }
        h2 { margin: 0 0 .75rem; font-size: 1.125rem; }
        p { margin: .25rem 0; }
        a { color: var(--link); text-decoration: none; }
        a:hover, a:focus { text-decoration: underline; }
        .kind, .when, .note, small { color: var(--soft); }
        .kind { font-size: .875rem; }
        .when, .note { font-size: .875rem; overflow-wrap: anywhere; }
        .verdict { margin: .75rem 0; font-size: 1.125rem; font-weight: 600; overflow-wrap: anywhere; }
        .verdict.good { color: var(--good); }
        .verdict.fair { color: var(--fair); }
        .verdict.bad { color: var(--bad); }
        .origin { opacity: .7; }
        ul, ol { margin: 0; padding: 0; list-style: none; }
        li { padding: .3rem 0; font-size: .9375rem; overflow-wrap: anywhere; }
        li + li { border-top: 1px solid var(--line); }
        .seeds li { padding: 0; border: 0; }
        small { display: block; font-size: .8125rem; }
        .totals { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: 1px; margin: 1.5rem 0;
          background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
        .totals div { padding: .75rem 1rem; background: var(--card); box-shadow: 0 0 0 1px var(--line); }
        dt { color: var(--soft); font-size: .8125rem; }
        dd { margin: 0; font-size: 1.25rem; font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
        section { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
        .count { margin-left: .25rem; padding: 0 .5rem; border-radius: 1rem; background: var(--line); color: var(--text);
          font-size: .8125rem; font-weight: 400; font-variant-numeric: tabular-nums; }
        details + details { border-top: 1px solid var(--line); }
        summary { padding: .4rem 0; cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }
        details ul { padding: 0 0 .5rem 1rem; }
        .line { font-weight: 600; padding: .4rem 0; margin: 0; }
        .ranking b, li > b { display: inline-block; min-width: 4.5rem; font-variant-numeric: tabular-nums; }
        table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
        th { font-weight: 400; text-align: left; overflow-wrap: anywhere; }
        thead th { color: var(--soft); font-size: .8125rem; }
        th, td { padding: .3rem .75rem .3rem 0; vertical-align: middle; }
        tbody tr { border-top: 1px solid var(--line); }
        .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        .bar { width: 45%; padding-right: 0; }
        .bar i { display: block; height: .75rem; min-width: 2px; border-radius: 2px; background: var(--bar); }
        .bar .good { background: var(--good); }
        .bar .fair { background: var(--fair); }
        .bar .bad { background: var(--bad); }
        @media (max-width: 40rem) { main { padding-top: 1rem; } h1 { font-size: 1.5rem; } .bar { width: 22%; }
          .totals { grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); } .totals div { padding: .5rem .75rem; } }
        @media print { body { background: none; } section { break-inside: avoid-page; } }
        """
}
