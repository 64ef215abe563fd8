import AFCFiles
import TestSupport
import Testing

@testable import AFCZip

/// Members are written in the order of their ranks, whatever holds their bodies.
struct MemberQueueTests {
    /// Puts a body into a spool in pieces, with other bytes between them.
    private static func spooled(_ body: [UInt8], pieces: Int, in spool: SpoolFile) throws -> DeflatedBody {
        var crc = CRC32()
        body.withUnsafeBytes { crc.update($0) }
        var extents: [FileExtent] = []
        for piece in 0..<pieces {
            let part = Array(body[(body.count * piece / pieces)..<(body.count * (piece + 1) / pieces)])
            extents.append(try part.withUnsafeBytes { try spool.append($0) })
            _ = try [UInt8(0xFF)].withUnsafeBytes { try spool.append($0) }
        }
        let size = Int64(body.count)
        let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
        return spool.body(extents: extents, totals: totals, method: .stored)
    }

    @Test(arguments: [0, 1, 7, 5000])
    func `members are written by rank, and by arrival for one rank, with their bodies`(count: Int) throws {
        let scratch = try Scratch()
        let spools = [try SpoolFile(in: scratch.path), try SpoolFile(in: scratch.path)]
        _ = try scratch.write(Array("a file".utf8), to: "file")
        var queue = MemberQueue(folder: scratch.path)
        var expected: [(rank: Int64, name: String, body: [UInt8])] = []
        for number in 0..<count {
            let rank: Int64 = [3, .max, -5, 3, 0][number % 5]
            let name = "folder/\(number)-" + String(repeating: "é", count: number % 90)
            let body = Array("body \(number)".utf8)
            let content: NewMember.Content =
                switch number % 4 {
                case 0: .bytes(body)
                case 1: .file(scratch.path("file"))
                default: .deflated(try Self.spooled(body, pieces: number % 3 + 1, in: spools[number % 2]))
                }
            expected.append((rank, name, number % 4 == 1 ? Array("a file".utf8) : body))
            try queue.add(NewMember(name: name, content: content, isCompressible: number % 8 == 0), rank: rank)
        }
        let output = try ZipOutput(to: scratch.path("x.zip"))
        try queue.drain { member throws(ZipError) in try output.add(member) }
        _ = try output.finish()
        expected = [Int64(-5), 0, 3, .max].flatMap { rank in expected.filter { $0.rank == rank } }
        let archive = try ZipReader(path: scratch.path("x.zip"))
        #expect(archive.members.map(\.name) == expected.map(\.name))
        for (member, wanted) in zip(archive.members, expected) {
            #expect(try archive.read(member, maxBytes: 100) == wanted.body)
        }
        #expect(scratch.names == ["file", "x.zip"], "the queue's file has no name")
    }

    @Test func `a folder that can't hold the queue is an error`() throws {
        let scratch = try Scratch()
        let body = try Self.spooled([1], pieces: 1, in: try SpoolFile(in: scratch.path))
        var queue = MemberQueue(folder: scratch.path("missing"))
        let error = #expect(throws: ZipError.self) {
            for number in 0..<2000 {
                try queue.add(NewMember(name: "\(number)", content: .deflated(body), isCompressible: false), rank: 0)
            }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains(scratch.path("missing")) == true)
    }
}
