import HTTPCaching
import HTTPTypes
import Testing
import URLStandard

@testable import OfflineServer

struct LinkFormTests {
    @Test(arguments: [
        (LinkForm.Kind.localhostName, "/new", "http://docs.example.localhost:8080/new"),
        (.localhostName, "https://docs.example/new?a#b", "http://docs.example.localhost:8080/new?a#b"),
        (.localhostName, "//other.example/", "http://other.example.localhost:8080/"),
        // A port, or an address in brackets, has no name below localhost.
        (.localhostName, "http://docs.example:81/a", "http://localhost:8080/docs.example:81/a"),
        (.localhostName, "http://[2001:db8::1]/a", "http://localhost:8080/[2001:db8::1]/a"),
        // A path that begins with two slashes must not become a host.
        (.localhostName, "http://docs.example//evil.example/", "http://docs.example.localhost:8080//evil.example/"),
        (.path, "new", "/docs.example/a/new"),
        (.path, "https://other.example:8443/x", "/other.example:8443/x"),
        (.path, "http://docs.example//evil.example/", "/docs.example//evil.example/"),
        (.pathElsewhere, "/x", "/docs.example/x"),
    ])
    func `a redirect stays on the server`(_ kind: LinkForm.Kind, _ location: String, _ expected: String) throws {
        let base = try WebURL("http://docs.example/a/b")
        #expect(LinkForm(kind, port: 8080).rewritten(location: location, base: base) == expected)
    }

    @Test(arguments: [
        (LinkForm.Kind.proxy, "/new"), (.hostField, "http://docs.example/"), (.path, "mailto:a@b.example"),
        (.path, "javascript:alert(1)"), (.localhostName, "http://["),
    ])
    func `other redirects are left as they are`(_ kind: LinkForm.Kind, _ location: String) throws {
        let base = try WebURL("http://docs.example/a/b")
        #expect(LinkForm(kind, port: 8080).rewritten(location: location, base: base) == nil)
    }

    @Test func `fields that bind a browser to the origin are dropped`() throws {
        var fields = HTTPFields()
        for (name, value) in [
            ("Strict-Transport-Security", "max-age=1"), ("Alt-Svc", "h3=\":443\""), ("Clear-Site-Data", "\"*\""),
            ("Public-Key-Pins", "x"), ("NEL", "{}"), ("Report-To", "{}"), ("Connection", "x-hop"), ("X-Hop", "1"),
            ("Content-Security-Policy", "default-src 'self'; Upgrade-Insecure-Requests; img-src *"),
            ("ETag", "\"a\""), ("Link", "</a>; rel=preload"),
        ] { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let safe = ServedFields.safe(fields)
        #expect(safe.map(\.name.canonicalName) == ["content-security-policy", "etag", "link"])
        #expect(safe[.contentSecurityPolicy] == "default-src 'self'; img-src *")
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (123_456, "123.4 kB"), (1_999_999, "1.9 MB"),
            (64_000_000_000, "64.0 GB"), (5_000_000_000_000, "5.0 TB"),
        ] as [(Int64, String)]
    )
    func `sizes are for people`(_ count: Int64, _ words: String) {
        #expect(HTML.bytes(count) == words)
    }
}
