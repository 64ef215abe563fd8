import AFCLinter
import AFCPackageFormat
import Testing

struct ManifestFixTests {
    static let date = "Sat, 27 Mar 2004 18:43:30 GMT"

    static func fix(_ text: String, members: Set<String> = [], allowsUnsafe: Bool = false) throws -> ManifestFix {
        try fix(Array(text.utf8), members: members, allowsUnsafe: allowsUnsafe)
    }

    static func fix(_ bytes: [UInt8], members: Set<String> = [], allowsUnsafe: Bool = false) throws -> ManifestFix {
        try ManifestFix(bytes, path: "m", allowsUnsafe: allowsUnsafe, isMember: members.contains)
    }

    /// Each defect alone: what stands there, what should, and how often it was mended.
    @Test(
        arguments: [
            (ManifestDefect.byteOrderMark, "\u{FEFF}http://d.example/a ; NULL ; NULL ; NULL\n", nil, 1),
            (.crlf, "http://d.example/a ; NULL ; NULL ; NULL\r\nhttp://d.example/b ; NULL ; NULL ; NULL\r\n", nil, 1),
            (.lastLineEnd, "http://d.example/a ; NULL", "http://d.example/a ; NULL\n", 1),
            (.blankLine, "\nhttp://d.example/a ; NULL\n \t\n\n", "http://d.example/a ; NULL\n", 3),
            (.whiteSpace, " http://d.example/a  ;  NULL\t\n", "http://d.example/a ; NULL\n", 1),
            (.whiteSpace, "baseURL = http://d.example/ \n", "baseURL = http://d.example/\n", 1),
            (.emptyField, "http://d.example/a ;  ;  ; a/b\n", "http://d.example/a ; NULL ; NULL ; a/b\n", 2),
            (.trailingDelimiter, "http://d.example/a ; NULL ; \n", "http://d.example/a ; NULL ; NULL\n", 1),
            (
                .trailingDelimiter, "http://d.example/a ; NULL ; NULL ;\n", "http://d.example/a ; NULL ; NULL ; NULL\n",
                1
            ),
            (
                .trailingDelimiter, "http://d.example/a ; NULL ; NULL ; a/b ;\n",
                "http://d.example/a ; NULL ; NULL ; a/b ; NULL\n", 1
            ),
            (
                .trailingDelimiter, "http://d.example/a ; NULL ; NULL ; a/b ; \n",
                "http://d.example/a ; NULL ; NULL ; a/b ; NULL\n", 1
            ),
            (
                .mixedDialects,
                "http://d.example/a ; NULL\nhttp://d.example/b ; NULL ; NULL\nhttp://d.example/c ; NULL ; NULL ; a/b\n",
                "http://d.example/a ; NULL ; NULL ; NULL\nhttp://d.example/b ; NULL ; NULL ; NULL\nhttp://d.example/c ; NULL ; NULL ; a/b\n",
                2
            ),
            (
                .lateHeader, "http://d.example/a ; NULL\nbaseURL = http://d.example/\n",
                "baseURL = http://d.example/\nhttp://d.example/a ; NULL\n", 1
            ),
            (
                .order, "http://d.example/b ; NULL\nhttp://d.example/c ; NULL\nhttp://d.example/a ; NULL\n",
                "http://d.example/a ; NULL\nhttp://d.example/b ; NULL\nhttp://d.example/c ; NULL\n", 1
            ),
            (
                .duplicate, "http://d.example/a ; \(date)\nhttp://d.example/b ; NULL\nhttp://d.example/a ; \(date)\n",
                "http://d.example/a ; \(date)\nhttp://d.example/b ; NULL\n", 1
            ),
            (.url, "HTTP://D.EXAMPLE:80/x/../ä b ; NULL\n", "http://d.example/%C3%A4%20b ; NULL\n", 1),
            (.fragment, "http://d.example/a#top ; NULL\n", "http://d.example/a ; NULL\n", 1),
            (.date, "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT+00:00\n", "http://d.example/a ; \(date)\n", 1),
            (.date, "http://d.example/a ; Saturday, 27-Mar-04 18:43:30 GMT\n", "http://d.example/a ; \(date)\n", 1),
            (.date, "http://d.example/a ; Sat Mar 27 18:43:30 2004\n", "http://d.example/a ; \(date)\n", 1),
            (.date, "http://d.example/a ; 2004-03-27T19:43:30+01:00\n", "http://d.example/a ; \(date)\n", 1),
            (
                .date, "http://d.example/a ; 2004-03-27\n", "http://d.example/a ; Sat, 27 Mar 2004 00:00:00 GMT\n", 1
            ),
            (
                .date, "http://d.example/a ; 2004-03-27T18:43Z\n",
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:00 GMT\n", 1
            ),
            (.date, "http://d.example/a ; 1080413010\n", "http://d.example/a ; \(date)\n", 1),
            (.date, "http://d.example/a ; sat, 27 mar 2004 18:43:30 gmt\n", "http://d.example/a ; \(date)\n", 1),
            (.weekday, "http://d.example/a ; Mon, 27 Mar 2004 18:43:30 GMT\n", "http://d.example/a ; \(date)\n", 1),
            (
                .mediaType, "http://d.example/a ; NULL ; NULL ; Text/HTML;charset=\"utf-8\"\n",
                "http://d.example/a ; NULL ; NULL ; text/html; charset=utf-8\n", 1
            ),
        ] as [(ManifestDefect, String, String?, Int)]
    )
    func `a defect is fixed`(defect: ManifestDefect, before: String, after: String?, count: Int) throws {
        let fix = try Self.fix(before, allowsUnsafe: defect.isUnsafe)
        // A text without its mark, and without CR, where no other is given.
        let expected =
            after ?? String(String.UnicodeScalarView(before.unicodeScalars.filter { $0 != "\u{FEFF}" && $0 != "\r" }))
        #expect(String(decoding: fix.bytes, as: UTF8.self) == expected)
        #expect(fix.mended[defect] == count)
        #expect(fix.isNeeded)
        #expect(try !Self.fix(fix.bytes, allowsUnsafe: defect.isUnsafe).isNeeded)
        guard defect.isUnsafe else { return }
        let safe = try Self.fix(before)
        #expect(!safe.isNeeded && safe.withheld > 0)
    }

