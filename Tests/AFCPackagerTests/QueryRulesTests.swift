import AFCText
import AFCURL
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct QueryRulesTests {
    private func applied(
        _ target: String,
        _ mode: QueryRules.Mode = .keep,
        dropping names: [String] = []
    ) throws -> String {
        var rules = QueryRules()
        rules.mode = mode
        rules.droppedParameters = names.map { Glob($0) }
        let base = "http://docs.example:8080"
        return String(rules.applied(to: try WebURL(base + target)).description.dropFirst(base.utf8.count))
    }

    @Test(
        arguments: [
            "/a?utm_source=x&sid=0123456789abcdef", "/a?", "/a?&&b=&=c&", "/a;jsessionid=1?PHPSESSID=2", "/",
        ]
    ) func `by default the query is unchanged`(target: String) throws {
        #expect(try applied(target) == target)
    }

    @Test(
        arguments: [
            ("/a?utm_source=x", "/a"), ("/a?utm_source=x&b=1", "/a?b=1"), ("/a?b=1&utm_source=x&c=%7e", "/a?b=1&c=%7e"),
            ("/a?c=2&b=1&gclid=x", "/a?c=2&b=1"), ("/a?utm_source", "/a"), ("/a?&&b=&=c&", "/a?&&b=&=c&"),
            ("/a?&utm_id=1&", "/a"), ("/a?b&&fbclid=1", "/a?b"), ("/a?utm%5Fsource=x", "/a"), ("/a?utm=1", "/a?utm=1"),
            ("/a?b=utm_source=x", "/a?b=utm_source=x"), ("/a?UTM_source=x", "/a?UTM_source=x"),
            ("/a?msclkid=1&mc_eid=2&mc_cid=3&_ga=4&_gl=5&yclid=6&igshid=7&_hsenc=8&srsltid=9", "/a"),
            // Session ids: by name, or by a common name and a value that nobody would write.
            ("/a?PHPSESSID=x&b=1", "/a?b=1"), ("/a;jsessionid=A1B2.node1?b=1", "/a?b=1"),
            ("/a;jsessionid=1/b;v=2", "/a/b;v=2"),
            ("/a;v=1;jsessionid=2;w=3", "/a;v=1;w=3"), ("/a?sid=0123456789abcdef0123456789abcdef", "/a"),
            ("/a?sid=42", "/a?sid=42"), ("/a?s=swift+concurrency+in+practice", "/a?s=swift+concurrency+in+practice"),
            ("/a?s=internationalisation", "/a?s=internationalisation"), ("/a?ASPSESSIONIDQQ=AB", "/a"),
            ("/a;utm_source=x", "/a;utm_source=x"), ("/a;b", "/a;b"),
        ]
    ) func `tracking removes parameters that identify the reader`(target: String, expected: String) throws {
        #expect(try applied(target, .tracking) == expected)
    }

    @Test(
        arguments: [
            ("/a?b=1&c=2", ["b"], "/a?c=2"), ("/a?b=1&c=2&b=3", ["b"], "/a?c=2"), ("/a?B=1", ["b"], "/a?B=1"),
            ("/a?x_1=1&x_2=2&y=3", ["x_*"], "/a?y=3"), ("/a?b+c=1", ["b c"], "/a"), ("/a?b", ["*"], "/a"),
            ("/a;v=1/b;w=2", ["v"], "/a/b;w=2"), ("/a;v/b", ["v"], "/a;v/b"),
        ]
    ) func `named parameters are removed, and the rest is unchanged`(
        target: String,
        names: [String],
        expected: String
    ) throws {
        #expect(try applied(target, dropping: names) == expected)
    }

    @Test(arguments: [("/a?b=1", "/a"), ("/a?", "/a"), ("/a", "/a"), ("/a;v=1?b", "/a;v=1"), ("/?x", "/")])
    func `ignore removes the whole query`(target: String, expected: String) throws {
        #expect(try applied(target, .ignore) == expected)
    }

    @Test func `only links are rewritten, and only http links`() throws {
        var rules = QueryRules()
        rules.mode = .ignore
        let url = try WebURL("http://docs.example/a.css?v=3")
        #expect(rules.applied(to: url, as: .link).description == "http://docs.example/a.css")
        #expect(rules.applied(to: url, as: .requisite) == url)
        #expect(rules.applied(to: url, as: .seed) == url)
        let mail = try WebURL("mailto:a@docs.example?subject=b")
        #expect(rules.applied(to: mail, as: .link) == mail)
        #expect(!rules.keepsAll)
        #expect(QueryRules().keepsAll)
    }

    @Test(arguments: [("a+b", "a b"), ("%41%c3%A9", "Aé"), ("%+5a", "% 5a"), ("%4", "%4"), ("%", "%"), ("%zz", "%zz")])
    func `names and values are decoded as forms write them`(text: String, expected: String) {
        #expect(QueryText.decoded(text) == expected)
    }
}
