import Testing

@testable import AFCArchive

/// The parts of a ZIM file, by https://wiki.openzim.org/wiki/ZIM_file_format; none is believed.
struct ZIMReaderTests {
    private static func little(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// The first 80 bytes of a file of 400 bytes with 3 entries and 2 clusters, with some numbers replaced.
    private static func beginning(_ changes: [(offset: Int, value: UInt64, size: Int)] = []) -> [UInt8] {
        var bytes: [UInt8] = [0x5A, 0x49, 0x4D, 0x04, 6, 0, 1, 0] + [UInt8](repeating: 7, count: 16)
        for (value, size) in [
            (3, 4), (2, 4), (100, 8), (124, 8), (136, 8), (80, 8), (1, 4), (0xFFFF_FFFF, 4), (384, 8),
        ] {
            bytes += little(UInt64(value), size)
        }
        for (offset, value, size) in changes {
            bytes.replaceSubrange(offset..<(offset + size), with: little(value, size))
        }
        return bytes
    }

    @Test func `the beginning says where the lists are`() throws {
        let header = try ZIMHeader(Self.beginning(), fileSize: 400)
        #expect(header.hasOneNamespace && header.entryCount == 3 && header.clusterCount == 2)
        #expect(header.entryList == 100 && header.clusterList == 136 && header.typeList == 80)
        #expect(header.mainPage == 1 && header.checksum == 384)
        #expect(try !ZIMHeader(Self.beginning([(6, 0, 2)]), fileSize: 400).hasOneNamespace)
        #expect(try ZIMHeader(Self.beginning([(64, 3, 4)]), fileSize: 400).mainPage == nil)
    }

    private static let broken: [([(offset: Int, value: UInt64, size: Int)], ZIMHeader.Malformation)] = [
        ([(0, 0, 4)], .noHeader), ([(4, 7, 2)], .version(7)), ([(4, 4, 2)], .version(4)),
        // A list that ends beyond the contents, or begins before them.
        ([(24, 36, 4)], .cut), ([(24, 0xFFFF_FFFF, 4)], .cut), ([(28, 32, 4)], .cut), ([(32, 79, 8)], .cut),
        ([(32, .max, 8)], .cut), ([(48, 1 << 63, 8)], .cut), ([(48, 385, 8)], .cut), ([(56, 384, 8)], .cut),
        ([(72, 385, 8)], .cut), ([(72, 0, 8)], .cut),
    ]

    @Test(arguments: broken)
    func `a beginning that doesn't fit the file is refused`(
        _ changes: [(offset: Int, value: UInt64, size: Int)],
        _ failure: ZIMHeader.Malformation
    ) {
        #expect(throws: failure) { try ZIMHeader(Self.beginning(changes), fileSize: 400) }
    }

    @Test func `a file that ends early is refused`() {
        #expect(throws: ZIMHeader.Malformation.cut) { try ZIMHeader(Self.beginning(), fileSize: 399) }
        #expect(throws: ZIMHeader.Malformation.noHeader) { try ZIMHeader([], fileSize: 0) }
    }

    @Test func `an entry has a blob, or leads to another one`() throws {
        let path: [UInt8] = Array("a/b".utf8) + [0] + Array("Title".utf8) + [0]
        let blob = try #require(ZIMEntry([2, 0, 0, 0x43, 0, 0, 0, 0, 5, 0, 0, 0, 6, 1, 0, 0] + path))
        #expect(blob.content == .blob(cluster: 5, number: 262, type: 2))
        #expect(blob.namespace == 0x43 && blob.path == Array("a/b".utf8))
        let redirect = try #require(ZIMEntry([0xFF, 0xFF, 0, 0x41, 0, 0, 0, 0, 9, 0, 0, 0] + path))
        #expect(redirect.content == .redirect(9) && redirect.path == blob.path)
        #expect(ZIMEntry([0xFD, 0xFF, 0, 0x41, 0, 0, 0, 0] + path)?.content == .nothing)
        // Without an end.
        #expect(ZIMEntry([2, 0, 0, 0x43, 0, 0, 0, 0, 5, 0, 0, 0, 6, 1, 0, 0, 0x61]) == nil)
        #expect(ZIMEntry([2, 0, 0, 0x43]) == nil && ZIMEntry([]) == nil)
    }

    /// Returns the blobs of a cluster that arrives in pieces, and whether all have ended; nil if it is damaged.
    private static func blobs(_ bytes: [UInt8], isExtended: Bool, pieces: Int) throws -> (
        texts: [String], isWhole: Bool
    )? {
        var parser = ZIMBlobParser(isExtended: isExtended)
        var (texts, open): ([String], [UInt8]) = ([], [])
        do {
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                try Array(bytes[start..<min(start + pieces, bytes.count)]).withUnsafeBytes { bytes in
                    try parser.feed(bytes) { number, part, isLast in
                        #expect(number == texts.count)
                        open += part
                        guard isLast else { return }
                        texts.append(String(decoding: open, as: UTF8.self))
                        open = []
                    }
                }
            }
        } catch is ZIMBlobParser.Malformation {
            return nil
        }
        return (texts, parser.isFinished)
    }

    @Test(arguments: [false, true], [1, 3, 100])
    func `a cluster has its blobs, whatever the pieces`(isExtended: Bool, pieces: Int) throws {
        let width = isExtended ? 8 : 4
        let table = [0, 3, 3, 5, 5].flatMap { Self.little(UInt64(5 * width + $0), width) }
        let found = try #require(
            try Self.blobs(table + Array("abcde".utf8) + [1, 2], isExtended: isExtended, pieces: pieces)
        )
        #expect(found.texts == ["abc", "", "de", ""] && found.isWhole)
        let cut = try #require(try Self.blobs(table + Array("abcd".utf8), isExtended: isExtended, pieces: pieces))
        #expect(cut.texts == ["abc", ""] && !cut.isWhole)
    }

    @Test(arguments: [
        [8, 7], [6, 6], [0, 0], [2, 2], [4_294_967_292, 4_294_967_295], [8_388_608, 8_388_609],
    ])
    func `a table of offsets that can't be is refused`(offsets: [UInt64]) throws {
        let bytes = offsets.flatMap { Self.little($0, 4) } + [UInt8](repeating: 0, count: 64)
        #expect(try Self.blobs(bytes, isExtended: false, pieces: 16) == nil)
    }

    @Test func `an offset beyond what numbers hold is refused`() throws {
        #expect(try Self.blobs(Self.little(.max, 8), isExtended: true, pieces: 8) == nil)
        let empty = try #require(try Self.blobs(Self.little(4, 4), isExtended: false, pieces: 4))
        #expect(empty.texts.isEmpty && empty.isWhole)
    }
}
