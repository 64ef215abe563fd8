import Linter
import PackageFormat
import Testing

struct ManifestFixTests {
    static let date = "Sat, 27 Mar 2004 18:43:30 GMT"

    static func fix(_ text: String, members: Set<String> = []) throws -> ManifestFix {
        try fix(Array(text.utf8), members: members)
    }

    static func fix(_ bytes: [UInt8], members: Set<String> = []) throws -> ManifestFix {
        try ManifestFix(bytes, path: "m", isMember: members.contains)
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
            (.emptyField, "http://d.example/a ;  ; \n", "http://d.example/a ; NULL ; NULL\n", 2),
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
            (.date, "http://d.example/a ; 1080413010\n", "http://d.example/a ; \(date)\n", 1),
            (.date, "http://d.example/a ; sat, 27 mar 2004 18:43:30 gmt\n", "http://d.example/a ; \(date)\n", 1),
            (.weekday, "http://d.example/a ; Mon, 27 Mar 2004 18:43:30 GMT\n", "http://d.example/a ; \(date)\n", 1),
            (
                .mediaType, "http://d.example/a ; NULL ; NULL ; Text/HTML;charset=\"utf-8\"\n",
                "http://d.example/a ; NULL ; NULL ; text/html; charset=utf-8\n", 1
            ),
        ] as [(ManifestDefect, String, String?, Int)]
    )
    func `a defect is mended`(defect: ManifestDefect, before: String, after: String?, count: Int) throws {
        let fix = try Self.fix(before)
        // A text without its mark, and without CR, where no other is given.
        let expected =
            after ?? String(String.UnicodeScalarView(before.unicodeScalars.filter { $0 != "\u{FEFF}" && $0 != "\r" }))
        #expect(String(decoding: fix.bytes, as: UTF8.self) == expected)
        #expect(fix.mended[defect] == count)
        #expect(fix.isNeeded)
        #expect(try !Self.fix(fix.bytes).isNeeded)
    }

    @Test(arguments: [
        // What only a person knows.
        "http://d.example/a ; tomorrow ; NULL ; NULL\n",
        "http://d.example/a ; NULL ; NULL ; text html\n",
        // The 0.13 packager's mistake, and an expiry before the last change: what is read is what stands there.
        "http://d.example/a ; \(date) ; \(date)\n",
        "http://d.example/a ; \(date) ; Fri, 26 Mar 2004 18:43:30 GMT\n",
        // Dialects that somebody chose.
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
    func `what is as it should be, or isn't safe, stays`(text: String) throws {
        let fix = try Self.fix(text)
        #expect(String(decoding: fix.bytes, as: UTF8.self) == text)
        #expect(!fix.isNeeded)
        #expect(fix.mended.isEmpty)
    }

    @Test func `bytes that are no UTF-8 stay, and keep all lines in their order`() throws {
        let text =
            Array("http://d.example/b ; NULL \nhttp://d.example/".utf8) + [0xE4]
            + Array(" ; NULL \r\nhttp://d.example/a ; NULL\n".utf8)
        let expected =
            Array("http://d.example/b ; NULL\nhttp://d.example/".utf8) + [0xE4]
            + Array(" ; NULL \nhttp://d.example/a ; NULL\n".utf8)
        #expect(try Self.fix(text).bytes == expected)
    }

    /// The names that a reader tries depend on the URL's text; docs/format.md, "Where the body lies".
    @Test(arguments: [
        // The decoded name is tried, too.
        ("http://d.example/a b ; NULL\n", ["d.example/a b"], "http://d.example/a%20b ; NULL\n"),
        // Only the text as it stands leads there.
        (
            "http://D.example/A ; NULL\n", ["D.example/A"],
            "http://d.example/A ; NULL ; NULL ; NULL ; D.example/A\n"
        ),
        (
            "http://D.example/A ; NULL ; NULL ; a/b\n", ["D.example/A", "d.example/A"],
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
        // The member is named already.
        (
            "http://D.example/A ; NULL ; NULL ; a/b ; x\n", ["D.example/A", "x"],
            "http://d.example/A ; NULL ; NULL ; a/b ; x\n"
        ),
        // A name that no field can hold.
        ("http://D.example/a ;b ; NULL\n", ["D.example/a ;b"], "http://D.example/a ;b ; NULL\n"),
        // Neither leads anywhere.
        ("http://D.example/A ; NULL\n", ["d.example/B"], "http://d.example/A ; NULL\n"),
    ])
    func `a body is found where it was`(before: String, members: [String], after: String) throws {
        let fix = try Self.fix(before, members: Set(members))
        #expect(String(decoding: fix.bytes, as: UTF8.self) == after)
        #expect(try !Self.fix(fix.bytes, members: Set(members)).isNeeded)
    }
}
