import Testing

@testable import AFCArchive

/// The xz format, by streams that Python's lzma (liblzma) made.
struct XZDecoderTests {
    /// The stream of 60 lines, with the strongest preset's dictionary.
    private static let lines =
        "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AsHAShdADYaSh8IoCYDTQad7+2MoT/IOM9thS+aaJmfL/bA0qMCNuh6OWKWoXfifhYq8Ot7Z+n0"
        + "vdZBGPZFgL6da33OEFG7HOVAYgJq93J0h6BZLieOElHfZ7TC15CH71w1n8gG3ttivnQDfyK4BVNGtWMEJmN6yc4zYv6Lniq/eGDyxL3B1MXc"
        + "ZGfllKoYwdr6ZoSOsTfJNiPWXJvg0eghB+hNMVRZ3nWHUHdPrb6hKBuUxddmjncBP3i2LVLoc9eKi0e31UYPYxN1xmRxIWxbBDqvDS80KoDh"
        + "rn67rgWuMsQ0GXOCjHhKWmlGf8YiYHtPKTIaRlcvhSpqpKtAcJYm5rSVaUxESXTNuVODpxmGSfn7/SGLeysDwhzUfM5pxvDDxWkIioQ4Lz9I"
        + "0tYAAIG3QOY/ADBgAAHEAogWAAAJmqoDscRn+wIAAAAABFla"

    private static let texts: [(stream: String, text: String)] = [
        ("/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=", ""),
        // A chunk that isn't compressed, and no checksum.
        ("/Td6WFoAAAD/EtlBAgAhARYAAAB0L+WjAQACYWJjAAAAARMDA6Vg2AZynnoBAAAAAABZWg==", "abc"),
        (lines, (0..<60).map { "line \($0) of a text that repeats itself, and \($0 * $0)\n" }.joined()),
    ]

    private static func bytes(_ text: String) -> [UInt8] {
        var decoder = Base64Decoder()
        return Array(text.utf8).withUnsafeBytes { decoder.decode($0) } ?? []
    }

    private static func decoded(_ bytes: [UInt8], pieces: Int = .max) throws -> (text: [UInt8], isFinished: Bool) {
        var decoder = XZDecoder()
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(1, bytes.count))) {
            try Array(bytes[start...].prefix(pieces)).withUnsafeBytes { piece in
                try decoder.decode(piece) { part in
                    text += part
                    return true
                }
            }
        }
        return (text, decoder.isFinished)
    }

    @Test(arguments: [1, 3, 64, 100_000])
    func `streams are decoded, whatever the pieces in which they arrive`(pieces: Int) throws {
        for (stream, text) in Self.texts {
            let result = try Self.decoded(Self.bytes(stream), pieces: pieces)
            #expect(result.text == Array(text.utf8) && result.isFinished)
        }
    }

    @Test func `any byte may be wrong or missing`() throws {
        let bytes = Self.bytes(Self.lines)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x55
            _ = try? Self.decoded(damaged)
            // The index and the end of the stream have 12 bytes each.
            #expect(try !Self.decoded(Array(bytes[..<min(index, bytes.count - 24)])).isFinished)
        }
    }

    @Test func `other filters and larger dictionaries are refused`() throws {
        let bytes = Self.bytes(Self.lines)
        // The number of filters, the filter, and the size of the dictionary.
        for (offset, value) in [(13, 1), (14, 4), (16, 29)] as [(Int, UInt8)] {
            var other = bytes
            other[offset] = value
            #expect(throws: XZDecoder.Malformation.unsupported) { try Self.decoded(other) }
        }
    }
}
