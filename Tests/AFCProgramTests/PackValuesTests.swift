import AFCCrawlRules
import AFCHTTP
import AFCText
import Testing

@testable import AFCProgram

/// The values of options of `afcache pack` that have a form of their own.
struct PackValuesTests {
    @Test(
        arguments: [
            ("index.html", .application("index.html")), ("a/404.html=404", .missing("a/404.html")),
            ("app.html=200", .application("app.html")), ("none", .none),
            // The name of a file may contain the sign.
            ("a=b.html", .application("a=b.html")), ("a=5=200", .application("a=5")),
        ] as [(String, FallbackPage)]
    )
    func `a page for missing URLs is a path with a status`(text: String, expected: FallbackPage) throws {
        #expect(try FallbackPage(argument: text) == expected)
    }

    @Test(
        arguments: [
            ("file", .file), ("now", .shifted(0)), ("+1h", .shifted(3600)), ("-1d12h", .shifted(-129_600)),
            ("2027-01-01", .date(Timestamp(secondsSinceEpoch: 1_798_761_600))),
        ] as [(String, LastModified)]
    )
    func `a last change is that of the file, now, before or after, or a date`(text: String, expected: LastModified)
        throws
    {
        #expect(try LastModified(argument: text) == expected)
    }

    @Test func `a rule for queries is a word, or names a parameter to drop`() throws {
        #expect(try QueryRule(argument: "tracking") == .mode(.tracking))
        #expect(try QueryRule(argument: "drop=utm_*") == .drop(Glob("utm_*")))
        // A parameter may have the name of a rule.
        #expect(try QueryRule(argument: "drop=keep") == .drop(Glob("keep")))
        #expect(try TrapRule(argument: "off") == .off)
        #expect(try TrapRule(argument: "100000") == .limit(100_000))
    }

    @Test(arguments: ["", "=404", "a=500", "a="]) func `another status of a page is refused`(text: String) {
        #expect(throws: (any Error).self) { try FallbackPage(argument: text) }
    }

    @Test(arguments: ["", "utm_*", "drop=", "Keep"]) func `another rule for queries is refused`(text: String) {
        #expect(throws: (any Error).self) { try QueryRule(argument: text) }
    }

    @Test(arguments: ["", "0", "-1", "on", "1.5"]) func `another limit for traps is refused`(text: String) {
        #expect(throws: (any Error).self) { try TrapRule(argument: text) }
    }

    @Test(arguments: ["", "+", "yesterday", "1h", "+1.5s"]) func `another last change is refused`(text: String) {
        #expect(throws: (any Error).self) { try LastModified(argument: text) }
    }
}
