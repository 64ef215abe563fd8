import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// Digests of bodies on request; each case names its section of RFC 9530.
struct BodyDigestTests {
    /// The SHA-256 of "hello" and a line feed, and the same in Base64, both from coreutils.
    private static let digest = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    private static let sent = "sha-256=:WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=:"
    private static let wishes = ["Want-Repr-Digest: sha-256=1", "Want-Content-Digest: sha-256=1"]

    private static func stored(
        _ source: StoredResponse.Source = .package,
        status: Int = 200,
        _ extra: [String] = []
    ) -> StoredResponse {
        StoredResponse(
            status: status,
            fields: fields(["Date: @0", "ETag: \"v1\"", "Cache-Control: max-age=600"] + extra),
            size: 6,
            received: Timestamp(secondsSinceEpoch: 1_000_000_000),
            sha256: digest,
            requestFields: HTTPFields(),
            source: source
        )
    }

    private static func answer(
        _ stored: StoredResponse,
        _ request: [String],
        _ method: HTTPRequest.Method = .get
    ) -> Resolution {
        OfflineDecision.decide(
            CacheRequest(method: method, fields: fields(request)),
            stored: [stored],
            now: Timestamp(secondsSinceEpoch: 1_000_000_060),
            policy: OfflinePolicy()
        ).resolution
    }

    @Test(
        arguments: [
            ("sha-256=1", true), ("sha-256=10", true), ("sha-512=3, sha-256=10, unixsum=0", true),
            ("sha-512=10, sha-256=1", true), ("unknown=10, sha-256=2", true), ("sha-256=5;x=y", true),
            ("sha-512=0,sha-256=1", true), ("  sha-256=1  ", true), ("sha-256=0, sha-256=3", true),
            ("sha-256=0", false), ("sha-256=3, sha-256=0", false), ("sha-256=11", false), ("sha-256=-1", false),
            ("sha-256=1.0", false), ("sha-256=\"1\"", false), ("sha-256", false), ("sha-256=?1", false),
            ("sha-256=(1)", false), ("sha-256=:AQ==:", false), ("SHA-256=1", false), ("sha-512=10", false),
            ("md5=10", false), ("", false), ("sha-256=1,", false), ("sha-256=1 sha-512=1", false), (",", false),
            ("*", false), ("sha-256=x", false), ("sha-256=1111111111111111", false),
        ]
    )
    func `§4: preferences from 1 to 10 for a known algorithm are heeded`(wish: String, isSent: Bool) {
        let answer = Self.answer(Self.stored(), ["Want-Repr-Digest: \(wish)"])
        #expect(answer.fields[.reprDigest] == (isSent ? Self.sent : nil))
        #expect(answer.fields[.contentDigest] == nil)
        let other = Self.answer(Self.stored(), ["Want-Content-Digest: \(wish)"])
        #expect(other.fields[.contentDigest] == (isSent ? Self.sent : nil) && other.fields[.reprDigest] == nil)
    }

    @Test func `§4: several lines are one dictionary, and nobody gets a digest unasked`() {
        let lines = ["Want-Repr-Digest: sha-512=10", "Want-Repr-Digest: sha-256=1"]
        #expect(Self.answer(Self.stored(), lines).fields[.reprDigest] == Self.sent)
        #expect(Self.answer(Self.stored(), lines.reversed()).fields[.reprDigest] == Self.sent)
        #expect(Self.answer(Self.stored(), []).fields[.reprDigest] == nil)
        let long = "Want-Repr-Digest: sha-256=1, " + String(repeating: "x=1, ", count: 1000) + "y=1"
        #expect(Self.answer(Self.stored(), [long]).fields[.reprDigest] == nil, "a bound on the length")
    }

    @Test(
        arguments: [
            // A part of a representation: the digest is that of the whole (§3, Appendix B.6).
            (.get, ["Range: bytes=0-1"], 206, true, false), (.get, ["Range: bytes=0-1,3-4"], 206, true, false),
            (.get, ["Range: bytes=0-5"], 206, true, true), (.get, ["Range: bytes=9-"], 416, false, false),
            (.get, ["If-None-Match: \"v1\""], 304, false, false), (.get, ["If-Match: \"v2\""], 412, false, false),
            (.get, ["If-None-Match: \"v2\""], 200, true, true),
            // The content of a response to HEAD is empty (Appendix B.2).
            (.head, [], 200, true, false), (.head, ["Range: bytes=0-1"], 200, true, false), (.get, [], 200, true, true),
        ] as [(HTTPRequest.Method, [String], Int, Bool, Bool)]
    )
    func `§2, §3: the digest of the representation, and that of the content`(
        _ method: HTTPRequest.Method,
        _ request: [String],
        _ status: Int,
        _ hasRepr: Bool,
        _ hasContent: Bool
    ) {
        for source in [StoredResponse.Source.package, .received] {
            let answer = Self.answer(Self.stored(source), request + Self.wishes, method)
            #expect(answer.status.code == status)
            #expect(answer.fields[.reprDigest] == (hasRepr ? Self.sent : nil))
            #expect(answer.fields[.contentDigest] == (hasContent ? Self.sent : nil))
        }
    }