    @Test(arguments: [
        // What only a person knows.
        "http://d.example/a ; tomorrow ; NULL ; NULL\n",
        "http://d.example/a ; NULL ; NULL ; text html\n",
        // The 0.13 packager's mistake, and an expiry before the last change: what is read is what stands there.
        "http://d.example/a ; \(date) ; \(date)\n",
        "http://d.example/a ; \(date) ; Fri, 26 Mar 2004 18:43:30 GMT\n",
        // Years that readers put into different centuries, and a parameter that the normal form would lose.
        "http://d.example/a ; Sunday, 06-Nov-77 08:49:37 GMT\n",
        "http://d.example/a ; NULL ; NULL ; text/html;foo\n",
        // Dialects that somebody chose, mixed or not: 0.6 reads three fields only, 0.13 the header on its first line only.
        "http://d.example/a ; NULL ; NULL\nhttp://d.example/b ; NULL ; NULL ; a/b\n",
        "http://d.example/b ; NULL ; NULL\nbaseURL = http://d.example/\nhttp://d.example/a ; NULL ; NULL\n",
        // The same entry for us, and another for an older reader.
        "http://d.example/a ; NULL ; NULL\nhttp://d.example/a ; NULL ; NULL ; NULL ; NULL\n",
        "http://d.example/a ; NULL ; NULL\nhttp://D.example/a ; NULL ; NULL\n",
        // What may be an entry, and is cut as a header.
        "http://d.example/b ; NULL\nhttp://d.example/c = d\nhttp://d.example/a ; NULL\n",
        "http://d.example/a ; NULL\nhttp://d.example/b ; NULL ; NULL\n",
        "http://d.example/a ; NULL ; NULL ; a/b\nhttp://d.example/b ; NULL ; NULL ; a/b ; d.example/c\n",
        "baseURL = http://d.example/\nhttp://d.example/a ; NULL ; NULL ; a/b ; d.example/a\n",
        // Errors.
        "http://d.example/b ; NULL\nhttp://d.example/a ; NULL\nno entry\n",
        "http://d.example/b ; \(date)\nhttp://d.example/a#x ; NULL\nhttp://d.example/a ; \(date)\n",
        "http://d.example/b ; NULL\nhttp://d.example/a\u{1} ; NULL\nhttp://u:p@d.example/a ; NULL\n",
        "http://d.example/a ; NULL\n\u{FEFF}\u{FEFF}x",
        "http://d.example/a ; NULL\r",
        "",
    ])
    func `correct lines, and those without a safe fix, are unchanged`(text: String) throws {
        let fix = try Self.fix(text)
        #expect(String(decoding: fix.bytes, as: UTF8.self) == text)
        #expect(!fix.isNeeded)
        #expect(fix.mended.isEmpty)
    }

