import AFCURL
import Testing

@testable import AFCServer

/// RFC 9112 §3.2 and docs/reference/serve.md.
struct RequestTargetTests {
    static let server = ServerIdentity(port: 8080, bound: ["192.0.2.7", "fe80::1"])

    struct Case: CustomTestStringConvertible, Sendable {
        var target: String
        var host: String?
        var urls: [String] = []
        var form = LinkForm.Kind.proxy
        var testDescription: String { "\(target) at \(host ?? "no host")" }
    }

    static func parse(
        _ target: String,
        _ hosts: [String],
        method: String = "GET",
        needsHost: Bool = true
    ) throws -> RequestTarget {
        try RequestTarget(
            ServerRequest(
                method: method,
                target: target,
                hosts: hosts,
                version: needsHost ? .http11 : .http10,
                server: server
            )
        )
    }

    static let resources: [Case] = [
        // Absolute form: Host is ignored, the URL is exact.
        Case(target: "http://docs.example/x", host: "other.example", urls: ["http://docs.example/x"]),
        Case(target: "http://docs.example", host: "docs.example", urls: ["http://docs.example/"]),
        Case(target: "https://docs.example/x?a=b", host: "", urls: ["https://docs.example/x?a=b"]),
        Case(target: "HTTP://DOCS.example:80/a/../b", host: "h", urls: ["http://docs.example/b"]),
        Case(target: "http://user:pass@docs.example/x", host: "h", urls: ["http://docs.example/x"]),
        Case(target: "http://localhost:3000/x", host: "h", urls: ["http://localhost:3000/x"]),
        // A name below localhost.
        Case(
            target: "/a?b",
            host: "docs.example.localhost:8080",
            urls: ["http://docs.example/a?b", "https://docs.example/a?b"],
            form: .originName
        ),
        Case(
            target: "/",
            host: "DOCS.example.LOCALHOST",
            urls: ["http://docs.example/", "https://docs.example/"],
            form: .originName
        ),
        Case(
            target: "http://docs.example.localhost:8080/a",
            host: "h",
            urls: ["http://docs.example/a", "https://docs.example/a"],
            form: .originName
        ),
        // By path.
        Case(
            target: "/docs.example/a/b?c=/d",
            host: "localhost:8080",
            urls: ["http://docs.example/a/b?c=/d", "https://docs.example/a/b?c=/d"],
            form: .path
        ),
        Case(
            target: "/docs.example:8443/",
            host: "127.0.0.1:9",
            urls: ["http://docs.example:8443/", "https://docs.example:8443/"],
            form: .path
        ),
        Case(
            target: "/[2001:db8::1]/a",
            host: "[::1]:8080",
            urls: ["http://[2001:db8::1]/a", "https://[2001:db8::1]/a"],
            form: .path
        ),
        Case(
            target: "/docs.example//evil.example/",
            host: "localhost",
            urls: ["http://docs.example//evil.example/", "https://docs.example//evil.example/"],
            form: .path
        ),
        Case(
            target: "/docs.example/../../b",
            host: "localhost",
            urls: ["http://docs.example/b", "https://docs.example/b"],
            form: .path
        ),
        Case(
            target: "/docs.example/a",
            host: "192.0.2.7:8080",
            urls: ["http://docs.example/a", "https://docs.example/a"],
            form: .pathElsewhere
        ),
        Case(
            target: "http://localhost:8080/docs.example/a",
            host: "h",
            urls: ["http://docs.example/a", "https://docs.example/a"],
            form: .path
        ),
        // Any other host.
        Case(
            target: "/a",
            host: "docs.example",
            urls: ["http://docs.example/a", "https://docs.example/a"],
            form: .hostField
        ),
        Case(
            target: "/a",
            host: "docs.example:9000",
            urls: ["http://docs.example:9000/a", "https://docs.example:9000/a"],
            form: .hostField
        ),
        Case(
            target: "/a",
            host: "docs.example:8080",
            urls: [
                "http://docs.example/a", "https://docs.example/a", "http://docs.example:8080/a",
                "https://docs.example:8080/a",
            ],
            form: .hostField
        ),
        Case(
            target: "/a",
            host: "docs.example:",
            urls: ["http://docs.example/a", "https://docs.example/a"],
            form: .hostField
        ),
        // A name with the dot that ends it is that name, where nothing is stored with the dot (RFC 1034 §3.1).
        Case(
            target: "/a",
            host: "docs.example.",
            urls: [
                "http://docs.example./a", "https://docs.example./a", "http://docs.example/a", "https://docs.example/a",
            ],
            form: .hostField
        ),
        Case(
            target: "http://docs.example.:81/a?b",
            host: "h",
            urls: ["http://docs.example.:81/a?b", "http://docs.example:81/a?b"]
        ),
    ]

