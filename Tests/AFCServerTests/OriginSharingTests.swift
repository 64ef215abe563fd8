import AFCCache
import AFCHTTP
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/serve.md, "Between packaged origins".
struct OriginSharingTests {
    private static func packaged() throws -> Set<PackagedOrigin> {
        Set(
            try ["https://docs.example", "http://plain.example", "http://localhost:3000", "https://[2001:db8::1]"]
                .compactMap {
                    PackagedOrigin(try WebURL($0 + "/"))
                }
        )
    }

    private static func form(_ port: UInt16 = 8080, base: String = "localhost") -> LinkForm {
        var form = LinkForm(.originName, port: port)
        form.base = base
        return form
    }

    @Test(
        arguments: [
            ("http://docs-example.localhost:8080", "https://docs.example"),
            ("http://plain-example---80.localhost:8080", "http://plain.example"),
            ("http://localhost---3000.localhost:8080", "http://localhost:3000"),
            (
                "http://o---\(OriginName.label(of: PackagedOrigin(.https, Authority(host: "[2001:db8::1]", port: nil))).dropFirst(4)).localhost:8080",
                "https://[2001:db8::1]"
            ),
            // Origins that no package has, foreign websites, other ports, other servers, and what isn't an origin.
            ("http://other-example.localhost:8080", nil), ("https://evil.example", nil),
            ("http://evil.localhost:8080", nil),
            ("http://docs-example.localhost", nil), ("http://docs-example.localhost:9090", nil),
            ("https://docs-example.localhost:8080", nil), ("http://docs.example.localhost:8080", nil),
            ("http://docs-example.localhost.evil.example:8080", nil), ("http://docs-example.evillocalhost:8080", nil),
            ("http://localhost:8080", nil), ("null", nil), ("", nil), ("http://docs-example.localhost:8080/", nil),
            ("http://a@docs-example.localhost:8080", nil),
        ] as [(String, String?)]
    )
    func `only the name of a packaged origin is one`(_ origin: String, _ requester: String?) throws {
        let sharing = OriginSharing(origin, form: Self.form(), packaged: try Self.packaged())
        #expect(sharing?.requester.text == requester)
        for kind in [LinkForm.Kind.proxy, .hostField, .site, .besideSite, .path, .pathElsewhere] {
            #expect(OriginSharing(origin, form: LinkForm(kind, port: 8080), packaged: try Self.packaged()) == nil)
        }
    }

    @Test(
        arguments: [
            ("*", false, true), ("https://docs.example", false, true), (" https://docs.example ", true, true),
            (nil, true, true), (nil, false, false), ("https://other.example", true, false), ("null", true, false),
            ("http://docs.example", false, false), ("", true, false),
        ] as [(String?, Bool, Bool)]
    )
    func `a stored response allows, and within one package one that says nothing`(
        _ allowed: String?,
        _ isOnePackage: Bool,
        _ isShared: Bool
    ) throws {
        let name = "http://docs-example.localhost:8080"
        let sharing = try #require(OriginSharing(name, form: Self.form(), packaged: try Self.packaged()))
        let field = try #require(HTTPField.Name("Access-Control-Allow-Origin"))
        let policy = try #require(HTTPField.Name("Cross-Origin-Resource-Policy"))
        var stored = HTTPFields()
        stored[field] = allowed
        var fields: HTTPFields = [policy: "same-site"]
        sharing.apply(to: &fields, stored: stored, isOnePackage: isOnePackage)
        #expect(fields[field] == (isShared ? name : nil))
        #expect(fields[policy] == (isShared ? "cross-origin" : "same-site"))
    }

    @Test func `another port of the same host is another package's, unless it is in the same one`() async throws {
        let scratch = try Scratch()
        let bodies = [("https://a.example/data.json", "1"), ("https://a.example:8443/b.json", "2")]
        for body in bodies {
            let name = body.0.contains("8443") ? "b" : "a"
            _ = try await RealStoreTests.store(in: scratch.path, bodies: [body], package: name)
        }
        let store = try DiskCache(path: scratch.path + "/store", access: .readOnly)
        try await withServer(store) { port, _ async throws in
            let origin = "Origin: http://a-example---s8443.localhost:\(port)"
            let host = "a-example.localhost:\(port)"
            let foreign = try await RawClient.get(port: port, "/data.json", host: host, method: "GET", origin)
            #expect(foreign.text == "1")
            #expect(foreign["access-control-allow-origin"] == nil)
        }
        _ = try await RealStoreTests.store(in: scratch.path, bodies: bodies, package: "a")
        let one = try DiskCache(path: scratch.path + "/store", access: .readOnly)
        try await withServer(one) { port, _ async throws in
            let origin = "http://a-example---s8443.localhost:\(port)"
            let host = "a-example.localhost:\(port)"
            let own = try await RawClient.get(port: port, "/data.json", host: host, method: "GET", "Origin: \(origin)")
            #expect(own["access-control-allow-origin"] == origin)
        }
    }
}
