import AFCZip
import TestSupport
import Testing

/// Bodies that Python has coded, in pieces of any size.
struct ContentDecoderTests {
    private static let text = String(repeating: "a body that is worth its coding, ", count: 40)

    /// What Python makes of the text on its standard input.
    private func coded(_ expression: String) throws -> [UInt8] {
        let scratch = try Scratch()
        let program =
            "import gzip,sys,zlib; t=open(sys.argv[1],'rb').read(); open(sys.argv[2],'wb').write(\(expression))"
        let input = try scratch.write(Array(Self.text.utf8), to: "text")
        let result = try Program.run("python3", ["-c", program, input, scratch.path("coded")])
        #expect(result.status == 0, "\(result.errors)")
        return try scratch.read("coded")
    }

    private func decoded(_ bytes: [UInt8], isGzip: Bool, pieces: Int, maxExpansion: Int = 250) throws -> String {
        var decoder = try ContentDecoder(isGzip: isGzip, maxExpansion: maxExpansion)
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

    @Test(arguments: [
        ("gzip.compress(t)", true), ("zlib.compress(t)", false), ("zlib.compress(t, wbits=-15)", false),
        ("gzip.compress(t[:500]) + gzip.compress(t[500:])", true), ("gzip.compress(t) + bytes(512)", true),
    ])
    func `a coding is removed, whatever the pieces`(expression: String, isGzip: Bool) throws {
        let bytes = try coded(expression)
        for pieces in [1, 7, 100, Int.max] {
            #expect(try decoded(bytes, isGzip: isGzip, pieces: pieces) == Self.text, "\(pieces)")
        }
    }

    @Test func `what is damaged, cut or too large is refused`() throws {
        var bytes = try coded("gzip.compress(t)")
        #expect(throws: ContentDecoder.Failure.truncated) {
            try decoded(Array(bytes.dropLast(9)), isGzip: true, pieces: 100)
        }
        #expect(throws: ContentDecoder.Failure.expansion) {
            try decoded(bytes, isGzip: true, pieces: .max, maxExpansion: 2)
        }
        bytes[bytes.count - 6] ^= 1
        #expect(throws: ContentDecoder.Failure.damaged) { try decoded(bytes, isGzip: true, pieces: 100) }
        #expect(throws: ContentDecoder.Failure.damaged) {
            try decoded(Array("no gzip at all".utf8), isGzip: true, pieces: 100)
        }
        #expect(try decoded([], isGzip: true, pieces: 1) == "")
    }
}