    @Test func `bytes that aren't UTF-8 are kept, and so is the order of all lines`() throws {
        let text =
            Array("http://d.example/b ; NULL \nhttp://d.example/".utf8) + [0xE4]
            + Array(" ; NULL \r\nhttp://d.example/a ; NULL\n".utf8)
        let expected =
            Array("http://d.example/b ; NULL\nhttp://d.example/".utf8) + [0xE4]
            + Array(" ; NULL \nhttp://d.example/a ; NULL\n".utf8)
        #expect(try Self.fix(text).bytes == expected)
    }

    /// What was meant as a delimiter and isn't, where it is in the line, and the rest of the line.
    static let oddDelimiters: [(line: String, column: Int, text: String)] = [
        ("http://d.example/a\t;\t\(date) ; NULL ; text/html", 19, "\t;\t"),
        ("http://d.example/a; \(date) ; NULL ; text/html", 19, "; "),
        ("http://d.example/a ;\(date) ; NULL ; text/html", 19, " ;"),
        ("http://d.example/a;\(date) ; NULL ; text/html", 19, ";"),
        ("http://d.example/a;NULL; \(date) ; text/html", 19, ";"),
        ("http://d.example/a\u{A0};\u{A0}\(date) ; NULL ; text/html", 19, "\u{A0};\u{A0}"),
        ("http://d.example/a；\(date) ; NULL ; text/html", 19, "；"),
        ("http://d.example/a\t\(date) ; NULL ; text/html", 19, "\t"),
        ("http://d.example/a , \(date) ; NULL ; text/html", 19, " "),
        ("http://d.example/a b \(date) ; NULL ; text/html", 21, " "),
        ("http://d.example/a ; \(date)\t;\tNULL ; text/html", 51, "\t;\t"),
        ("http://d.example/a ; NULL; \(date) ; text/html", 26, "; "),
        ("http://d.example/a ; NULL ; \(date);text/html", 58, ";"),
        ("http://d.example/a ; NULL ; NULL ; Text/HTML; d.example/b", 45, "; "),
        ("http://d.example/a ; NULL ; NULL ; text/html;charset=utf-8; d.example/b", 59, "; "),
    ]

    @Test(arguments: oddDelimiters)
    func `a line with a mistyped delimiter is kept unchanged and reported`(
        line: String,
        column: Int,
        text: String
    ) throws {
        for end in ["", "\n", " \n", "\r\n"] {
            // Its neighbours are fixed, and none of them moves.
            let before = "http://d.example/c ;  ; NULL ; NULL\n" + line + end
            let fix = try Self.fix(before)
            let kept = end.hasPrefix(" ") ? line + " " : line
            #expect(String(decoding: fix.bytes, as: UTF8.self) == "http://d.example/c ; NULL ; NULL ; NULL\n\(kept)\n")
            #expect(try !Self.fix(fix.bytes, allowsUnsafe: true).isNeeded)
        }
        let problems = Self.problems(line + "\n").filter { $0.rule == "manifest.odd-delimiter" }
        #expect(problems.map(\.place) == [.manifest(line: 1, column: column)], "\(line)")
        #expect(problems.first?.length == text.utf8.count)
        #expect(problems.first?.sentence.contains("looks like the delimiter ' ; ' but isn't") == true)
    }

    @Test(arguments: [
        "http://d.example/a;b ; NULL", "http://d.example/a;jsessionid=1?b;c ; NULL", "http://d.example/a b ; NULL",
        "http://D.example/a;b ; \(date)", "http://d.example/1;2 2004-03-27 ; \(date)", "http://d.example/é;b ; NULL",
        "http://d.example/a ; tomorrow ; NULL ; text/html;charset=utf-8",
        "http://d.example/a ; NULL ; NULL ; text/html;",
        "http://d.example/a ; NULL ; NULL ; text/html; a=\"b; c\"",
    ])
    func `a semicolon inside a field is no delimiter`(line: String) throws {
        #expect(!Self.problems(line + "\n").contains { $0.rule == "manifest.odd-delimiter" })
    }

    static func problems(_ manifest: String) -> [PackageProblem] {
        var reader = ManifestReader(Array(manifest.utf8))
        while reader.next() != nil {}
        return reader.problems
    }

