import AFCCaching
import AFCText
import AFCURL
import HTTPTypes
import Testing

@testable import AFCServer

struct LinkFormTests {
    /// The SHA-256 of `http://[2001:db8::1]`.
    private static let addressDigest = "e0fc4a3784d5d207f74dd323039372ac7b5f938c"

    @Test(arguments: [
        (LinkForm.Kind.originName, "/new", "http://docs-example---80.localhost:8080/new"),
        (.originName, "https://docs.example/new?a#b", "http://docs-example.localhost:8080/new?a#b"),
        (.originName, "//other.example/", "http://other-example---80.localhost:8080/"),
        (.originName, "http://docs.example:81/a", "http://docs-example---81.localhost:8080/a"),
        (
            .originName, "http://[2001:db8::1]/a",
            "http://o---\(Self.addressDigest).localhost:8080/a"
        ),
        // A path that begins with two slashes must not become a host.
        (
            .originName, "http://docs.example//evil.example/",
            "http://docs-example---80.localhost:8080//evil.example/"
        ),
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
        (.path, "javascript:alert(1)"), (.originName, "http://["),
    ])
    func `other redirects are unchanged`(_ kind: LinkForm.Kind, _ location: String) throws {
        let base = try WebURL("http://docs.example/a/b")
        #expect(LinkForm(kind, port: 8080).rewritten(location: location, base: base) == nil)
    }

    @Test(arguments: [
        ("/new", "/new"), ("https://docs.example/new?a#b", "/new?a#b"),
        ("//other.example/", "/.afcache/at/other-example/"),
        ("http://docs.example/", "/.afcache/at/docs-example---80/"),
        ("https://docs.example//evil.example/", "/.//evil.example/"),
        ("https://other.example//evil.example/", "/.afcache/at/other-example//evil.example/"),
        ("http://[2001:db8::1]/a", "/.afcache/at/o---\(Self.addressDigest)/a"),
    ])
    func `a redirect of the one site, or beside it, stays on the server`(_ location: String, _ expected: String) throws
    {
        let base = try WebURL("https://docs.example/a/b")
        for kind in [LinkForm.Kind.site, .besideSite] {
            var form = LinkForm(kind, port: 8080)
            form.site = base
            #expect(form.rewritten(location: location, base: base) == expected)
        }
    }

    private static let kinds: [LinkForm.Kind] = [
        .proxy, .hostField, .originName, .site, .besideSite, .path, .pathElsewhere,
    ]

    private static func fields(_ list: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in list { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return fields
    }

    @Test(arguments: kinds)
    func `fields that persist in a browser, request something or report are dropped`(_ kind: LinkForm.Kind) throws {
        let fields = try Self.fields([
            ("Strict-Transport-Security", "max-age=1"), ("Alt-Svc", "h3=\":443\""), ("Clear-Site-Data", "\"*\""),
            ("Public-Key-Pins", "x"), ("NEL", "{}"), ("Report-To", "{}"), ("Reporting-Endpoints", "a=\"/r\""),
            ("Connection", "x-hop"), ("X-Hop", "1"), ("Set-Cookie", "a=b"), ("Set-Cookie", "c=d"),
            ("Set-Cookie2", "a=b"),
            ("Service-Worker-Allowed", "/"), ("Refresh", "0; url=http://evil.example/"),
            ("WWW-Authenticate", "Basic realm=\"a\""), ("Proxy-Authenticate", "Basic"),
            ("Speculation-Rules", "\"/r.json\""),
            ("Accept-CH", "UA-Model"), ("Critical-CH", "UA-Model"), ("Login-Status", "logged-in"),
            ("Shared-Storage-Write", "clear"), ("Activate-Storage-Access", "load"),
            ("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri /r"),
            ("Content-Type", "application/pdf"), ("ETag", "\"a\""), ("Link", "</a>; rel=preload"),
        ])
        let safe = ServedFields.safe(fields, form: kind)
        #expect(safe.map(\.name.canonicalName) == ["content-type", "etag", "link"])
    }

    @Test(
        arguments: [
            ("default-src 'self'; Upgrade-Insecure-Requests; img-src *", "default-src 'self'; img-src *"),
            ("default-src 'self'; report-uri /r; report-to g;img-src *", "default-src 'self';img-src *"),
            // A list of policies: each is kept on its own (Content Security Policy §2.2.1).
            ("report-uri /r, script-src 'none'; REPORT-TO g", "script-src 'none'"), ("upgrade-insecure-requests", nil),
            ("report-uri /a, report-to b", nil), ("img-src 'self'", "img-src 'self'"),
        ] as [(String, String?)]
    )
    func `directives that report or upgrade are dropped, and no others`(_ policy: String, _ kept: String?) throws {
        let safe = ServedFields.safe(try Self.fields([("Content-Security-Policy", policy)]), form: .proxy)
        #expect(safe[.contentSecurityPolicy] == kept)
    }

    @Test(arguments: kinds)
    func `a page by path has an origin of its own, which no other host shares`(_ kind: LinkForm.Kind)
        throws
    {
        let safe = ServedFields.safe(
            try Self.fields([
                ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", "img-src 'self'"),
                ("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Credentials", "true"),
            ]),
            form: kind
        )
        let policies = safe[values: .contentSecurityPolicy]
        #expect(policies.first == "img-src 'self'")
        #expect(policies.contains { $0.hasPrefix("sandbox ") } == [.besideSite, .path, .pathElsewhere].contains(kind))
        #expect(!policies.contains { $0.contains("allow-same-origin") })
        #expect((safe[.accessControlAllowOrigin] != nil) == [.proxy, .hostField].contains(kind))
    }

    @Test(arguments: [
        ("application/pdf", false), ("Application/PDF; charset=utf-8", false), ("application/pdf ", false),
        // XML, and of several types the last one (MIME Sniffing §4.6, Fetch §2.2.2).
        ("application/pdf+xml", true), ("application/pdf, text/html", true), ("application/pdf;x, text/html", true),
        ("application/pdfx", true), ("application/pdf\ttext/html", true), ("text/html", true), ("", true),
    ])
    func `only PDF has no sandbox`(_ type: String, _ isSandboxed: Bool) throws {
        for kind in [LinkForm.Kind.path, .besideSite] {
            let safe = ServedFields.safe(try Self.fields([("Content-Type", type)]), form: kind)
            #expect(safe.contains(.contentSecurityPolicy) == isSandboxed)
        }
        let several = try Self.fields([("Content-Type", "application/pdf"), ("Content-Type", "text/html")])
        #expect(ServedFields.safe(several, form: .path).contains(.contentSecurityPolicy))
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (123_456, "123 kB"), (1_999_999, "2.0 MB"),
            (64_000_000_000, "64 GB"), (5_000_000_000_000, "5.0 TB"),
        ] as [(Int64, String)]
    )
    func `sizes are readable`(_ count: Int64, _ words: String) {
        #expect(Quantity.bytes(count) == words)
    }

    @Test(
        arguments: [
            (1, "day", "1 day"), (90, "day", "90 days"), (2, "entry", "2 entries"), (0, "key", "0 keys"),
            (2, "copy", "2 copies"), (3, "page", "3 pages"),
        ] as [(Int, String, String)]
    )
    func `counts have their nouns`(_ count: Int, _ noun: String, _ words: String) {
        #expect(Quantity.count(count, noun) == words)
    }
}
