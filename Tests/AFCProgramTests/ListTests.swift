import AFCText
import AFCURL
import ArgumentParser
import Testing

@testable import AFCProgram

struct ListTests {
    @Test func `a list has one URL per line, and each counts once`() throws {
        let text =
            "\u{FEFF}# start\n\nhttp://d.example/a\r\n  http://d.example/b\t\nhttp://d.example/a\nhttps://e.example"
        let urls = try URLList.parse(Array(text.utf8), name: "x")
        #expect(urls.map(\.description) == ["http://d.example/a", "http://d.example/b", "https://e.example/"])
    }

    @Test func `a list may be UTF-16 with a byte order mark`() throws {
        let units = Array("http://d.example/\u{e9}\r\nhttp://d.example/b\r\n".utf16)
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big] {
            let urls = try URLList.parse(bytes, name: "x")
            #expect(urls.map(\.description) == ["http://d.example/%C3%A9", "http://d.example/b"])
        }
    }

    @Test(
        arguments: [
            ("http://d.example/a # note\nhttp://d.example/b\t#\n", ["http://d.example/a", "http://d.example/b"]),
            ("http://d.example/a#part\n#http://d.example/b\n # c", ["http://d.example/a"]),
            ("http://d.example/a\rhttp://d.example/b\r", ["http://d.example/a", "http://d.example/b"]),
            ("http://d.example/a\r\n\r\nhttp://d.example/b", ["http://d.example/a", "http://d.example/b"]),
        ]
    ) func `comments may follow URLs, and lines end in any way`(text: String, expected: [String]) throws {
        #expect(try URLList.parse(Array(text.utf8), name: "x").map(\.description) == expected)
    }

    @Test(
        arguments: [
            (
                "\r\n\rhttp://me:secret@d.example/",
                "x:3: 'http://d.example/' has credentials, which a package must not contain; remove them"
            ),
            ("# a\nftp://d.example/", "x:2: the scheme of 'ftp://d.example/' is neither http nor https"),
        ]
    ) func `a URL from which no crawl can start is named`(text: String, words: String) {
        let error = #expect(throws: ValidationError.self) { try URLList.parse(Array(text.utf8), name: "x") }
        #expect(error?.message == words)
    }

    @Test func `a line that isn't a URL is named`() {
        let error = #expect(throws: ValidationError.self) {
            try URLList.parse(Array("http://d.example/\n\na\u{1B}b\n".utf8), name: "urls.txt")
        }
        #expect(
            error?.message
                == "urls.txt:3: 'a\\u{1b}b' is not an absolute URL: it has no scheme such as 'http:'"
        )
    }

    @Test(
        arguments: [
            ("a.html", .html), ("a.HTM", .html), ("/x/a.json", .json), ("a.txt", nil), ("html", nil),
            ("a.json.gz", nil),
        ] as [(String, ReportFile.Format?)]
    ) func `the report's suffix decides its format`(path: String, format: ReportFile.Format?) throws {
        guard let format else {
            #expect(throws: ValidationError.self) { try ReportFile(argument: path) }
            return
        }
        #expect(try ReportFile(argument: path).format == format)
    }
}