    @Test func `old readers read these manifests the same after a fix`() throws {
        let readers = OtherReaders()
        for (line, _, _) in Self.oddDelimiters {
            let fix = try Self.fix(" \(line)\nhttp://d.example/c ;  ; \(Self.date)+00:00 ; NULL")
            readers.add(
                Array(" \(line)\nhttp://d.example/c ;  ; \(Self.date)+00:00 ; NULL".utf8),
                fix.bytes,
                name: line
            )
        }
        try readers.expectNoDifferences()
    }

    @Test func `old readers notice if a line gets other fields`() throws {
        let readers = OtherReaders()
        for before in ["http://D.example/A ; NULL ; NULL\n", "http://d.example/a\t;\tNULL ; NULL\n"] {
            let line = "http://d.example/A ; NULL ; NULL ; NULL ; D.example/A\n"
            readers.add(Array(before.utf8), Array(line.utf8), name: before)
        }
        #expect(try readers.differences().count >= 3)
    }

    /// The names that a reader tries depend on the URL's text; docs/reference/format.md, "Where the body lies".
    @Test(arguments: [
        // The decoded name is tried, too.
        ("http://d.example/a b ; NULL\n", ["d.example/a b"], "http://d.example/a%20b ; NULL\n"),
        // Only the text as it stands leads there.
        ("http://D.example/A ; NULL\n", ["D.example/A"], "http://D.example/A ; NULL\n"),
        (
            "http://D.example/A ; NULL ; NULL ; a/b\n", ["D.example/A", "d.example/A"],
            "http://D.example/A ; NULL ; NULL ; a/b\n"
        ),
        (
            "http://D.example/A ; NULL ; NULL ; a/b ; NULL\n", ["D.example/A"],
            "http://D.example/A ; NULL ; NULL ; a/b ; NULL\n"
        ),
        // The member is named already.
        (
            "http://D.example/A ; NULL ; NULL ; a/b ; x\n", ["D.example/A", "x"],
            "http://d.example/A ; NULL ; NULL ; a/b ; x\n"
        ),
        // A name that no field can hold.
        ("http://D.example/a ;b ; NULL\n", ["D.example/a ;b"], "http://D.example/a ;b ; NULL\n"),
        // A semicolon that may have been meant as the delimiter.
        ("http://D.example; ; NULL\n", [], "http://D.example; ; NULL\n"),
        // Neither leads anywhere.
        ("http://D.example/A ; NULL\n", ["d.example/B"], "http://d.example/A ; NULL\n"),
    ])
    func `a body is found where it was`(before: String, members: [String], after: String) throws {
        let fix = try Self.fix(before, members: Set(members))
        #expect(String(decoding: fix.bytes, as: UTF8.self) == after)
        #expect(try !Self.fix(fix.bytes, members: Set(members)).isNeeded)
    }

    /// The same where lines may get a name, and more fields for it.
    @Test(arguments: [
        (
            "http://D.example/A ; NULL\n", ["D.example/A"],
            "http://d.example/A ; NULL ; NULL ; NULL ; D.example/A\n"
        ),
        (
            "http://D.example/A ; NULL ; NULL ; a/b\n", ["D.example/A", "d.example/A"],
            "http://d.example/A ; NULL ; NULL ; a/b ; D.example/A\n"
        ),
        (
            "http://D.example/A ; NULL ; NULL ; a/b ; NULL\n", ["D.example/A"],
            "http://d.example/A ; NULL ; NULL ; a/b ; D.example/A\n"
        ),
        (
            "http://d.example/a#b ; NULL ; NULL ; a/b\n", ["d.example/a#b"],
            "http://d.example/a ; NULL ; NULL ; a/b ; d.example/a#b\n"
        ),
        // A name made by naming one member makes four fields of the other lines.
        (
            "http://D.example/A ; NULL\nhttp://d.example/B ; NULL\n", ["D.example/A", "d.example/B"],
            "http://d.example/A ; NULL ; NULL ; NULL ; D.example/A\nhttp://d.example/B ; NULL ; NULL ; NULL\n"
        ),
    ])
    func `an unsafe fix names the member if the new URL implies another`(
        before: String,
        members: [String],
        after: String
    ) throws {
        let safe = try Self.fix(before, members: Set(members))
        #expect(String(decoding: safe.bytes, as: UTF8.self) == before && safe.withheld == 1)
        let fix = try Self.fix(before, members: Set(members), allowsUnsafe: true)
        #expect(String(decoding: fix.bytes, as: UTF8.self) == after)
        #expect(try !Self.fix(fix.bytes, members: Set(members), allowsUnsafe: true).isNeeded)
    }
}
