import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct LinearRegexTests {
    // What Python's re.search answers; a letter beyond ASCII excepted.
    @Test(
        arguments: [
            ("", "", true), ("", "a", true), ("a", "", false), ("b", "abc", true), ("^b", "abc", false),
            ("^a", "abc", true), ("c$", "abc", true), ("b$", "abc", false), ("^$", "", true), ("^$", "a", false),
            ("a.c", "abc", true), ("a.c", "ac", false), ("a|b", "xb", true), ("^(a|b)$", "ab", false),
            ("^a|b$", "ac", true), ("(|a)b", "b", true), ("a||b", "x", true),
            ("ab*c", "ac", true), ("ab*c", "abbbc", true), ("ab+c", "ac", false), ("ab?c", "abc", true),
            ("^ab?c", "abbc", false), ("^a{2}$", "aa", true), ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaa", true),
            ("^a{2,3}$", "aaaa", false), ("^a{0}b", "b", true), ("^a{0}b", "ab", false), ("a{,2", "a{,2", true),
            ("a{x}", "a{x}", true), ("^a*?$", "aaa", true), ("^a+?b", "aab", true), ("^(ab){2}$", "abab", true),
            ("^(a*)*$", "aaa", true), ("^(a*)*b", "aaa", false), ("(a|b|)*c", "abc", true),
            ("^(a?){3}$", "aaaa", false),
            ("^(?:a|bc)+$", "abca", true), ("(?P<year>[0-9]{4})", "/2024/", true), ("(?i)ABC", "xabcx", true),
            ("ABC", "abc", false), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false), ("(?s)a.b", "a/b", true),
            ("[abc]", "c", true), ("[^abc]", "c", false), ("[^abc]", "d", true), ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false), ("[]]", "]", true), ("[^]]", "]", false), ("[a-]", "-", true), ("[-a]", "-", true),
            ("[\\d_]+$", "a_1", true), ("[^\\d]", "1", false), ("[\\]]", "]", true), ("[.]", "a", false),
            ("(?i)[^a]", "A", false), ("(?i)[a-c]", "B", true), ("[*+?]", "+", true), ("[\\w.-]+@", "a.b-c@", true),
            ("\\d{4}/\\d\\d", "/2024/05", true), ("\\D", "12", false), ("\\w", "_", true), ("\\W", "ab", false),
            ("\\s", "a b", true), ("\\S", " ", false), ("\\bcat\\b", "a cat!", true), ("\\bcat\\b", "concat", false),
            ("\\Bcat", "concat", true), ("\\b", "", false), ("\\Aa", "ba", false), ("a\\Z", "ab", false),
            ("\\.html\\?", "/a.html?b", true), ("\\.html", "/ahtml", false), ("\\x41", "A", true), ("\\/a", "/a", true),
            ("/v[0-9]+/", "http://docs.example/v12/a", true), ("a-b", "a-b", true), ("a\\-b", "a-b", true),
            ("é", "/caf%C3%A9", true), ("^é+$", "%c3%a9%C3%A9", true), ("é", "/cafe", false),
        ]
    ) func `an expression is found where Python's re finds it`(pattern: String, text: String, expected: Bool) throws {
        #expect(try LinearRegex(pattern).isFound(in: text) == expected)
    }

    @Test(
        arguments: [
            ("(", .malformed("a '(' isn't closed")), (")", .malformed("unmatched ')'")),
            ("a)", .malformed("unmatched ')'")), ("[a", .malformed("a '[' isn't closed")),
            ("[", .malformed("a '[' isn't closed")), ("*a", .malformed("there is nothing before '*' to repeat")),
            ("a|+", .malformed("there is nothing before '+' to repeat")),
            ("\\", .malformed("it ends with a backslash")),
            ("a**", .malformed("two quantifiers in a row")),
            ("[z-a]", .malformed("invalid range in a set")),
            ("[\\d-z]", nil), ("a{3,2}", .malformed("a count's maximum is below its minimum")),
            ("(a)\\1", .unsupported("a backreference")), ("(?=a)", .unsupported("lookahead")),
            ("(?!a)", .unsupported("lookahead")), ("(?<=a)", .unsupported("lookbehind")),
            ("(?<!a)", .unsupported("lookbehind")), ("(?>a)", .unsupported("an atomic group")),
            ("a++", .unsupported("a possessive quantifier")), ("\\p{L}", .unsupported("'\\p'")),
            ("[[:alpha:]]", .unsupported("'[:'")), ("[ä]", .unsupported("'ä' in a set")), ("a{1001}", .tooLarge),
            ("((a{100}){100}){100}", .tooLarge), ("((){1000}){1000}", .tooLarge),
            ("(((){1000}){1000}){1000}", .tooLarge),
            (String(repeating: "(", count: 101) + String(repeating: ")", count: 101), .tooLarge),
        ] as [(String, LinearRegex.Malformation?)]
    ) func `an expression that needs several passes is refused with the reason`(
        pattern: String,
        expected: LinearRegex.Malformation?
    ) {
        var malformation: LinearRegex.Malformation?
        do throws(LinearRegex.Malformation) {
            _ = try LinearRegex(pattern)
        } catch {
            malformation = error
        }
        #expect(malformation == expected)
    }

    @Test(
        arguments: ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]$", "(a?){200}a{200}b"]
    ) func `expressions prone to endless backtracking match in one pass`(pattern: String) throws {
        let regex = try LinearRegex(pattern)
        // 8 KiB is the longest URL that is asked for.
        let isFound = regex.isFound(in: String(repeating: "a", count: 8191) + "!")
        #expect(!isFound)
    }
}
