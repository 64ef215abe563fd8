/// The style of a trial's page, light and dark.
enum TrialStyle {
    static let sheet: StaticString = """
        :root { color-scheme: light dark; --back: #f7f7f5; --card: #fff; --text: #1d1d1b; --soft: #62625c; --line: #e3e3de;
          --good: #1f7a4d; --bad: #b3261e; }
        @media (prefers-color-scheme: dark) { :root { --back: #151514; --card: #1f1f1d; --text: #ececea; --soft: #a3a39c;
          --line: #363633; --good: #57c78c; --bad: #ff8a80; } }
        body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 62rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
        h1 { margin: 0; font-size: 2rem; line-height: 1.2; overflow-wrap: anywhere; }
        h2 { margin: 0 0 .75rem; font-size: 1.125rem; }
        p { margin: .25rem 0; } .kind, small { color: var(--soft); font-size: .875rem; } small { display: block; }
        .good, .bad { font-size: 1.125rem; font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
        section { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line);
          border-radius: .5rem; }
        ul { margin: 0; padding: 0; list-style: none; } li { padding: .4rem 0; overflow-wrap: anywhere; }
        li + li { border-top: 1px solid var(--line); }
        img { max-width: 48%; height: auto; margin: .5rem .5rem 0 0; border: 1px solid var(--line); }

        """
}
