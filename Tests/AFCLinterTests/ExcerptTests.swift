import AFCLinter
import AFCPackageFormat
import TestSupport
import Testing

/// The caret stands under the spot, whatever the line has before it.
struct ExcerptTests {
    /// A line, the spot in it, what a terminal of 40 columns shows, and what stands below.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var line: String
        var column: Int
        var length = 0
        var text: String
        var marks: String
    }

    static let digits = String(repeating: "0123456789", count: 10)

    @Test(arguments: [
        Case(testDescription: "a point", line: "abc", column: 2, text: "abc", marks: " ^"),
        Case(testDescription: "a range", line: "abcdef", column: 2, length: 3, text: "abcdef", marks: " ^~~"),
        Case(testDescription: "one byte", line: "abc", column: 3, length: 1, text: "abc", marks: "  ^"),
        Case(testDescription: "the end of the line", line: "abc", column: 4, text: "abc", marks: "   ^"),
        Case(testDescription: "behind the end", line: "abc", column: 9, length: 3, text: "abc", marks: "   ^"),
        Case(testDescription: "longer than the line", line: "abc", column: 2, length: 9, text: "abc", marks: " ^~"),
        Case(testDescription: "an empty line", line: "", column: 1, text: "", marks: "^"),
        Case(
            testDescription: "behind two bytes of one column",
            line: "ä ; x",
            column: 6,
            text: "ä ; x",
            marks: "    ^"
        ),
        Case(testDescription: "two bytes", line: "aäb", column: 2, length: 2, text: "aäb", marks: " ^"),
        Case(testDescription: "within a character", line: "aäb", column: 3, text: "aäb", marks: " ^"),
        Case(testDescription: "behind wide ones", line: "日本語 ; x", column: 13, text: "日本語 ; x", marks: "         ^"),
        Case(testDescription: "wide ones", line: "a日本", column: 2, length: 6, text: "a日本", marks: " ^~~~"),
        Case(testDescription: "fullwidth", line: "ＡＢ", column: 4, length: 3, text: "ＡＢ", marks: "  ^~"),
        Case(testDescription: "an emoji", line: "😀x", column: 5, text: "😀x", marks: "  ^"),
        Case(testDescription: "combining", line: "e\u{301}x", column: 4, text: "e\u{301}x", marks: " ^"),
        Case(testDescription: "the mark itself", line: "ae\u{301}x", column: 3, text: "ae\u{301}x", marks: " ^"),
        Case(testDescription: "a mark first", line: "\u{301}x", column: 3, text: "\\u{301}x", marks: "       ^"),
        Case(
            testDescription: "Korean in parts",
            line: "\u{1112}\u{1161}\u{11AB}x",
            column: 10,
            text: "한x",
            marks: "  ^"
        ),
        Case(testDescription: "a tab", line: "\tx", column: 2, text: "    x", marks: "    ^"),
        Case(testDescription: "the tab itself", line: "a\tx", column: 2, length: 1, text: "a    x", marks: " ^~~~"),
        Case(
            testDescription: "an escape sequence",
            line: "a\u{1B}[2Jb",
            column: 2,
            length: 1,
            text: "a\\u{1b}[2Jb",
            marks: " ^~~~~~"
        ),
        Case(testDescription: "NUL", line: "\0x", column: 2, text: "\\u{0}x", marks: "     ^"),
        Case(testDescription: "C1", line: "\u{9B}x", column: 3, text: "\\u{9b}x", marks: "      ^"),
        Case(testDescription: "right to left", line: "\u{202E}x", column: 4, text: "\\u{202e}x", marks: "        ^"),
        Case(testDescription: "a soft hyphen", line: "\u{AD}x", column: 3, text: "\\u{ad}x", marks: "      ^"),
        Case(testDescription: "a no-break space", line: "\u{A0}x", column: 3, text: "\\u{a0}x", marks: "      ^"),
        Case(testDescription: "a wide space", line: "a\u{3000}x", column: 5, text: "a\\u{3000}x", marks: "         ^"),
        Case(testDescription: "a filler", line: "\u{3164}x", column: 4, text: "\\u{3164}x", marks: "        ^"),
        Case(testDescription: "private use", line: "\u{E000}x", column: 4, text: "\\u{e000}x", marks: "        ^"),
        Case(
            testDescription: "as wide as there is",
            line: String(digits.prefix(40)),
            column: 40,
            text: String(digits.prefix(40)),
            marks: String(repeating: " ", count: 39) + "^"
        ),
        Case(
            testDescription: "cut at the end",
            line: digits,
            column: 1,
            length: 3,
            text: "01234567890123456789012345678901234567…",
            marks: "^~~"
        ),
        Case(
            testDescription: "cut on both sides",
            line: digits,
            column: 51,
            length: 2,
            text: "…23456789012345678901234567890123456789…",
            marks: String(repeating: " ", count: 19) + "^~"
        ),
        Case(
            testDescription: "cut at the beginning",
            line: digits,
            column: 100,
            length: 1,
            text: "…23456789012345678901234567890123456789",
            marks: String(repeating: " ", count: 38) + "^"
        ),
        Case(
            testDescription: "longer than the terminal is wide",
            line: digits,
            column: 21,
            length: 70,
            text: "…12345678901234567890123456789012345678…",
            marks: String(repeating: " ", count: 10) + "^" + String(repeating: "~", count: 28)
        ),
    ])
    func `a caret marks the place`(item: Case) {
        let excerpt = Excerpt(line: Array(item.line.utf8), column: item.column, length: item.length)
        let marked = excerpt.marked(width: 40)
        #expect(marked.text == item.text)
        #expect(marked.marks == item.marks)
    }

    /// What a line may have, and as how many columns a terminal shows it.
    static let pieces: [(text: String, width: Int)] = [
        ("a", 1), ("é", 1), ("日", 2), ("e\u{301}\u{327}", 1), ("\t", 4), ("\u{1B}", 6), ("😀", 2), ("\u{202E}", 8),
    ]

    @Test func `in any line, cut to any width, the caret marks the place`() {
        var random: UInt64 = 1
        func next(below limit: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % limit
        }
        for _ in 0..<3000 {
            let line = (0..<next(below: 60)).map { _ in Self.pieces[next(below: Self.pieces.count)] }
            let spot = next(below: line.count + 1)
            let before = line[..<spot].map(\.text).joined()
            let bytes = Array((before + "#" + line[spot...].map(\.text).joined()).utf8)
            let width = 20 + next(below: 100)
            let marked = Excerpt(line: bytes, column: before.utf8.count + 1, length: 1).marked(width: width)
            let shown = marked.text.split(separator: "#", omittingEmptySubsequences: false).map(Self.columns)
            #expect(shown.count == 2)
            #expect(marked.marks == String(repeating: " ", count: shown[0]) + "^")
            #expect(shown[0] + 1 + shown[1] <= width, "\(marked.text)")
            let total = line.reduce(1) { $0 + $1.width }
            #expect(marked.text.contains("…") == (total > width))
        }
    }

    /// The columns of a text in which nothing is left that needs an escape.
    static func columns(_ text: Substring) -> Int { text.reduce(0) { $0 + ($1 == "日" || $1 == "😀" ? 2 : 1) } }

    @Test func `bytes that aren't text are shown as such`() {
        let excerpt = Excerpt(line: [0x61, 0xE4, 0x62, 0xFF, 0x63], column: 5)
        #expect(excerpt.marked(width: 40).text == "a\\xe4b\\xffc")
        #expect(excerpt.marked(width: 40).marks == "          ^")
    }

    @Test(arguments: [1, 500, 1025, 5000, 9_999, 10_000, 10_001])
    func `a long line is cut after 4 KiB, between characters`(column: Int) throws {
        let line = Array(String(repeating: "aä", count: 3_333).utf8) + [0x61]
        let excerpt = Excerpt(line: line, column: column, length: 3)
        #expect(excerpt.bytes.count <= 4096)
        #expect(excerpt.bytes.count >= 4000)
        #expect(String(validating: excerpt.bytes, as: UTF8.self) != nil)
        let before = line.prefix(column - 1).suffix(excerpt.column - 1)
        #expect(Array(before) == Array(excerpt.bytes.prefix(excerpt.column - 1)))
        #expect(excerpt.lacksStart == (column > 1025))
        #expect(excerpt.lacksEnd == (column < 7000))
        for width in [0, 20, 80, 5000] {
            let marked = excerpt.marked(width: width)
            #expect(marked.text.count <= max(20, width))
            #expect(marked.marks.count <= max(20, width))
        }
    }

    @Test func `findings have the lines they are about, in manifests and in packages`() async throws {
        let line = "http://d.example/a ; tomorrow ; NULL ; text/plain"
        let manifest = "\u{FEFF}" + RuleFixture.line("0") + "\r\n" + line + "\r\n"
        let scratch = try Scratch()
        let bare = try scratch.write(Array(manifest.utf8), to: "manifest.afcache")
        let package = scratch.path("p.zip")
        let members: KeyValuePairs = ["manifest.afcache": manifest, "d.example/a": "body", "d.example/0": "body"]
        _ = try await Sample.write(members, to: package)
        for path in [bare, package] {
            let findings = Linter.lint(path, options: .init(now: LinterTests.now)).findings
            let excerpts = Dictionary(findings.map { ($0.rule, $0.excerpt) }) { one, _ in one }
            #expect(excerpts["date.invalid"] == Excerpt(line: Array(line.utf8), column: 22, length: 8))
            let first = Array(RuleFixture.line("0").utf8.dropLast())
            #expect(excerpts["manifest.byte-order-mark"] == Excerpt(line: first, column: 1))
            #expect(excerpts["manifest.crlf"] == Excerpt(line: [UInt8](), column: 1))
        }
    }

    @Test func `as many findings as requested have a line`() throws {
        let manifest = (10..<20).map { RuleFixture.line("\($0)", type: "html\($0)") }.joined()
        let scratch = try Scratch()
        let path = try scratch.write(Array(manifest.utf8), to: "m")
        var options = Linter.Options(now: LinterTests.now)
        options.excerptLimit = 3
        let findings = Linter.lint(path, options: options).findings
        #expect(findings.count > 9)
        #expect(findings.count { $0.excerpt != nil } == 3)
    }

    @Test func `a finding is shown with its line, plain or colored`() {
        var finding = Finding(
            file: "m",
            place: .manifest(line: 2, column: 3),
            severity: .warning,
            rule: "a.b",
            sentence: "it is wrong"
        )
        finding.excerpt = Excerpt(line: Array("abcdef".utf8), column: 3, length: 2)
        #expect(FindingStyle().lines(finding) == ["m:2:3: warning: it is wrong [a.b]"])
        #expect(
            FindingStyle(showsContext: true).lines(finding) == [
                "m:2:3: warning: it is wrong [a.b]", "    abcdef", "      ^~",
            ]
        )
        #expect(
            FindingStyle(isColored: true, showsContext: true).lines(finding) == [
                "\u{1B}[1mm:2:3\u{1B}[0m: \u{1B}[1;33mwarning\u{1B}[0m: it is wrong \u{1B}[2m[a.b]\u{1B}[0m",
                "    abcdef", "      \u{1B}[1;32m^~\u{1B}[0m",
            ]
        )
    }
}
