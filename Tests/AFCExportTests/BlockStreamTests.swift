import AFCText
import Testing

@testable import AFCExport
@testable import AFCZip

/// The bytes of an exported file in its elements.
struct BlockStreamTests {
    @Test(arguments: [0, 1, 1000, BlockStream.blockSize - 1, BlockStream.blockSize, 2 * BlockStream.blockSize + 7])
    func `bytes come back from the elements, whatever the pieces`(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        var elements: [[String]] = []
        for piece in [max(size, 1), 70_001, 300_000] {
            var written: [String] = []
            try Self.write(bytes, in: piece) { written.append($0) }
            elements.append(written)
        }
        #expect(elements[0] == elements[1] && elements[1] == elements[2])
        #expect(elements[0].count == (size + BlockStream.blockSize - 1) / BlockStream.blockSize)
        var found: [UInt8] = []
        for (number, element) in elements[0].enumerated() {
            let (start, end) = ("<script type=x id=b\(number)>", "</script>\n")
            try #require(element.hasPrefix(start) && element.hasSuffix(end))
            var data = try #require(Base64.decode(element.dropFirst(start.count).dropLast(end.count)))
            var block = [UInt8](repeating: 0, count: min(BlockStream.blockSize, size - found.count))
            let inflater = try WholeInflater()
            let isWhole = data.withUnsafeMutableBytes { data in
                block.withUnsafeMutableBytes { inflater.inflate(data, into: $0) }
            }
            #expect(isWhole)
            found += block
        }
        #expect(found == bytes)
    }

    private static func write(_ bytes: [UInt8], in piece: Int, _ take: @escaping (String) -> Void) throws {
        var stream = try BlockStream("b") { take($0) }
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try Array(bytes[start..<min(start + piece, bytes.count)]).withUnsafeBytes { try stream.append($0) }
        }
        try stream.flush()
        #expect(stream.size == Int64(bytes.count))
    }
}
