import AFCURL
import Testing

struct WebURLTests {
    @Test func `a fragment is never a part of the identity`() throws {
        let url = try WebURL("http://docs.example/a#b")
        #expect(url.description == "http://docs.example/a")
        #expect(try url == WebURL("http://docs.example/a"))
        #expect(try WebURL.parseWithFragment("http://docs.example/a#b c").fragment == "b%20c")
        #expect(try WebURL.parseWithFragment("http://docs.example/a#").fragment == "")
        #expect(try WebURL.parseWithFragment("http://docs.example/a").fragment == nil)
    }

    @Test func `every part of a URL is returned`() throws {
        let url = try WebURL("https://user:secret@docs.example:8443/a/b%20c?d=e#f")
        #expect(url.scheme == "https")
        #expect(url.username == "user")
        #expect(url.password == "secret")
        #expect(url.host == "docs.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b%20c")
        #expect(url.query == "d=e")
        #expect(url.origin == "https://docs.example:8443")
        #expect(url.hasCredentials && url.isHTTP && url.isSpecial && !url.hasOpaquePath)
    }

    @Test(
        arguments: [
            ("http://docs.example/", nil, 80), ("https://docs.example/", nil, 443),
            ("http://docs.example:443/", 443, 443),
            ("https://docs.example:443/", nil, 443), ("ws://docs.example/", nil, 80), ("wss://docs.example/", nil, 443),
            ("ftp://docs.example/", nil, 21), ("file:///a", nil, nil), ("other://docs.example:7/", 7, 7),
            ("other://docs.example/", nil, nil), ("mailto:someone", nil, nil),
        ] as [(String, UInt16?, UInt16?)]
    )
    func `the port is returned only if it isn't the default`(text: String, port: UInt16?, effective: UInt16?) throws {
        let url = try WebURL(text)
        #expect(url.port == port)
        #expect(url.effectivePort == effective)
    }

    /// RFC 9110 §7.2, RFC 9112 §3.2.1.
    @Test(arguments: [
        ("https://user:secret@docs.example:8443/a/%zz?b=|&c#d", "docs.example:8443", "/a/%zz?b=|&c"),
        ("http://docs.example:80", "docs.example", "/"), ("http://[::1]:8080/?", "[::1]:8080", "/?"),
        ("http://docs.example/%E4//b", "docs.example", "/%E4//b"), ("file:///a", "", "/a"),
    ])
    func `host and target of a request for a URL are returned`(text: String, authority: String, target: String) throws {
        let url = try WebURL(text)
        #expect(url.authority == authority)
        #expect(url.requestTarget == target)
    }

    @Test(arguments: [
        ("https://user:secret@docs.example:8443/a?b", "https://docs.example:8443/a?b"),
        ("https://user@docs.example/", "https://docs.example/"),
        ("https://:secret@docs.example/", "https://docs.example/"),
        ("other://user@host", "other://host"), ("https://docs.example/a@b", "https://docs.example/a@b"),
    ])
    func `credentials can be removed`(text: String, expected: String) throws {
        let url = try WebURL(text).removingCredentials
        let same = try WebURL(expected)
        #expect(url == same)
        #expect(!url.hasCredentials && url.username.isEmpty && url.password.isEmpty)
        #expect(url.host == same.host && url.port == same.port && url.path == same.path && url.query == same.query)
        #expect(url.origin == same.origin)
        #expect(try WebURL(text).origin == same.origin)
    }

    @Test(arguments: [
        ("http://docs.example/a?b=c", "http://docs.example/a"), ("http://docs.example/a?", "http://docs.example/a"),
        ("http://docs.example/a", "http://docs.example/a"), ("data:text/plain,x  ?y", "data:text/plain,x %20"),
    ])
    func `the query can be removed`(text: String, expected: String) throws {
        let url = try WebURL(text).removingQuery
        #expect(url.description == expected)
        #expect(url.query == nil)
        #expect(try WebURL(expected) == url)
    }

    @Test(
        arguments: [
            ("http://docs.example/", [""]), ("http://docs.example/a/b%2Fc", ["a", "b%2Fc"]),
            ("http://docs.example/a//b/?q/r", ["a", "", "b", ""]), ("other://host", []), ("mailto:a/b", []),
        ] as [(String, [String])]
    )
    func `the path has segments`(text: String, segments: [String]) throws {
        let url = try WebURL(text)
        #expect(url.pathSegments.map { String($0) } == segments)
        #expect(url.pathSegments.last.map { String($0) } == segments.last)
    }

    @Test func `URLs are sorted by their bytes`() throws {
        let texts = [
            "http://a.example/", "http://a.example/%C3%A4", "http://a.example/A", "http://a.example/a",
            "https://a.example/",
        ]
        let urls = try texts.map { try WebURL($0) }
        #expect(urls.reversed().sorted() == urls)
        #expect(Set(urls + urls).count == urls.count)
    }

    @Test func `bytes that are not UTF-8 are read as replacement characters`() throws {
        let bytes = Array("http://docs.example/a".utf8) + [0xE4, 0x62]
        #expect(try WebURL(utf8: bytes).path == "/a%EF%BF%BDb")
        #expect(try WebURL(utf8: [0xE4], base: WebURL("http://docs.example/")).path == "/%EF%BF%BD")
    }

    @Test func `a substring and a view of bytes parse as the text does`() throws {
        let line = "GET http://docs.example/a HTTP/1.1"
        let expected = try WebURL("http://docs.example/a")
        #expect(try WebURL(line.split(separator: " ")[1]) == expected)
        #expect(try WebURL(utf8: line.split(separator: " ")[1].utf8) == expected)
        #expect(try WebURL(utf8: AnySequence("http://docs.example/a".utf8)) == expected)
    }

    @Test func `a URL takes 40 bytes in addition to its text`() {
        #expect(MemoryLayout<WebURL>.stride == 40)
    }
}
