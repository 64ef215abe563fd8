import AFCPackageFormat
import Testing

struct ProblemSpanTests {
    static let date = "Sat, 27 Mar 2004 18:43:30 GMT"
    static let url = "http://d.example/a"

    /// Each manifest has one problem; its text begins at the column, which is counted by hand.
    @Test(
        arguments: [
            ("\(url) ; tomorrow ; NULL ; a/b\n", "date.invalid", 1, 22, "tomorrow", 0),
            ("\(url) ; NULL ; 1080413010 ; a/b\n", "date.not-imf-fixdate", 1, 29, "1080413010", 0),
            ("\(url) ; \(date) ; \(date) ; a/b\n", "date.expires-equals-last-modified", 1, 54, date, 0),
            ("\(url) ; NULL ; NULL ; A/b\n", "type.not-normal", 1, 36, "A/b", 0),
            ("\n\(url) ; NULL ; NULL ; html\n", "type.invalid", 2, 36, "html", 1),
            ("  \(url)#b  ; NULL\n", "url.fragment", 1, 21, "#b", 0),
            ("http://D.example/ ; NULL\n", "url.not-normal", 1, 1, "http://D.example/", 0),
            ("a ; NULL\n", "url.invalid", 1, 1, "a", 0),
            ("\(url)\u{1} ; NULL\n", "manifest.control-character", 1, 19, "\u{1}", 0),
            ("\(url) ; NULL\n\(url) ; NULL\n", "manifest.duplicate", 2, 1, url, 26),
            ("\(url) ; NULL\n \(url) ; \(date)\n", "manifest.conflicting-duplicate", 2, 2, url, 26),
            ("http://d.example/b ; NULL\n\(url) ; NULL\n", "manifest.unsorted", 2, 1, url, 26),
            ("\(url) ; NULL\n a b \n", "manifest.malformed-line", 2, 2, "a b", 26),
            ("\(url) ; NULL\nk = v\n", "manifest.unknown-header", 2, 1, "k", 26),
            ("\(url) ; NULL\r\n", "manifest.crlf", 1, 26, "\r", 0),
            ("\(url) ; NULL\n\(url)b ; NULL", "manifest.no-last-line-end", 2, 27, "", 26),
            ("\u{FEFF}\(url) ; NULL\n", "manifest.byte-order-mark", 1, 1, "", 3),
            ("\n", "manifest.empty", 1, 1, "", 0),
        ] as [(String, String, Int, Int, String, Int)]
    )
    func `a problem says where it begins and how long it is`(
        manifest: String,
        rule: String,
        line: Int,
        column: Int,
        text: String,
        offset: Int
    ) throws {
        let bytes = Array(manifest.utf8)
        let problem = try #require(Self.problems(bytes).first)
        #expect(problem.rule == rule)
        #expect(problem.place == .manifest(line: line, column: column))
        #expect(problem.length == text.utf8.count)
        #expect(problem.offset == offset)
        #expect(bytes[(offset + column - 1)...].starts(with: text.utf8))
    }

    @Test func `bytes that aren't a character are shown in place`() {
        let bytes = Array("ä\(Self.url)".utf8) + [0xE4, 0xB8, 0x20] + Array("; NULL\n".utf8)
        #expect(
            Self.problems(bytes) == [
                PackageProblem(.notUTF8, at: .manifest(line: 1, column: 21), length: 2, offset: 0)
            ]
        )
    }

    @Test func `a missing body is reported at the field that names it`() {
        func problems(_ line: String) -> [PackageProblem] {
            PackageIndex(members: [], manifest: Array(line.utf8), info: nil).problems
        }
        let byRule = problems("\(Self.url) ; NULL\n")
        #expect(byRule.map(\.place) == [.manifest(line: 1, column: 1)])
        #expect(byRule.map(\.length) == [18])
        let named = problems("\(Self.url) ; NULL ; NULL ; a/b ; d.example/x\n")
        #expect(named.map(\.place) == [.manifest(line: 1, column: 42)])
        #expect(named.map(\.length) == [11])
    }

    static func problems(_ bytes: [UInt8]) -> [PackageProblem] {
        var reader = ManifestReader(bytes)
        while reader.next() != nil {}
        return reader.problems
    }
}
