import AFCURL
import Testing

/// The web platform's tests of the URL Standard, all of them.
struct WebPlatformTests {
    @Test func `the test data is whole`() throws {
        let cases = try URLCase.load()
        #expect(cases.count == 891)
        #expect(cases.count { $0.fails } == 267)
        #expect(try WebPlatformFixtures.load("toascii.json").count == 87)
        #expect(try WebPlatformFixtures.load("percent-encoding.json").count == 7)
    }

    @Test(arguments: ["urltestdata.json", "toascii.json", "percent-encoding.json"])
    func `no input is skipped because of a lone surrogate`(name: String) throws {
        #expect(try WebPlatformFixtures.countOfLoneSurrogates(in: name) == 0)
    }

    @Test func `every URL that isn't one is refused`() throws {
        for item in try URLCase.load() where item.fails {
            // A base that isn't a URL is a failure too, and there is one.
            let base = item.base.flatMap { try? WebURL($0) }
            guard item.base == nil || base != nil else { continue }
            #expect(throws: WebURL.ParseError.self, "\(item.testDescription)") { try WebURL(item.input, base: base) }
        }
    }

    @Test func `every URL has the parts that it should`() throws {
        for item in try URLCase.load() where !item.fails {
            let base = try item.base.map { try WebURL($0) }
            let (url, fragment) = try WebURL.parseWithFragment(item.input, base: base)
            func expect(_ name: String, _ value: String, sourceLocation: SourceLocation = #_sourceLocation) {
                #expect(value == item.parts[name], "\(name) of \(item.testDescription)", sourceLocation: sourceLocation)
            }
            let host = url.host ?? ""
            let port = url.port.map { String($0) } ?? ""
            expect("href", url.description + (fragment.map { "#" + $0 } ?? ""))
            expect("protocol", url.scheme + ":")
            expect("username", url.username)
            expect("password", url.password)
            expect("host", port.isEmpty ? host : host + ":" + port)
            expect("hostname", host)
            expect("port", port)
            expect("pathname", url.path)
            expect("search", Self.marked("?", url.query))
            expect("hash", Self.marked("#", fragment))
            if let origin = item.parts["origin"], origin != "null", url.scheme != "blob" {
                #expect(url.origin == origin, "\(item.testDescription)")
            }
        }
    }

    @Test func `every way to parse gives the same URL, and parsing it again changes nothing`() throws {
        for item in try URLCase.load() where !item.fails {
            let base = try item.base.map { try WebURL($0) }
            let url = try WebURL.parseWithFragment(item.input, base: base).url
            #expect(try WebURL(item.input, base: base) == url, "\(item.testDescription)")
            #expect(try WebURL(utf8: item.input.utf8, base: base) == url, "\(item.testDescription)")
            let again = try WebURL.parseWithFragment(url.description).url
            #expect(again == url, "\(item.testDescription)")
            #expect(again.path == url.path && again.host == url.host && again.query == url.query)
            #expect(again.username == url.username && again.password == url.password && again.port == url.port)
            #expect(url.description.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func `every domain becomes ASCII as it should`() throws {
        for item in try WebPlatformFixtures.load("toascii.json") {
            let input = try #require(item["input"] as? String)
            let host = try? WebURL("https://\(input)/x").host
            #expect(host == item["output"] as? String, "\(input)")
        }
    }

    @Test func `every text is percent-encoded from UTF-8 as it should be`() throws {
        for item in try WebPlatformFixtures.load("percent-encoding.json") {
            let input = try #require(item["input"] as? String)
            let outputs = try #require(item["output"] as? [String: String])
            let url = try WebURL("https://docs.example/?\(input)")
            #expect(url.query == outputs["utf-8"], "\(input)")
        }
    }

    /// JavaScript doesn't tell an empty query or fragment from none.
    private static func marked(_ mark: String, _ part: String?) -> String {
        guard let part, !part.isEmpty else { return "" }
        return mark + part
    }
}
