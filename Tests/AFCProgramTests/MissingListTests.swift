import AFCCrawlRules
import AFCURL
import ArgumentParser
import Testing

@testable import AFCProgram

/// The list that `pack --add-missing` reads.
struct MissingListTests {
    private static func parse(_ text: String) throws -> [String] {
        try MissingList.parse(Array(text.utf8), name: "list").map { "\($0.isPage ? "page" : "requisite") \($0.url)" }
    }

    @Test func `a line has the requests, the kind and the URL, or just the URL`() throws {
        let text = """
            # a comment
            12 page http://d.example/a.json
            1 requisite http://d.example/b\r
            http://d.example/c
              http://d.example/d.css

            http://d.example/a.json
            """
        #expect(
            try Self.parse(text) == [
                "page http://d.example/a.json", "requisite http://d.example/b", "page http://d.example/c",
                "requisite http://d.example/d.css",
            ]
        )
        #expect(try Self.parse("").isEmpty)
    }

    @Test(
        arguments: [
            ("1 image http://d.example/", "list:1: the kind 'image' is neither 'page' nor 'requisite'"),
            ("\nx y", "list:2: a line has a URL, or the number of requests, the kind and a URL"),
            (
                "1 page ftp://d.example/",
                "list:1: 'ftp://d.example/' has credentials, or a scheme other than http and https"
            ),
            (
                "http://u:p@d.example/",
                "list:1: 'http://d.example/' has credentials, or a scheme other than http and https"
            ),
            ("/a", "list:1: '/a' is not an absolute URL"),
        ]
    )
    func `an error names the line`(_ text: String, _ message: String) throws {
        let error = try #require(throws: ValidationError.self) { try Self.parse(text) }
        #expect(error.message.hasPrefix(message), "\(error.message)")
    }

    @Test func `a list is bounded`() throws {
        let lines = (0...MissingList.countLimit).map { "http://d.example/\($0)\n" }.joined()
        let error = try #require(throws: ValidationError.self) { try Self.parse(lines) }
        #expect(error.message == "list:10001: the list has more than 10000 URLs")
    }
}
