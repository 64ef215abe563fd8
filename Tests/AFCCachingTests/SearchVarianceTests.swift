import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCCaching

/// The field No-Vary-Search; sections of draft-ietf-httpbis-no-vary-search.
struct SearchVarianceTests {
    private func variance(_ lines: String...) -> SearchVariance? {
        SearchVariance(fields(lines.map { "No-Vary-Search: \($0)" }))
    }

    @Test(arguments: [
        "", "unknown-key", "unknown=?1, other", "key-order=\"x\"", "key-order=1", "key-order=?0", "key-order=(\"a\")",
        "params=\"x\"", "params=1", "params=a", "params=(a)", "params=(\"a\" 1)", "params=(\"a\"), except=(\"x\")",
        "params=(), except=()", "params=?0", "params=()", "params=?0, except=(\"x\")", "params, except=(x)",
        "params, except=\"x\"", "params, except=?1", "params, except", "except=(\"x\")", "except=()",
        "key-order, except=(\"x\")", "key-order, params=1", "params=(\"a\"", "params=(\"a\",\"b\")", "Params",
        "params,", "params;", "key-order params", "params=('a')", "params=(\"é\")", "params=(\"a\"\"b\")", "?1",
    ])
    func `§4: an invalid field, or one that says nothing, counts as none`(value: String) {
        #expect(variance(value) == nil)
    }

    @Test(
        arguments: [
            ("params", "params"), ("params=?1", "params"), ("key-order", "key-order"), ("key-order=?1", "key-order"),
            ("params=(\"a\")", "params=(\"a\")"), ("params=(\"b\" \"a\" \"b\")", "params=(\"a\" \"b\")"),
            ("params, except=(\"x\")", "params, except=(\"x\")"), ("except=(\"x\"), params", "params, except=(\"x\")"),
            ("params, key-order, except=(\"x\")", "key-order, params, except=(\"x\")"),
            ("params, except=()", "params"), ("key-order, params=?0", "key-order"),
            ("key-order, params=()", "key-order"),
            ("params;a=b, key-order;c", "key-order, params"), ("params=(\"a\";q=1);r", "params=(\"a\")"),
            ("unknown=1, params=(\"a\")", "params=(\"a\")"), ("params=(\"a\"), params", "params"),
            ("params, params=(\"a\")", "params=(\"a\")"), ("params=(\"\")", "params=(\"\")"),
            ("params=(\"%C3%A9+%E6%B0%97\")", "params=(\"%C3%A9+%E6%B0%97\")"), ("params=(\"%61\")", "params=(\"a\")"),
            ("params=(\"a%\")", "params=(\"a%25\")"), ("params=(\"%22\\\\\")", "params=(\"%22%5C\")"),
            ("params=(\"%f6\")", "params=(\"%EF%BF%BD\")"), ("params=( \"a\"  \"b\" )", "params=(\"a\" \"b\")"),
        ]
    )
    func `§4: a valid field, in its conventional form`(value: String, expected: String) {
        let found = variance(value)
        #expect(found?.description == expected)
        #expect(found == found.flatMap { variance($0.description) })
    }

