import Testing
import URLStandard

struct WebURLTests {
    @Test func `the fast path and the parser agree`() throws {
        let paths = [
            "", "/", "/a", "/a/b.html", "/a//b", "/a/.b", "/a/%2e%2e/b", "/a/..", "/a?q=1", "/a?q='", "/a b", "/ä",
        ]
        let hosts = [
            "docs.example", "docs.example:80", "docs.example:8080", "1.2.3.4", "0x7f.1", "x--y.example", "EXAMPLE",
            "a..b",
        ]
        for scheme in ["http", "https", "HTTP"] {
            for host in hosts {
                for path in paths {
                    let text = "\(scheme)://\(host)\(path)"
                    let fast = try WebURL(text)
                    let slow = try WebURL.parseWithFragment(" " + text).url
                    #expect(fast == slow, "\(text)")
                }
            }
        }
    }

    @Test func `a fragment is never a part of the identity`() throws {
        #expect(try WebURL("http://docs.example/a#b") == WebURL("http://docs.example/a"))
        #expect(try WebURL.parseWithFragment("http://docs.example/a#b").fragment == "b")
    }

    @Test(arguments: [
        ("http://localhost/", true), ("http://a.localhost:8080/", true), ("http://127.0.0.1/", true),
        ("http://127.1/", true),
        ("http://10.1.2.3/", true), ("http://172.31.0.1/", true), ("http://172.32.0.1/", false),
        ("http://192.168.1.1/", true),
        ("http://169.254.169.254/", true), ("http://100.64.0.1/", true), ("http://8.8.8.8/", false),
        ("http://[::1]/", true),
        ("http://[fe80::1]/", true), ("http://[fd00::1]/", true), ("http://[::ffff:10.0.0.1]/", true),
        ("http://[2001:db8::1]/", false),
        ("http://0.0.0.0/", true), ("http://docs.example/", false), ("http://2130706433/", true),
    ])
    func `a host that names a private network by itself is told`(text: String, isPrivate: Bool) throws {
        #expect(try WebURL(text).hostIsPrivate == isPrivate)
    }

    @Test func `credentials can be taken out`() throws {
        let url = try WebURL("https://user:secret@docs.example:8443/a?b=c")
        #expect(url.hasCredentials)
        #expect(url.username == "user")
        #expect(url.password == "secret")
        let plain = url.removingCredentials
        #expect(plain == (try WebURL("https://docs.example:8443/a?b=c")))
        #expect(plain.host == "docs.example")
        #expect(plain.path == "/a")
        #expect(plain.query == "b=c")
        #expect(plain.origin == "https://docs.example:8443")
    }

    @Test(arguments: [
        ("no/scheme", WebURL.ParseError.relativeWithoutBase), ("http://", .hostMissing),
        ("http://a b/", .forbiddenHostCharacter),
        ("http://docs.example:99999/", .invalidPort), ("http://1.2.3.4.5/", .invalidIPv4),
        ("http://[::1", .invalidIPv6),
        ("http://\u{FFFD}/", .invalidDomain),
    ])
    func `what is wrong with a text is told`(text: String, expected: WebURL.ParseError) {
        #expect(throws: expected) { try WebURL(text) }
    }

    @Test func `file names become parts of paths`() {
        #expect(PercentEncodeSet.pathPart.encode("50% of a#b?c/ä.html") == "50%25%20of%20a%23b%3Fc%2F%C3%A4.html")
    }
}
