extension RuleFixture {
    /// Fixtures of the linter's own rules.
    static let own: [RuleFixture] = [
        RuleFixture(
            rule: "member.not-portable",
            bad: .package(["d.example/a?b": "body", "manifest.afcache": line("a", member: "d.example/a?b")]),
            good: .package(["d.example/a b": "body", "manifest.afcache": line("a", member: "d.example/a b")])
        ),
        RuleFixture(
            rule: "sidecar.set-cookie",
            bad: .recorded(#"{"url":"http://d.example/a","status":200,"fields":[["set-cookie","a=b"]]}"#),
            good: .recorded(#"{"url":"http://d.example/a","status":200,"fields":[["cache-control","no-cache"]]}"#)
        ),
    ]

    /// A line of a manifest.
    static func line(_ path: String, type: String = "text/plain", member: String? = nil) -> String {
        "http://d.example/\(path) ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; \(type)\(member.map { " ; \($0)" } ?? "")\n"
    }
}

extension Sample {
    /// A package of one body at `http://d.example/a`, with records.
    static func recorded(_ records: String...) -> Sample {
        .package([
            "d.example/a": "body", ".afcache/resources.jsonl": records.map { $0 + "\n" }.joined(),
            "manifest.afcache": RuleFixture.line("a"),
        ])
    }
}
