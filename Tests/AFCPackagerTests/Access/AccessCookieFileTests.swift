import AFCCaching
import AFCHTTP
import AFCText
import AFCURL
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct AccessCookieFileTests {
    private let now = AccessCookieTests.now

    private func jar(_ lines: String...) throws -> CookieJar {
        try CookieJar(netscape: [("cookies.txt", Array(lines.joined(separator: "\n").utf8))], now: now)
    }

    @Test func `cookies of a file are sent where they belong`() throws {
        let jar = try jar(
            "# Netscape HTTP Cookie File",
            "",
            "  ",
            "# https://curl.se/docs/http-cookies.html",
            "news.example\tFALSE\t/\tFALSE\t0\thost\t1",
            ".news.example\tTRUE\t/\tTRUE\t1795255300\tsecure\t2\r",
            "#HttpOnly_.news.example\tTRUE\t/a\tFALSE\t0\thidden\t3",
            "#news.example\tTRUE\t/\tFALSE\t0\tcomment\t4",
            "news.example\tTRUE\t/\tFALSE\t1795255199\told\t5",
            "news.example\tFALSE\t/\tFALSE\t0\tempty\t",
            "news.example\tFALSE\t/\tFALSE\t0\tmissing",
            "co.uk\tTRUE\t/\tFALSE\t0\tsuffix\t6",
            "127.0.0.1\tFALSE\t/\tFALSE\t0\taddress\t7",
            ".localhost\tTRUE\t/\tFALSE\t0\tlocal\t8",
            "news.example\tFALSE\t/t\tFALSE\t1795255300.5\tfraction\t9",
        )
        func sent(_ url: String, _ later: Int64 = 0) throws -> String? {
            jar.field(for: try WebURL(url), now: now + later)
        }
        #expect(try sent("https://news.example/") == "host=1; secure=2; empty=; missing=")
        #expect(try sent("https://news.example/", 100) == "host=1; empty=; missing=")
        #expect(try sent("http://news.example/a/b") == "hidden=3; host=1; empty=; missing=")
        #expect(try sent("https://www.news.example/") == "secure=2")
        #expect(try sent("http://co.uk/") == "suffix=6")
        #expect(try sent("http://news.co.uk/") == nil)
        #expect(try sent("http://127.0.0.1:81/") == "address=7")
        #expect(try sent("http://localhost/") == "local=8")
        #expect(try sent("http://a.localhost/") == nil)
        #expect(jar.count == 9)
    }

    @Test(arguments: [
        ("news.example TRUE / FALSE 0 a hunter2", "it doesn't have seven tab-separated fields"),
        ("news.example\tTRUE\t/\tFALSE\t0", "it doesn't have seven tab-separated fields"),
        ("news.example\tYES\t/\tFALSE\t0\ta\thunter2", "the second and fourth fields must be TRUE or FALSE"),
        ("news.example\tTRUE\t/\t1\t0\ta\thunter2", "the second and fourth fields must be TRUE or FALSE"),
        ("news.example\tTRUE\t/\tFALSE\tnever\ta\thunter2", "the fifth field is not a number of seconds"),
        ("news example\tTRUE\t/\tFALSE\t0\ta\thunter2", "the first field is not a domain"),
        ("u@news.example\tTRUE\t/\tFALSE\t0\ta\thunter2", "the first field is not a domain"),
        ("news.example/x\tTRUE\t/\tFALSE\t0\ta\thunter2", "the first field is not a domain"),
        ("news.example:80\tTRUE\t/\tFALSE\t0\ta\thunter2", "the first field is not a domain"),
        ("news.example\tTRUE\tx\tFALSE\t0\ta\thunter2", "the third field is not a path"),
        ("news.example\tTRUE\t/\tFALSE\t0\ta=b\thunter2", "the name or value isn't allowed in a Cookie field"),
        ("news.example\tTRUE\t/\tFALSE\t0\ta\thunter2; b=c", "the name or value isn't allowed in a Cookie field"),
        ("news.example\tTRUE\t/\tFALSE\t0\ta\thunter2\u{1}", "the name or value isn't allowed in a Cookie field"),
    ])
    func `a line that isn't a cookie is reported by number, without its value`(line: String, message: String) {
        let error = #expect(throws: PackagingError.self) { try jar("# Netscape", line) }
        #expect(error?.subject == "cookies.txt")
        #expect(error?.message == "line 2 is not a cookie in Netscape's format: " + message)
    }

    @Test func `a file that curl wrote is read`() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/in.txt"
            try write(
                "localhost\tFALSE\t/\tFALSE\t0\ta\t1\n#HttpOnly_.news.example\tTRUE\t/b\tTRUE\t1900000000\tc\t2\n",
                to: path
            )
            _ = try run("sh", "-c", "curl -s -o /dev/null -b \(path) -c \(folder)/out.txt file:///dev/null")
            let bytes = try run("cat", folder + "/out.txt")
            let jar = try CookieJar(netscape: [("out.txt", bytes)], now: now)
            #expect(jar.field(for: try WebURL("http://localhost/"), now: now) == "a=1")
            #expect(jar.field(for: try WebURL("https://www.news.example/b"), now: now) == "c=2")
        }
    }
}
