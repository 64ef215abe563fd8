import AFCPackageFormat
import Testing

/// `.afcache/match.json` as docs/reference/format.md specifies it.
struct MatchRulesTests {
    private static func rules(_ text: String) throws(MatchRules.Malformation) -> MatchRules {
        try MatchRules(Array(text.utf8))
    }

    @Test(arguments: [
        ("/api/*", "/api/", true), ("/api/*", "/api/a/b", true), ("/api/*", "/api", false), ("/a*b", "/ab", true),
        ("/a*b", "/axxb", true), ("/a*b", "/a", false), ("/aba*aba", "/aba", false), ("/*.json", "/x/y.json", true),
        ("/*.json", "/x/y.js", false), ("/a", "/a", true), ("/a", "/a/", false), ("/A", "/a", false), ("/*", "/", true),
    ])
    func `one star in a path stands for any text`(_ path: String, _ other: String, _ isFor: Bool) throws {
        let rules = try Self.rules(#"{"rules":[{"path":"\#(path)","ignore":["x"]}]}"#)
        #expect((rules.rule(for: other) != nil) == isFor)
    }

    @Test func `the first rule for a path counts, and unknown keys don't`() throws {
        let rules = try Self.rules(
            #"{"note":1,"rules":[{"path":"/a","keep":["id"],"why":"x"},{"path":"/*","ignore":["x*","y"]}]}"#
        )
        let first = try #require(rules.rule(for: "/a"))
        #expect(first.names == .keep(["id"]))
        #expect([first.ignores("id"), first.ignores("x")] == [false, true])
        let second = try #require(rules.rule(for: "/b"))
        #expect(
            [second.ignores("x"), second.ignores("xyz"), second.ignores("y"), second.ignores("yz")]
                == [true, true, true, nil]
        )
        #expect(try MatchRules(rules.bytes) == rules)
        #expect(try Self.rules(#"{"rules":[]}"#).rule(for: "/a") == nil)
    }

    @Test(arguments: [
        ("hello", "the rules are not JSON at byte 0"), ("[]", "the member must be a JSON object with 'rules'"),
        ("{}", "the member must be a JSON object with 'rules'"),
        (#"{"rules":{}}"#, "the member must be a JSON object with 'rules'"),
        (#"{"rules":[1]}"#, "rule 1 must have a 'path'"),
        (#"{"rules":[{"ignore":["x"]}]}"#, "rule 1 must have a 'path'"),
        (#"{"rules":[{"path":"a","ignore":["x"]}]}"#, "rule 1 must have a 'path'"),
        (#"{"rules":[{"path":"/*/*","ignore":["x"]}]}"#, "rule 1 must have a 'path'"),
        (#"{"rules":[{"path":"/a"}]}"#, "rule 1 must have either"),
        (#"{"rules":[{"path":"/a","ignore":["x"],"keep":["y"]}]}"#, "rule 1 must have either"),
        (#"{"rules":[{"path":"/a","ignore":"x"}]}"#, "rule 1 must have either"),
        (#"{"rules":[{"path":"/a","ignore":["x"]},{"path":"/b","keep":[""]}]}"#, "the names of rule 2"),
        (#"{"rules":[{"path":"/a","ignore":["*x"]}]}"#, "the names of rule 1"),
        (#"{"rules":[{"path":"/a","ignore":[1]}]}"#, "the names of rule 1"),
    ])
    func `a member that isn't as documented is refused`(_ text: String, _ reason: String) throws {
        let error = try #require(throws: MatchRules.Malformation.self) { try Self.rules(text) }
        #expect(error.reason.hasPrefix(reason), "\(error.reason)")
    }

    @Test(
        arguments: [
            ("{\n\"rules\": [\n{\"path\":\"/a\",\"ignore\":[\"x,{\\\"\"]},\n  {\"path\":1}]}", "{\"path\":1}]}"),
            ("{\"a\":[[{}],{}],\"b\":\"rules\",\"rules\":[{\"path\":\"/\"}]}", "{\"path\":\"/\"}]}"),
            ("{\"rules\":[{\"path\":\"/\",\"keep\":[\"a\",\"b\"],\"x\":[{},{}]}, 7]}", "7]}"), ("{\"rules\":[}", "}"),
            ("{\"r\\u0075les\":[{}]}", nil), ("{\"rules\":1}", nil),
        ] as [(String, String?)]
    )
    func `the place of the first mistake is known`(_ text: String, _ rest: String?) throws {
        let error = try #require(throws: MatchRules.Malformation.self) { try Self.rules(text) }
        #expect(error.offset.map { String(decoding: Array(text.utf8)[$0...], as: UTF8.self) } == rest)
    }

    @Test func `rules, names and paths are bounded`() throws {
        let rule = #"{"path":"/a","ignore":["x"]}"#
        let many = { (count: Int) in "{\"rules\":[" + Array(repeating: rule, count: count).joined(separator: ",") + "]}"
        }
        #expect(try Self.rules(many(64)).rules.count == 64)
        #expect(throws: MatchRules.Malformation.self) { try Self.rules(many(65)) }
        let path = String(repeating: "a", count: 1024)
        #expect(throws: MatchRules.Malformation.self) {
            try Self.rules(#"{"rules":[{"path":"/\#(path)","ignore":["x"]}]}"#)
        }
        let names = Array(repeating: "\"x\"", count: 65).joined(separator: ",")
        #expect(throws: MatchRules.Malformation.self) {
            try Self.rules(#"{"rules":[{"path":"/a","keep":[\#(names)]}]}"#)
        }
    }
}
