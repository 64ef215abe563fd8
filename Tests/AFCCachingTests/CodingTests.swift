import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// The choice of gzip or no coding, and what it means for a response.
struct CodingTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate, br", false),
            ("gzip, deflate, br", true), ("gzip;q=0", false), ("gzip;q=0.000", false), ("gzip;q=0.001", true),
            ("*", true), ("*;q=0", false), ("gzip;q=0, *", false), ("identity", false), ("identity, gzip;q=0.5", false),
            ("identity;q=0.5, gzip;q=0.5", true), ("identity;q=0, gzip;q=0.1", true), ("gzip ; q=1.000", true),
            ("gzip;q=2", false), ("gzip;q=-1", false), ("gzip;q=0.0001", false), ("gzip;q=x", false), ("gzip;q", false),
            ("gzip;q=1;a=b", false), ("zip", false), ("gzip;q=0, gzip", false), (",gzip,", true),
            ("*;q=0.5, identity;q=1", false),
        ] as [(String?, Bool)]
    )
    func `gzip is chosen if the client accepts it and prefers nothing to it (RFC 9110 §12.5.3)`(
        _ value: String?,
        _ isGzip: Bool
    ) {
        var fields = HTTPFields()
        if let value { fields[.acceptEncoding] = value }
        #expect(AcceptedCodings(fields).prefersGzip == isGzip)
    }

    @Test func `several lines of Accept-Encoding are one list`() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .acceptEncoding, value: "br"))
        fields.append(HTTPField(name: .acceptEncoding, value: "gzip"))
        #expect(AcceptedCodings(fields).prefersGzip)
    }

    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    private static func answer(
        _ coding: StoredResponse.Coding?,
        _ fields: HTTPFields,
        asking request: HTTPFields = HTTPFields(),
        method: HTTPRequest.Method = .get
    ) -> Resolution {
        var stored = StoredResponse(
            status: 200,
            fields: fields,
            size: 100,
            received: now,
            sha256: String(repeating: "ab", count: 32)
        )
        stored.coding = coding
        return OfflineDecision.decide(
            CacheRequest(method: method, fields: request),
            stored: [stored],
            now: now,
            policy: OfflinePolicy()
        ).resolution
    }

    private static let made = "\"" + String(repeating: "ab", count: 16)

    @Test(
        arguments: [
            (nil, nil, "\(made)\""), (.identity, nil, "\(made)\""), (.gzip, nil, "\(made)-gzip\""),
            (.identity, "\"v1\"", "\"v1\""), (.gzip, "\"v1\"", "\"v1-gzip\""),
            // A weak tag may be shared (RFC 9110 §8.8.3.3).
            (.gzip, "W/\"v1\"", "W/\"v1\""), (.identity, "v1", "v1"), (.gzip, "v1", nil),
        ] as [(StoredResponse.Coding?, String?, String?)]
    )
    func `a strong entity tag differs between codings`(
        _ coding: StoredResponse.Coding?,
        _ stored: String?,
        _ sent: String?
    ) {
        var fields = HTTPFields()
        if let stored { fields[.eTag] = stored }
        #expect(Self.answer(coding, fields).fields[.eTag] == sent)
        #expect(Self.answer(coding, fields, method: .head).fields[.eTag] == sent)
    }

    @Test func `the fields name the coding, and that it was chosen`() {
        let plain = Self.answer(nil, HTTPFields()).fields
        #expect(plain[.contentEncoding] == nil && plain[.vary] == nil && plain[.acceptRanges] == "bytes")
        let identity = Self.answer(.identity, HTTPFields()).fields
        #expect(identity[.contentEncoding] == nil && identity[.vary] == "Accept-Encoding")
        #expect(identity[.acceptRanges] == "bytes" && identity[.contentLength] == "100")
        let gzip = Self.answer(.gzip, HTTPFields()).fields
        #expect(gzip[.contentEncoding] == "gzip" && gzip[.vary] == "Accept-Encoding")
        #expect(gzip[.acceptRanges] == nil && gzip[.contentLength] == "100")
        var fields = HTTPFields()
        fields[.vary] = "Origin, accept-encoding"
        #expect(Self.answer(.gzip, fields).fields[values: .vary] == ["Origin, accept-encoding"])
        fields[.vary] = "Origin"
        #expect(Self.answer(.identity, fields).fields[values: .vary] == ["Origin", "Accept-Encoding"])
    }

    @Test func `digests of the body without a coding aren't sent with gzip`() throws {
        var fields = HTTPFields()
        for name in ["Digest", "Content-MD5"] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "x"))
        }
        #expect(Self.answer(.identity, fields).fields.count(where: { $0.value == "x" }) == 2)
        #expect(Self.answer(.gzip, fields).fields.count(where: { $0.value == "x" }) == 0)
    }

    @Test(
        arguments: [
            (.gzip, "\"v1-gzip\"", 304), (.gzip, "\"v1\"", 200), (.gzip, "*", 304), (.identity, "\"v1\"", 304),
            (.identity, "\"v1-gzip\"", 200), (.gzip, "W/\"v1-gzip\"", 304), (.gzip, "\"v1\", \"v1-gzip\"", 304),
        ] as [(StoredResponse.Coding, String, Int)]
    )
    func `a condition is compared with the tag of the coding`(
        _ coding: StoredResponse.Coding,
        _ condition: String,
        _ status: Int
    ) {
        var (fields, request) = (HTTPFields(), HTTPFields())
        fields[.eTag] = "\"v1\""
        request[.ifNoneMatch] = condition
        let answer = Self.answer(coding, fields, asking: request)
        #expect(answer.status.code == status)
        #expect(answer.fields[.vary] == "Accept-Encoding")
    }

    @Test func `a range of a body with gzip is ignored, and one without it isn't`() {
        var request = HTTPFields()
        request[.range] = "bytes=0-9"
        #expect(Self.answer(.gzip, HTTPFields(), asking: request).status == .ok)
        let part = Self.answer(.identity, HTTPFields(), asking: request)
        #expect(part.status == .partialContent && part.fields[.vary] == "Accept-Encoding")
        request[.ifRange] = Self.made + "-gzip\""
        #expect(Self.answer(.identity, HTTPFields(), asking: request).status == .ok)
    }
}
