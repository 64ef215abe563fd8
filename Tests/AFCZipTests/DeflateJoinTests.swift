import AFCFiles
import TestSupport
import Testing

@testable import AFCZip

/// Deflate streams that are joined are read as what they were made of, by another inflater, too.
struct DeflateJoinTests {
    private static let end = Array("\r\n\r\n".utf8)

    private static func deflated(_ bytes: [UInt8], level: Int32) throws -> [UInt8] {
        var data: [UInt8] = []
        var deflater = try Deflater(level: level)
        let take = { (piece: UnsafeRawBufferPointer) throws(ZipError) in data += piece }
        try bytes.withUnsafeBytes { try deflater.append($0, to: take) }
        _ = try deflater.finish(to: take)
        return data
    }

    private static func inflated(_ data: [UInt8]) throws -> [UInt8]? {
        var inflater = try Inflater()
        var data = data
        var output = [UInt8](repeating: 0, count: 1 << 20)
        return data.withUnsafeMutableBytes { bytes in
            inflater.give(bytes)
            guard let count = output.withUnsafeMutableBytes({ inflater.fill($0) }), inflater.isFinished,
                inflater.unused == 0
            else { return nil }
            return Array(output[..<count])
        }
    }

    private static func bodies() -> [[UInt8]] {
        var random = SeededGenerator(seed: 7)
        var bodies: [[UInt8]] = [[], [0x61], Array("abcabcabc".utf8), Array(repeating: 0, count: 300_000)]
        for size in [1, 7, 100, 5_000, 65_535, 65_536, 200_000] {
            bodies.append((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
            bodies.append((0..<size).map { _ in UInt8.random(in: 97...104, using: &random) })
        }
        return bodies
    }

    @Test func `a stream takes bytes behind its body, whatever compressed it`() throws {
        let join = try DeflateJoin()
        let whole = try WholeDeflater()
        for body in Self.bodies() {
            let packed = whole.compress(body).data
            let streams = try [1, 6, 9].map { try Self.deflated(body, level: $0) } + [packed]
            for stream in streams {
                let found = join.appending(Self.end, to: stream)
                let joined = try #require(found)
                #expect(try Self.inflated(joined) == body + Self.end, "\(body.count) bytes")
                #expect(joined.count <= stream.count + 7)
                // Junk behind the end of a stream isn't part of it.
                let (junk, cut) = (
                    join.appending(Self.end, to: stream + [0xFF, 0]), join.appending(Self.end, to: stream.dropLast())
                )
                #expect(junk == joined && cut == nil)
            }
            let stored = DeflateJoin.stored(body, then: Self.end)
            #expect(try Self.inflated(stored) == body + Self.end)
        }
        let damaged = [[7, 0xFF, 0xFF], []].map { join.appending(Self.end, to: $0) }
        #expect(damaged == [nil, nil])
    }

    @Test func `a beginning that pauses is followed by another stream`() throws {
        let join = try DeflateJoin()
        var deflater = try Deflater()
        for body in Self.bodies() {
            let head = Array("a head of \(body.count) bytes\r\n\r\n".utf8)
            var data: [UInt8] = []
            let take = { (piece: UnsafeRawBufferPointer) throws(ZipError) in data += piece }
            try head.withUnsafeBytes { try deflater.append($0, to: take) }
            let totals = try deflater.pause(to: take)
            let joinedBody = join.appending(Self.end, to: try Self.deflated(body, level: 6))
            data += try #require(joinedBody)
            let whole = head + body + Self.end
            #expect(try Self.inflated(data) == whole)
            var (sum, rest) = (CRC32(), CRC32())
            whole.withUnsafeBytes { sum.update($0) }
            (body + Self.end).withUnsafeBytes { rest.update($0) }
            let joined = DeflateJoin.crc32(totals.crc32, then: rest.value, size: Int64(body.count + Self.end.count))
            #expect(joined == sum.value)
        }
    }
}
