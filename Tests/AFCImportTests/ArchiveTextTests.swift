import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCArchive

/// The texts within archives: dates, digests, heads of messages, base 64.
struct ArchiveTextTests {
    @Test(arguments: [
        ("2024", 1_704_067_200, 0), ("2024-02", 1_706_745_600, 0), ("2024-02-29", 1_709_164_800, 0),
        ("2024-02-29T12:34:56Z", 1_709_210_096, 0), ("2024-02-29T12:34Z", 1_709_210_040, 0),
        ("2024-02-29T12:34:56.5Z", 1_709_210_096, 500_000_000),
        ("2024-02-29T12:34:56.123456789012Z", 1_709_210_096, 123_456_789),
        ("2024-02-29T14:34:56.250+02:00", 1_709_210_096, 250_000_000),
        ("2024-02-29T07:34:56-0500", 1_709_210_096, 0), ("20240229123456", 1_709_210_096, 0),
        ("20240229123456789", 1_709_210_096, 789_000_000), ("201404010000000000", 1_396_310_400, 0),
        ("1970-01-01T00:00:00Z", 0, 0),
        ("2016-12-31T23:59:60Z", 1_483_228_799, 0),
    ])
    func `a date of any precision is read`(text: String, seconds: Int64, nanoseconds: Int32) throws {
        let date = try #require(ArchiveDate(text))
        #expect(date == ArchiveDate(time: Timestamp(secondsSinceEpoch: seconds), nanoseconds: nanoseconds))
    }

    @Test(arguments: ["", "today", "2024-13-01", "2024-01-32", "2024-01-01T25:00:00Z", "2024-01-01T00:00:00Zx", "20"])
    func `what isn't a date is none`(text: String) { #expect(ArchiveDate(text) == nil) }

    /// The digests of no bytes.
    @Test(arguments: [
        "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
        "SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
        "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
    ])
    func `a digest is the same in all its forms`(text: String) throws {
        let digest = try #require(StatedDigest(text))
        #expect(digest.canonical == "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709")
    }

    @Test(arguments: [
        "sha1:", "sha1", "sha1:abc", "sha512:00", "crc32:00000000", "sha256:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    ])
    func `what isn't a known digest is none`(text: String) { #expect(StatedDigest(text) == nil) }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 200), ("HTTP/1.0 404\n\n", 404), ("HTTP/2 301\r\n\r\n", 301),
        ("http/1.1 200 fine\r\n\r\n", 200), ("ICY 200 OK\r\n\r\n", 200), ("HTTP/1.1  200 OK\r\n\r\n", 200),
        ("HTTP/1.1\r\n\r\n", 0), ("HTTP/1.1 abc\r\n\r\n", 0), ("HTTP/1.1 2000\r\n\r\n", 0), ("HTTP/1.1 200", 200),
    ])
    func `a status line is read leniently`(text: String, status: Int) throws {
        let head = try #require(MessageHead(response: Array(text.utf8)))
        guard case .response(let found, _) = head.start else { return #expect(Bool(false)) }
        #expect(found == status)
    }

    @Test(arguments: ["", "<html>", "GET / HTTP/1.1\r\n\r\n", "\r\nHTTP/1.1 200 OK"])
    func `other bytes are no status line`(text: String) {
        #expect(MessageHead(response: Array(text.utf8)) == nil)
    }

    @Test func `fields may be folded, have bytes of any kind, or be none`() throws {
        let bytes =
            Array("HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n:status: 200\r\nno field\r\nX B: c\r\nX-C:d\r\nX-D: ".utf8)
            + [0xE9] + Array("\r\n\r\nX-E: f\r\n".utf8)
        let fields = try #require(MessageHead(response: bytes)).fields
        #expect(fields.map(\.name.rawName) == ["X-A", "X-C", "X-D"])
        #expect(fields[0].value == "one two" && fields[1].value == "d")
    }

    @Test(arguments: [1, 3, 1000])
    func `chunks are decoded with extensions and trailers`(pieces: Int) {
        let (decoder, body) = Self.dechunk("4;x=\"y\"\r\nWiki\r\n0005 \r\npedia\r\n0\r\nX-T: a\r\n\r\nrest", pieces)
        #expect(decoder.isFinished && !decoder.hasFailed && body == "Wikipedia")
    }

    @Test(arguments: [
        ("<html>", 0, ""), ("", 0, ""), ("4\r\nWikiX", 0, "Wiki"), ("4\r\nWiki\r\n", 1, "Wiki"),
        ("4\r\nWiki\r\n5\r\npe", 1, "Wikipe"), ("-1\r\n", 0, ""), ("ffffffffffffffffff\r\n", 0, ""),
        ("4\r\nWi", 0, "Wi"),
    ])
    func `what isn't chunked, or ends early, isn't finished`(text: String, chunks: Int, found: String) {
        let (decoder, body) = Self.dechunk(text, 2)
        #expect(!decoder.isFinished && decoder.chunks == chunks && body == found)
    }

    private static func dechunk(_ text: String, _ pieces: Int) -> (ChunkedDecoder, String) {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            Array(bytes[start..<min(start + pieces, bytes.count)]).withUnsafeBytes { decoder.decode($0) { body += $0 } }
        }
        return (decoder, String(decoding: body, as: UTF8.self))
    }

    @Test(arguments: [
        ("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("YW\r\nJj ZA==", "abcd"), ("YQ=", nil),
        ("YQ==YQ==", nil), ("<p>hello</p>", nil), ("=", nil), ("YWJ-_w==", "ab~\u{FFFD}"), ("YQ", "a"), ("YWI", "ab"),
        ("YWJjZA", "abcd"), ("Y", nil), ("YWJjZ", nil),
    ])
    func `base 64 is decoded strictly, but for white space and padding`(text: String, expected: String?) {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        for byte in text.utf8 { [byte].withUnsafeBytes { bytes += decoder.decode($0) ?? [] } }
        let rest = decoder.finish()
        #expect(rest.map { String(decoding: bytes + $0, as: UTF8.self) } == expected)
    }
}
