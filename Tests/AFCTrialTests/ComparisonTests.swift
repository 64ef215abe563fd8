import Testing

@testable import AFCTrial

struct ComparisonTests {
    @Test(
        arguments: [
            ("", "", 0, 0), ("a b c d", "a b c d", 0, 0), ("a b c", "a b c d", 0.25, 0), ("a b c d", "a b", 0, 0.5),
            ("A, b!", "b a", 0, 0), ("", "a", 1, 0), ("a", "", 0, 1), ("a a", "a", 0, 0.5), ("x y", "a b", 1, 1),
        ] as [(String, String, Double, Double)]
    )
    func `texts are compared as bags of words`(text: String, other: String, missing: Double, new: Double) {
        let comparison = TextComparison(text, with: other)
        #expect(comparison.missing == missing)
        #expect(comparison.new == new)
    }

    private func picture(
        _ width: Int = 64,
        _ height: Int = 32,
        _ color: (Int, Int) -> [UInt8] = { _, _ in [200, 200, 200] }
    ) -> PNGImage {
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } }
        return PNGImage(width: width, height: height, channels: 3, pixels: pixels)
    }

    @Test func `pictures are compared by the means of blocks`() {
        #expect(PictureComparison.difference(picture(), picture()) == 0)
        // A hair of a line, and a shade that nobody sees.
        #expect(
            PictureComparison.difference(picture(), picture { x, _ in x == 20 ? [0, 0, 0] : [200, 200, 200] }) == 0
        )
        #expect(PictureComparison.difference(picture(), picture { _, _ in [190, 210, 200] }) == 0)
        // A quarter of the blocks, of one color only.
        #expect(PictureComparison.difference(picture(), picture { x, _ in [200, 200, x < 16 ? 0 : 200] }) == 0.25)
        #expect(PictureComparison.difference(picture(), picture { _, _ in [0, 0, 0] }) == 1)
        // What only one of them has.
        #expect(PictureComparison.difference(picture(), picture(64, 64)) == 0.5)
    }

    /// Made with Python's zlib: 3 × 5 pixels, and a row for each of the five filters.
    private static let file: [UInt8] = hex(
        """
        89504e470d0a1a0a0000000d49484452000000030000000508020000000f13c1f50000003d49444154789c013200cdff
        0082b70eee7f1a5039be01f07ec24401443a5189026d498ff0c8ddd2737103d4084641fcec56191e045bf9563bb6f434
        49b61f67161781ff860e0000000049454e44ae426082
        """
    )

    /// The pixels of the file, from the same program.
    private static let pixels: [UInt8] = hex(
        """
        82b70eee7f1a5039be
        f07ec2347f066ed08f
        5dc7512447e3404300
        026b6e545594a06568
        5d64c4980bb8d4544a
        """
    )

    private static func hex(_ text: String) -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
    }

    @Test func `a picture is read whatever its filters are`() throws {
        let image = try #require(PNGImage(Self.file))
        #expect(image == PNGImage(width: 3, height: 5, channels: 3, pixels: Self.pixels))
    }

    @Test func `a file that is no picture, or a damaged one, is none`() {
        #expect(PNGImage([]) == nil)
        #expect(PNGImage(Array("GIF89a".utf8)) == nil)
        // The last chunk, of 12 bytes, has nothing.
        for count in 0..<(Self.file.count - 12) { #expect(PNGImage(Array(Self.file.prefix(count))) == nil) }
    }
}
