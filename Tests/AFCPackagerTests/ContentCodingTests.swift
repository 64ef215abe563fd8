import AFCCoding
import Foundation
import HTTPTypes
import Testing

/// Bodies that Python has coded, in pieces of any size.
struct ContentCodingTests {
    private static let text = String(repeating: "a body that is worth its coding, ", count: 40)

    /// What Python makes of the text.
    private func coded(_ expression: String) throws -> [UInt8] {
        let text = "t=b'a body that is worth its coding, '*40"
        return try run("python3", "-c", "import gzip,sys,zlib; \(text); sys.stdout.buffer.write(\(expression))")
    }

    private func decoded(_ bytes: [UInt8], coding: ContentCoding, pieces: Int, maxExpansion: Int = 250) throws -> String
    {
        try decoded(bytes, [coding], pieces: pieces, maxExpansion: maxExpansion)
    }

    private func decoded(_ bytes: [UInt8], _ codings: [ContentCoding], pieces: Int, maxExpansion: Int = 250) throws
        -> String
    {
        var decoder = try ContentDecoder(codings, maxExpansion: maxExpansion)
        var body: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try Array(rest.prefix(pieces)).withUnsafeBytes { piece in
                _ = try decoder.decode(piece) {
                    body += $0; return true
                }
            }
            rest = rest.dropFirst(pieces)
        }
        try decoder.finish()
        return String(decoding: body, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("gzip.compress(t)", .gzip), ("zlib.compress(t)", .deflate), ("zlib.compress(t, wbits=-15)", .deflate),
            ("gzip.compress(t[:500]) + gzip.compress(t[500:])", .gzip), ("gzip.compress(t) + bytes(512)", .gzip),
        ] as [(String, ContentCoding)]
    )
    func `a coding is removed, whatever the pieces`(expression: String, coding: ContentCoding) throws {
        let bytes = try coded(expression)
        for pieces in [1, 7, 100, Int.max] {
            #expect(try decoded(bytes, coding: coding, pieces: pieces) == Self.text, "\(pieces)")
        }
    }

    @Test func `damaged, truncated or too large data is refused`() throws {
        var bytes = try coded("gzip.compress(t)")
        #expect(throws: ContentDecoder.Failure.truncated) {
            try decoded(Array(bytes.dropLast(9)), coding: .gzip, pieces: 100)
        }
        #expect(throws: ContentDecoder.Failure.expansion) {
            try decoded(bytes, coding: .gzip, pieces: .max, maxExpansion: 2)
        }
        bytes[bytes.count - 6] ^= 1
        #expect(throws: ContentDecoder.Failure.damaged(.gzip)) { try decoded(bytes, coding: .gzip, pieces: 100) }
        #expect(throws: ContentDecoder.Failure.damaged(.gzip)) {
            try decoded(Array("no gzip at all".utf8), coding: .gzip, pieces: 100)
        }
        #expect(try decoded([], coding: .gzip, pieces: 1) == "")
    }

    /// What the programs `brotli` and `zstd` make of the text; the last are two frames, and one that says 'skip me'.
    private static let others: [(ContentCoding, String)] = [
        (.brotli, "sTgpwG+kdDNWUYeNpb1JkDm6XkQSWQzTMAREUUnEd5Kc6XgnDwY="),
        (.zstandard, "KLUv/WAoBFUBABQCYSBib2R5IHRoYXQgaXMgd29ydGggaXRzIGNvZGluZywgAQAhiPzqCQ=="),
        (
            .zstandard,
            "KLUv/QRYVQEAFAJhIGJvZHkgdGhhdCBpcyB3b3J0aCBpdHMgY29kaW5nLCABAIEmqnoCukEjJSi1L/0EWFUBABQCeSB0aGF0IGlzIHdvcnRo"
                + "IGl0cyBjb2RpbmcsIGEgYm9kAQCBSCr1BBzOuN4="
        ),
    ]

    @Test func `Brotli and Zstandard are removed, whatever the pieces, and cut ones are truncated`() throws {
        for (coding, text) in Self.others {
            let bytes = Array(try #require(Data(base64Encoded: text)))
            for pieces in [1, 7, 100, Int.max] {
                #expect(try decoded(bytes, coding: coding, pieces: pieces) == Self.text, "\(coding), \(pieces)")
            }
            #expect(throws: ContentDecoder.Failure.truncated) {
                try decoded(bytes.dropLast(), coding: coding, pieces: 7)
            }
            #expect(throws: ContentDecoder.Failure.expansion) {
                try decoded(bytes, coding: coding, pieces: 7, maxExpansion: 2)
            }
            #expect(throws: ContentDecoder.Failure.damaged(coding)) {
                try decoded([0xFF, 0xFE] + bytes, coding: coding, pieces: 7)
            }
        }
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 7, 0, 0, 0] + Array("skip me".utf8)
        let frame = Array(try #require(Data(base64Encoded: Self.others[1].1)))
        #expect(try decoded(skipped + frame + skipped, coding: .zstandard, pieces: 5) == Self.text)
    }

    @Test func `a Zstandard window above that of HTTP is refused`() throws {
        // A frame whose header says a window of 16 MiB (RFC 8878 §3.1.1.1.2), twice what RFC 9659 permits.
        let bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 0x09, 0x00, 0x00, 0x61]
        #expect(throws: ContentDecoder.Failure.damaged(.zstandard)) {
            try decoded(bytes, coding: .zstandard, pieces: 100)
        }
        var allowed = bytes
        allowed[5] = 13 << 3
        #expect(try decoded(allowed, coding: .zstandard, pieces: 100) == "a")
    }

    @Test(arguments: ["gzip.compress(gzip.compress(t))", "zlib.compress(gzip.compress(t))"])
    func `codings in a row are removed in reverse order`(expression: String) throws {
        let last: ContentCoding = expression.hasPrefix("zlib") ? .deflate : .gzip
        let bytes = try coded(expression)
        for pieces in [1, 7, Int.max] { #expect(try decoded(bytes, [.gzip, last], pieces: pieces) == Self.text) }
        #expect(throws: ContentDecoder.Failure.truncated) {
            try decoded(bytes.dropLast(9), [.gzip, last], pieces: 7)
        }
    }

    @Test(
        arguments: [
            ("gzip", [.gzip]), ("X-GZIP, identity", [.gzip]), ("br", [.brotli]), ("gzip, gzip", [.gzip, .gzip]),
            ("deflate , zstd", [.deflate, .zstandard]), ("gzip, gzip, br", [.gzip, .gzip, .brotli]), ("", []),
            // Names that aren't codings count as none, as in curl and Chromium.
            ("none", []), ("utf-8", []), ("UTF-8, gzip", [.gzip]), ("text/html", []),
            // Registered codings that can't be decoded, and more than anybody uses.
            ("compress", nil), ("gzip, aes128gcm", nil), ("gzip, gzip, gzip, gzip", nil), ("br, zstd", nil),
        ] as [(String, [ContentCoding]?)]
    )
    func `a list of codings is read as RFC 9110 has it`(value: String, codings: [ContentCoding]?) {
        let fields: HTTPFields = [.contentEncoding: value]
        guard let codings else {
            #expect(throws: ContentCoding.Unsupported.self) { try ContentCoding.named(by: fields) }
            return
        }
        #expect(throws: Never.self) {
            let found = try ContentCoding.named(by: fields)
            #expect(found == codings)
        }
    }
}
