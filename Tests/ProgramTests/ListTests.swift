import ArgumentParser
import HTTPTypes
import TestSupport
import Testing
import URLStandard

@testable import afcache

struct ListTests {
    @Test func `a list has a URL a line, each counts once`() throws {
        let text =
            "\u{FEFF}# start\n\nhttp://d.example/a\r\n  http://d.example/b\t\nhttp://d.example/a\nhttps://e.example"
        let urls = try URLList.parse(Array(text.utf8), name: "x")
        #expect(urls.map(\.description) == ["http://d.example/a", "http://d.example/b", "https://e.example/"])
    }

    @Test func `a line that is no URL is named`() {
        let error = #expect(throws: ValidationError.self) {
            try URLList.parse(Array("http://d.example/\n\n/a\u{1B}b\n".utf8), name: "urls.txt")
        }
        #expect(
            error?.message
                == "urls.txt:3: '/a\\u{1b}b' is not an absolute URL: it has no scheme such as 'http:'"
        )
    }

    @Test(
        arguments: [
            ("Accept-Language: de, en", "Accept-Language", "de, en"), ("X-A:b", "X-A", "b"), ("X-A:", "X-A", ""),
            ("X-A: b:c", "X-A", "b:c"),
        ]
    ) func `a field is a name and a value`(text: String, name: String, value: String) throws {
        let field = try HeaderField.parse(text)
        #expect(field.name.rawName == name)
        #expect(field.value == value)
    }

    @Test(
        arguments: [
            ("Secret 123", "the field has no colon"), ("a b: c", "'a b' is no name"), (": c", "'' is no name"),
            ("X-A: b\r\nX-B: c", "the value of 'X-A'"), ("User-Agent: x", "use '--user-agent'"),
            ("range: bytes=0-1", "is the crawler's own field"),
            ("Transfer-Encoding: chunked", "is the crawler's own field"),
        ]
    ) func `what is no field is refused, without repeating its value`(text: String, sentence: String) {
        let error = #expect(throws: ValidationError.self) { try HeaderField.parse(text) }
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("123") == false)
    }

    @Test func `fields also come from a file, where the list of processes doesn't show them`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Array("# mine\nAuthorization: Bearer abc\r\n\nX-B: c\n".utf8), to: "fields")
        let fields = try HeaderField.fields(["X-A: b", "@" + path])
        #expect(fields.map(\.name.rawName) == ["X-A", "Authorization", "X-B"])
        #expect(fields[.authorization] == "Bearer abc")
    }

    @Test(
        arguments: [
            ("a.html", .html), ("a.HTM", .html), ("/x/a.json", .json), ("a.txt", nil), ("html", nil),
            ("a.json.gz", nil),
        ] as [(String, ReportFile.Format?)]
    ) func `the report's suffix says its form`(path: String, format: ReportFile.Format?) throws {
        guard let format else {
            #expect(throws: ValidationError.self) { try ReportFile(argument: path) }
            return
        }
        #expect(try ReportFile(argument: path).format == format)
    }
}