    @Test(arguments: [200, 203, 300, 404, 410, 204, 301])
    func `§3: each status with a representation`(status: Int) {
        let answer = Self.answer(Self.stored(status: status), Self.wishes)
        #expect(answer.fields[.reprDigest] == (status == 204 ? nil : Self.sent))
    }

    @Test func `§3: the digest of a stored part isn't that of the representation`() {
        let stored = Self.stored(.received, status: 206, ["Content-Range: bytes 10-15/100"])
        let all = Self.answer(stored, ["Range: bytes=10-15"] + Self.wishes)
        #expect(all.status.code == 206 && all.fields[.reprDigest] == nil && all.fields[.contentDigest] == Self.sent)
        let some = Self.answer(stored, ["Range: bytes=10-14"] + Self.wishes)
        #expect(some.status.code == 206 && some.fields[.reprDigest] == nil && some.fields[.contentDigest] == nil)
    }

    @Test func `§3: the digest is that of the bytes with their coding, or isn't sent`() {
        let received = Self.stored(.received, ["Content-Encoding: gzip"])
        #expect(Self.answer(received, Self.wishes).fields[.reprDigest] == Self.sent)
        var made = Self.stored()
        made.coding = .gzip
        let answer = Self.answer(made, Self.wishes)
        #expect(answer.fields[.reprDigest] == nil && answer.fields[.contentDigest] == nil)
        made.coding = .identity
        #expect(Self.answer(made, Self.wishes).fields[.reprDigest] == Self.sent)
        made.sha256 = nil
        #expect(Self.answer(made, Self.wishes).fields[.reprDigest] == nil)
    }

    @Test(
        arguments: [
            // A package has the body without the coding that its origin used.
            (.package, [], true), (.package, ["Content-Encoding: gzip"], false), (.received, [], true),
            (.received, ["Content-Encoding: gzip"], true),
        ] as [(StoredResponse.Source, [String], Bool)]
    )
    func `an older digest is passed on if it is of these bytes`(
        _ source: StoredResponse.Source,
        _ coding: [String],
        _ isSent: Bool
    ) throws {
        let older = ["Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==", "Digest: md5=AAAA"]
        let answer = Self.answer(Self.stored(source, coding + older), [])
        for name in ["Content-MD5", "Digest"] {
            #expect((answer.fields[try #require(HTTPField.Name(name))] != nil) == isSent, "\(name)")
        }
    }

    @Test(
        arguments: [
            // Of other bytes than the package's, mostly those with the origin's coding.
            (.package, "sha-256=:AAAA:", nil), (.package, "sha-512=:AAAA:", nil), (.package, "x", nil),
            (.package, sent, sent), (.package, "sha-512=:AAAA:, " + sent, "sha-512=:AAAA:, " + sent),
            // What was received is stored as it was sent.
            (.received, "sha-256=:AAAA:", "sha-256=:AAAA:"), (.received, "sha-512=:AAAA:", "sha-512=:AAAA:"),
        ] as [(StoredResponse.Source, String, String?)]
    )
    func `§3: an origin's digest is passed on if it can be that of the body`(
        _ source: StoredResponse.Source,
        _ value: String,
        _ expected: String?
    ) {
        let stored = Self.stored(source, ["Repr-Digest: \(value)", "Content-Digest: \(value)"])
        let plain = Self.answer(stored, [])
        #expect(plain.fields[.reprDigest] == expected && plain.fields[.contentDigest] == expected)
        // A client that wants one gets it once.
        let wanted = Self.answer(stored, Self.wishes).fields[values: .reprDigest].joined(separator: ",")
        #expect(wanted.ranges(of: "sha-256").count == 1)
        // The content is a part, or nothing.
        #expect(Self.answer(stored, ["Range: bytes=0-1"]).fields[.contentDigest] == nil)
        #expect(Self.answer(stored, ["Range: bytes=0-1,3-4"]).fields[.contentDigest] == nil)
        #expect(Self.answer(stored, [], .head).fields[.contentDigest] == nil)
        #expect(Self.answer(stored, [], .head).fields[.reprDigest] == expected)
    }
}
