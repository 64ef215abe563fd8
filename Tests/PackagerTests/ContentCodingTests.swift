import Testing

@testable import AFCCrawler

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
        var decoder = try ContentDecoder(coding, maxExpansion: maxExpansion)
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
}
