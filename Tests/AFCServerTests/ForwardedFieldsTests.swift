import HTTPTypes
import Testing

@testable import AFCServer

/// What a gateway tells its origin of a client.
struct ForwardedFieldsTests {
    private static let trusted = AddressRange("192.0.2.0/24").map { [$0] } ?? []

    private static func sent(
        _ fields: [(String, String)],
        by peer: String?,
        host: String? = "docs.example:81",
        isSecure: Bool = false
    ) throws -> [String] {
        var request = ServerRequest(method: "GET", target: "/", hosts: ["h"], server: ServerIdentity(port: 80))
        for (name, value) in fields {
            request.fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        (request.remoteAddress, request.isSecure) = (peer, isSecure)
        let sent = ForwardedFields(trusted: trusted).applied(to: request, host: host)
        return (sent.fields + sent.originFields).map { "\($0.name.canonicalName): \($0.value)" }.sorted()
    }

    @Test func `what others say is replaced`() throws {
        let said = [
            ("X-Forwarded-For", "203.0.113.1"), ("Forwarded", "for=a"), ("x_real_ip", "1"), ("X-Forwarded-Ssl", "on"),
            ("X-Other", "1"),
        ]
        let sent = try Self.sent(said, by: "2001:db8::1", isSecure: true)
        #expect(
            sent == [
                "x-forwarded-for: 2001:db8::1", "x-forwarded-host: docs.example:81", "x-forwarded-proto: https",
                "x-other: 1",
            ]
        )
        #expect(try Self.sent([], by: nil, host: nil) == ["x-forwarded-proto: http"])
    }

    @Test func `what a trusted proxy says is kept, and the proxy is added`() throws {
        let both = [("X-Forwarded-For", "203.0.113.1"), ("X-Forwarded-For", "203.0.113.2"), ("Forwarded", "for=a")]
        #expect(
            try Self.sent(both + [("X-Forwarded-Host", "a.example"), ("X-Forwarded-Proto", "https")], by: "192.0.2.9")
                == [
                    "forwarded: for=a, for=192.0.2.9",
                    "x-forwarded-for: 203.0.113.1, 203.0.113.2, 192.0.2.9", "x-forwarded-host: a.example",
                    "x-forwarded-proto: https",
                ]
        )
        let older = try Self.sent([("X-Forwarded-For", "203.0.113.1")], by: "192.0.2.9", host: "docs.example")
        #expect(
            older == [
                "x-forwarded-for: 203.0.113.1, 192.0.2.9", "x-forwarded-host: docs.example", "x-forwarded-proto: http",
            ]
        )
    }
}
