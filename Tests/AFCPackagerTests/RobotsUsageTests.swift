import AFCCaching
import AFCURL
import Testing

@testable import AFCCrawlRules

/// The rules of a robots.txt about the use of resources; sections of draft-ietf-aipref-attach-05.
struct RobotsUsageTests {
    private func usage(_ path: String, _ text: String, token: String = "afcache") throws -> String {
        RobotsRules(parsing: Array(text.utf8), productToken: token).usage(of: try WebURL("http://d.example" + path))
            .text
    }

    private static let example = """
        User-Agent: *
        Allow: /
        Disallow: /never/
        Content-Usage: train-ai=n
        Content-Usage: /ai-ok/ train-ai=y

        User-Agent: ExampleBot
        Allow: /
        Content-Usage: train-ai=y
        """

    @Test(
        arguments: [
            ("/test", "afcache", "train-ai=n"), ("/ai-ok/test", "afcache", "train-ai=y"),
            ("/test", "ExampleBot", "train-ai=y"),
        ]
    ) func `§3.4: the example of the draft`(path: String, token: String, expected: String) throws {
        #expect(try usage(path, Self.example, token: token) == expected)
    }

    @Test(
        arguments: [
            // §3.2: white space, case of the label, comments, no path, an empty statement.
            ("/a", "  content-usage\t:  train-ai=n  # why", "train-ai=n"),
            ("/a", "CONTENT-USAGE:/a\ttrain-ai=n", "train-ai=n"), ("/a", "Content-Usage: /a", ""),
            ("/a", "Content-Usage:", ""), ("/a", "Content-Usage: # train-ai=n", ""),
            // §3.1: the longest path counts, wherever it stands, and not the statements of the others.
            ("/a/b", "Content-Usage: /a/ ai-input=y\nContent-Usage: ai-input=n, search=n", "ai-input=y"),
            ("/b", "Content-Usage: /a/ ai-input=y\nContent-Usage: ai-input=n", "ai-input=n"),
            ("/", "Content-Usage: / ai-input=y\nContent-Usage: ai-input=n", "ai-input=y"),
            ("/a.gif", "Content-Usage: /*.gif$ ai-input=n", "ai-input=n"),
            ("/a.gif?x", "Content-Usage: /*.gif$ ai-input=n", ""),
            ("/a%20b", "Content-Usage: /a%20 ai-input=n", "ai-input=n"),
            // Of identical paths with contradicting statements, the more restrictive one (vocab §5.1).
            ("/a", "Content-Usage: /a ai-input=y, search=y\nContent-Usage: /a ai-input=n", "ai-input=n, search=y"),
            // A malformed statement says nothing, and its path counts nevertheless.
            ("/a/b", "Content-Usage: ai-input=n\nContent-Usage: /a AI-Input=y", ""),
            // Content-Signal of Cloudflare, with and without a path.
            ("/a", "Content-Signal: search=yes,ai-train=no", "ai-train=n, search=y"),
            ("/a", "Content-signal: search=yes, ai-input=no, ai-train=no", "ai-input=n, ai-train=n, search=y"),
            ("/b", "Content-Signal: /a ai-train=no\nContent-Signal: ai-train=yes", "ai-train=y"),
            // Both are statements of their own, of which the more restrictive applies.
            ("/a", "Content-Usage: /a ai-input=y\nContent-Signal: ai-input=no", "ai-input=n"),
            ("/a", "Allow: /", ""),
        ]
    ) func `§3: the rule with the longest path counts`(path: String, lines: String, expected: String) throws {
        #expect(try usage(path, "User-agent: *\n" + lines) == expected)
    }

    @Test(
        arguments: [
            // The rule belongs to a group, and ends its list of names.
            ("Content-Usage: train-ai=n", ""),
            ("User-agent: x\nContent-Usage: train-ai=n\nUser-agent: *\nAllow: /", ""),
            ("User-agent: *\nContent-Signal: ai-train=no\nUser-agent: afcache\nAllow: /", ""),
            ("User-agent: x\nUser-agent: afcache\nContent-Usage: train-ai=n", "train-ai=n"),
            (
                "User-agent: afcache\nContent-Usage: a=n\nUser-agent: x\nAllow: /\nUser-agent: afcache\nContent-Usage: b=n",
                "a=n, b=n"
            ),
        ]
    ) func `§3.1: the rule belongs to a group`(text: String, expected: String) throws {
        #expect(try usage("/a", text) == expected)
    }

    @Test func `a file without rules about use, or without rules, prefers nothing`() throws {
        let url = try WebURL("http://d.example/a")
        for rules in [RobotsRules.allowAll, .disallowAll] { #expect(rules.usage(of: url).isEmpty) }
    }

    @Test func `a file of many rules costs limited time`() throws {
        let lines = (0..<20_000).map { "Content-Usage: /*a*a*a*a*a*b\($0) ai-input=n\n" }.joined()
        let text = "User-agent: *\nContent-Usage: search=n\n" + lines
        let rules = RobotsRules(parsing: Array(text.utf8), productToken: "afcache")
        #expect(rules.usageRules.count == RobotsRules.usageLimit)
        let url = try WebURL("http://d.example/" + String(repeating: "a", count: 4000))
        #expect(!rules.usage(of: url).isEmpty)
    }
}
