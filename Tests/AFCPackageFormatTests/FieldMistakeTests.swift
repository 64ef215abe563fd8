import AFCPackageFormat
import Testing

/// What is said about the mistakes that people make who write a manifest by hand.
struct FieldMistakeTests {
    static let november = "Fri, 20 Nov 2026 00:00:00 GMT"
    static let ten = "Fri, 20 Nov 2026 10:00:00 GMT"

    @Test(
        arguments: [
            ("2026-11-20T10:00:00", "; it has no time zone: write '\(ten)' if it is UTC"),
            ("2026-11-20 10:00:00", "; it has no time zone: write '\(ten)' if it is UTC"),
            ("2026-11-20 10:00", "; it has no time zone: write '\(ten)' if it is UTC"),
            ("20.11.2026", "; write '\(november)'"),
            ("20.11.2026 10:00", "; it has no time zone: write '\(ten)' if it is UTC"),
            ("11/20/2026", "; write '\(november)'"), ("20/11/2026", "; write '\(november)'"),
            ("2026/11/20", "; write '\(november)'"), ("20261120", "; write '\(november)'"),
            ("2026-11-20Z", "; write '\(november)'"), ("20 Nov 2026", "; write '\(november)'"),
            ("November 20, 2026", "; write '\(november)'"), ("Fri, 20-Nov-26", "; write '\(november)'"),
            ("Fri, 20-Nov-26 10:00:00 GMT+", "; write '\(ten)'"),
            (
                "11/10/2026",
                "; day and month could be exchanged: write it like 'Sun, 06 Nov 1994 08:49:37 GMT'"
            ),
            ("Fri, 20 Nov 2026 10:00:00 CET", "; not every reader knows the zone 'CET': write the time in GMT"),
            ("null", "; write NULL"), ("Null", "; write NULL"), ("-", "; write NULL"), ("none", "; write NULL"),
            ("never", "; write the last date on which it is still fresh"),
            ("3600", "; write a date, not a number of seconds"), ("0", "; write a date, not a number of seconds"),
            ("max-age=3600", "; write a date, not a number of seconds"),
            ("text/html", "; the media type is the fourth field, so write a date or NULL here"),
            ("text/html; charset=utf-8", "; the media type is the fourth field, so write a date or NULL here"),
            ("tomorrow", ""), ("31.04.2026", ""), ("2026-13-01", ""), ("11/2026", ""), ("1.2.3.4", ""),
            ("d.example/a", ""),
            ("next 20 Nov 2026", ""), (String(repeating: "1.", count: 60), ""),
        ] as [(String, String)]
    ) func `a text that isn't a date is named with its remedy`(text: String, remedy: String) {
        for (field, line) in [
            ("last-modified", "http://d.example/a ; \(text)"), ("expires", "http://d.example/a ; NULL ; \(text)"),
        ] {
            // A semicolon in a date is reported by another rule.
            guard !text.contains(";") else { continue }
            #expect(sentences(line) == ["\(field) '\(text)' is not a date; it counts as NULL\(remedy)"])
        }
    }

    @Test(
        arguments: [
            ("html", "; write 'text/html'"), ("JPG", "; write 'image/jpeg'"), (".css", "; write 'text/css'"),
            ("javascript", "; write 'text/javascript'"), ("null", "; write NULL"), ("-", "; write NULL"),
            ("2026-11-20", "; dates are the second and third field"),
            ("Fri, 20 Nov 2026 10:00:00 GMT", "; dates are the second and third field"), ("hypertext", ""),
            ("text/", ""),
        ] as [(String, String)]
    ) func `a text that isn't a media type is named with its remedy`(text: String, remedy: String) {
        #expect(
            sentences("http://d.example/a ; NULL ; NULL ; \(text)")
                == ["'\(text)' is not a media type; it counts as NULL\(remedy)"]
        )
    }

    @Test(
        arguments: [
            ("# my pages", "the line has 1 field; a manifest has no comments: remove the line"),
            ("// my pages", "the line has 1 field; a manifest has no comments: remove the line"),
            (
                "# http://d.example/a ; NULL",
                "'# http://d.example/a' is not an absolute URL: it has no scheme such as 'http:'"
                    + "; a manifest has no comments: remove the line"
            ),
            (
                "URL ; Last-Modified ; Expires ; Type",
                "'URL' is not an absolute URL: it has no scheme such as 'http:'"
                    + "; a manifest has no line with the names of its fields: remove the line"
            ),
            (
                "URL\tLast-Modified",
                "the line has 1 field; a manifest has no line with the names of its fields: remove the line"
            ),
            (
                "http://d.example/a\tNULL\tNULL\ttext/html",
                "the line has 1 field; its fields are separated by a tab: write ' ; ' between them"
            ),
            (
                "http://d.example/a|NULL|NULL|text/html",
                "the line has 1 field; its fields are separated by '|': write ' ; ' between them"
            ),
            (
                "http://d.example/a,NULL,NULL,text/html",
                "the line has 1 field; its fields are separated by ',': write ' ; ' between them"
            ),
            (
                "http://d.example/a；NULL；NULL；text/html",
                "the line has 1 field; its fields are separated by a full-width semicolon: write ' ; ' between them"
            ),
            (
                "http://d.example/a;NULL;NULL;text/html",
                "the line has 1 field; its fields are separated by ';': write ' ; ' between them"
            ),
            (
                "http://d.example/a ; NULL ; NULL ; a/b ; c ; d",
                "the line has 6 fields; an entry has two to five, with ' ; ' between them"
            ),
            ("http://d.example/a", "the line has 1 field; an entry has two to five, with ' ; ' between them"),
            ("a b c", "the line has 1 field; an entry has two to five, with ' ; ' between them"),
        ] as [(String, String)]
    ) func `a line that isn't an entry is named with its remedy`(line: String, sentence: String) {
        #expect(sentences(line) == [sentence])
    }

    @Test(arguments: [
        "http://d.example/a ; NULL ; NULL ; text/html ;", "http://d.example/a ; NULL ; NULL ;",
        "http://d.example/a ; NULL ; NULL ; text/html ; ", "http://d.example/a ; NULL ;\r",
    ]) func `a delimiter at the end of a line is reported`(line: String) throws {
        let found = problems(line).filter { $0.rule == "manifest.trailing-delimiter" }
        #expect(found.count == 1)
        let column = try #require(line.lastIndex(of: ";").map { line.distance(from: line.startIndex, to: $0) }) + 1
        #expect(found.first?.place == .manifest(line: 1, column: column))
        #expect(found.first?.length == 1)
    }

    @Test func `a delimiter with no-break spaces is shown so that it can be seen`() {
        #expect(
            sentences("http://d.example/a\u{A0};\u{A0}NULL ; NULL") == [
                "'\\u{a0};\\u{a0}' in the URL looks like the delimiter ' ; ' but isn't, so the rest is read as part of the URL;"
                    + " write ' ; ' to end the field"
            ]
        )
    }

    private func problems(_ line: String) -> [PackageProblem] {
        var reader = ManifestReader(Array((line + "\n").utf8))
        while reader.next() != nil {}
        return reader.problems
    }

    private func sentences(_ line: String) -> [String] {
        problems(line).filter { $0.kind != .manifestEmpty }.map(\.sentence)
    }
}