    @Test func `§4_2: several lines are one dictionary, with limits`() {
        #expect(variance("params", "except=(\"a\")")?.description == "params, except=(\"a\")")
        #expect(variance("params=(\"a\")", "key-order")?.description == "key-order, params=(\"a\")")
        #expect(variance("params", String(repeating: "x=1,", count: 70) + "y") == nil)
        #expect(variance("params=(\"\(String(repeating: "a", count: 9000))\")") == nil)
        #expect(SearchVariance(HTTPFields()) == nil)
        func names(_ count: Int) -> String { "params=(\((0..<count).map { "\"n\($0)\"" }.joined(separator: " ")))" }
        #expect(variance(names(128)) != nil)
        #expect(variance(names(129)) == nil)
    }

    @Test(
        arguments: [
            // Nothing but the named parameters is ignored.
            ("params=(\"a\")", "a=2&b=3", "b=3", true), ("params=(\"a\")", "a=2&b=3", "b=2", false),
            ("params=(\"a\")", "b=3&a=2", "a=1&a=4&b=3", true), ("params=(\"a\")", nil, "a=1", true),
            ("params=(\"a\")", "b&c", "c&b", false), ("params=(\"a\")", "A=1", nil, false),
            ("params=(\"a\" \"b\")", "a=2&b=3", "b=2", true), ("params=(\"a\" \"b\")", "c", "c&a&b", true),
            ("params=(\"\")", "=1&b", "b", true), ("params=(\"\")", "b=", "b", true),
            // Everything is ignored, with exceptions.
            ("params", "a=2&b=3", "b=4&c=5", true), ("params", nil, "b=4", true), ("params", "", nil, true),
            ("params, except=(\"a\")", "a=2&b=3", "c=5&a=2", true),
            ("params, except=(\"a\")", "a=2", "a=3", false), ("params, except=(\"a\")", "a=2", nil, false),
            ("params, except=(\"a\" \"b\")", "a=1&b=2", "b=2&a=1", false),
            ("params, except=(\"a\")", "a=1&a=2", "a=2&a=1", false),
            ("key-order, params, except=(\"a\" \"b\")", "a=1&b=2&c=3", "d&b=2&a=1", true),
            // The order of names, but not that of the values of one name.
            ("key-order", "a=1&b=2", "b=2&a=1", true), ("key-order", "c=4&b=3&a=2", "a=2&c=5&b=3", false),
            ("key-order", "a=3&a=4&b=5", "b=5&a=3&a=4", true), ("key-order", "a=3&a=4", "a=4&a=3", false),
            ("key-order", "a=1&a=1", "a=1", false),
            ("key-order", "b=5&a=3&a=4&d=6&c=5&b=3", "d=6&a=3&b=5&b=3&c=5&a=4", true),
            ("key-order", "b=5&a=3&a=4&d=6&c=5&b=3", "d=6&a=4&b=5&b=3&c=5&a=3", false),
            ("key-order, params=(\"a\")", "c=1&b=2&a=3", "b=2&c=1", true),
            // §6: what the parser of forms makes equal.
            ("key-order", nil, "", true), ("key-order", "a=x", "%61=%78", true),
            ("key-order", "a=%C3%A9", "a=%c3%a9", true),
            ("key-order", "a=%f6", "a=%ef%bf%bd", true), ("key-order", "a=x&&&&", "a=x", true),
            ("key-order", "&a=x", "a=x", true), ("key-order", "a=", "a", true), ("key-order", "a=%20", "a=+", true),
            ("key-order", "a=+&", "a=%20", true), ("key-order", "a=b=c", "a=b%3Dc", true),
            ("key-order", "a%3Db", "a=b", false),
            ("key-order", "a=1;b=2", "b=2;a=1", false), ("key-order", "a%26b", "a&b", false),
            ("key-order", "a%", "a%25", true),
            ("params=(\"%C3%A9+%E6%B0%97\")", "%C3%A9+%E6%B0%97=1", "%C3%A9%20%E6%B0%97=2", true),
            ("params=(\"a+b\")", "a%20b=1", "a+b=2", true), ("params=(\"a%2Bb\")", "a%2Bb=1", nil, true),
            ("params=(\"a%2Bb\")", "a+b=1", nil, false),
            // No other normalization: letters with and without a combining mark differ.
            ("key-order", "a=%C3%A9", "a=e%CC%81", false), ("params=(\"%C3%A9\")", "e%CC%81=1", nil, false),
            ("key-order", "a=%EF%BB%BFx", "a=x", false),
        ] as [(String, String?, String?, Bool)]
    )
    func `§5: equivalent queries`(_ value: String, _ one: String?, _ other: String?, _ expected: Bool) throws {
        let variance = try #require(self.variance(value))
        #expect(variance.areEquivalent(one, other) == expected)
        #expect(variance.areEquivalent(other, one) == expected)
    }
}