    @Test(arguments: resources)
    func `a target and a host mean these URLs`(_ example: Case) throws {
        let target = try Self.parse(example.target, example.host.map { [$0] } ?? [])
        guard case .resource(let candidates, let form) = target else {
            Issue.record("\(target) is no resource")
            return
        }
        #expect(candidates.filter(\.isHTTP).map(\.description) == example.urls)
        // A package that was made of a folder without a base URL is found where the server's own pages link to it.
        let folders = candidates.filter { !$0.isHTTP }.map { $0.description.prefix(9) }
        #expect(folders == (form.kind.isOfServer ? ["afcpkg://"] : []))
        #expect(form.kind == example.form)
    }

    @Test(arguments: [
        ("/", "localhost:8080", RequestTarget.OwnPage.home),
        ("/?x", "127.0.0.1", .home),
        ("/", "localhost.", .home),
        ("/", "[0:0:0:0:0:0:0:1]:8080", .home),
        ("http://localhost:8080", "h", .home),
        // The server answers for these pages before it looks for resources.
        ("/.afcache/healthz", "localhost", .nothing),
        ("/favicon.ico", "localhost", .nothing),
        ("/.well-known/x", "localhost", .nothing),
        ("//evil.example/", "localhost", .nothing),
        ("/a@b/", "localhost", .nothing),
    ])
    func `the server's own hosts have its own pages`(_ target: String, _ host: String, _ page: RequestTarget.OwnPage)
        throws
    {
        guard case .page(let found, _) = try Self.parse(target, [host]) else {
            Issue.record("\(target) is no page")
            return
        }
        #expect(found == page)
    }

    @Test func `a slash is added after a host`() throws {
        #expect(try Self.parse("/docs.example", ["localhost"]) == .redirect("/docs.example/"))
        #expect(try Self.parse("/docs.example?q", ["localhost"]) == .redirect("/docs.example/?q"))
        #expect(try Self.parse("/Docs.Example:81", ["localhost"]) == .redirect("/docs.example:81/"))
    }

    @Test(arguments: [
        // RFC 9112 §3.2: 400 for no Host, more than one, or one that is none; also with the absolute form.
        ("GET", "/", [String](), RequestTarget.Fault.hostMissing),
        ("GET", "http://docs.example/", [], .hostMissing),
        ("GET", "/", ["a.example", "a.example"], .severalHosts),
        ("GET", "/", [""], .malformedHost),
        ("GET", "/", ["a b"], .malformedHost),
        ("GET", "/", ["a.example/b"], .malformedHost),
        ("GET", "/", ["user@a.example"], .malformedHost),
        ("GET", "/", ["a.example:x"], .malformedHost),
        ("GET", "/", ["a.example:70000"], .malformedHost),
        ("GET", "/", ["a.example:1:2"], .malformedHost),
        ("GET", "/", ["a.example?b"], .malformedHost),
        ("GET", "/", ["::1"], .malformedHost),
        ("GET", "/", ["[::1]x"], .malformedHost),
        ("GET", "/", ["ä.example"], .malformedHost),
        ("GET", "/", ["1.2.3.400"], .malformedHost),
        ("GET", "*", ["a.example"], .malformedTarget),
        ("GET", "a.example:443", ["a.example"], .malformedTarget),
        ("GET", "/a#b", ["a.example"], .malformedTarget),
        ("GET", "http:a.example/", ["a.example"], .malformedTarget),
        ("GET", "http:///", ["a.example"], .malformedTarget),
        ("GET", "ftp://a.example/", ["a.example"], .unknownScheme),
        ("POST", "/", ["a.example"], .methodNotAllowed),
        ("OPTIONS", "*", ["a.example"], .methodNotAllowed),
        ("CONNECT", "a.example:443", ["a.example"], .methodNotAllowed),
        ("get", "/", ["a.example"], .methodNotAllowed),
    ])
    func `a meaningless request is refused`(
        _ method: String,
        _ target: String,
        _ hosts: [String],
        _ refusal: RequestTarget.Fault
    ) {
        #expect(throws: refusal) { try Self.parse(target, hosts, method: method) }
    }

    @Test func `an old client need not name a host`() throws {
        #expect(try Self.parse("/", [], needsHost: false) == .page(.home, LinkForm(.path, port: 8080)))
    }

    @Test func `a target longer than a URL may be is refused`() {
        let target = "/" + String(repeating: "a", count: RequestTarget.lengthLimit)
        #expect(throws: RequestTarget.Fault.targetTooLong) { try Self.parse(target, ["a.example"]) }
    }
}
