import AFCZip
import Foundation
import TestSupport
import Testing

/// What no single file shows: every cut, every changed byte, limits, and files that are large.
struct HostileArchiveTests {
    typealias Member = RawZip.Member

    static let good = RawZip([Member("a.example/x"), Member.deflated("a.example/y", "more")])

    @Test func `an archive truncated anywhere is refused`() throws {
        let scratch = try Scratch()
        let bytes = Self.good.bytes
        for length in 0..<bytes.count {
            let path = try scratch.write(Array(bytes.prefix(length)), to: "cut.zip")
            #expect(throws: ZipError.self, "cut to \(length) bytes") { try ZipReader(path: path) }
        }
    }

    @Test(arguments: [0x01, 0x41, 0x80, 0xFF] as [UInt8])
    func `an archive with any byte changed is refused or has the right bodies`(mask: UInt8) throws {
        let scratch = try Scratch()
        let bytes = Self.good.bytes
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= mask
            let path = try scratch.write(changed, to: "changed.zip")
            guard let reader = try? ZipReader(path: path) else { continue }
            for member in reader.members {
                guard let body = try? reader.read(member, maxBytes: 1 << 20) else { continue }
                #expect(RawZip.crc32(body) == member.crc32)
            }
        }
    }

    /// The good archive has two members of 4 bytes, and a directory of 114.
    @Test func `limits are kept`() throws {
        let limited: [(rule: String?, change: (inout ReadLimits) -> Void)] = [
            (nil, { $0.members = 2 }), ("zip.too-many-members", { $0.members = 1 }),
            (nil, { $0.totalBytes = 8 }), ("zip.too-large", { $0.totalBytes = 7 }),
            (nil, { $0.memberBytes = 4 }), ("zip.too-large", { $0.memberBytes = 3 }),
            (nil, { $0.directoryBytes = 114 }), ("zip.too-large", { $0.directoryBytes = 113 }),
        ]
        let scratch = try Scratch()
        let path = try scratch.write(Self.good.bytes, to: "good.zip")
        for (rule, change) in limited {
            var limits = ReadLimits()
            change(&limits)
            do throws(ZipError) {
                _ = try ZipReader(path: path, limits: limits)
                #expect(rule == nil)
            } catch {
                #expect(error.rule == rule)
            }
        }
    }

    @Test func `folders count, since each costs as much as a member`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(RawZip([Member("a/b/c/x"), Member("a/b/d/x")]).bytes, to: "deep.zip")
        var limits = ReadLimits()
        limits.members = 4
        #expect(try ZipReader(path: path, limits: limits).members.count == 2)
        limits.members = 3
        let error = #expect(throws: ZipError.self) { try ZipReader(path: path, limits: limits) }
        #expect(error?.rule == "zip.too-many-members")
        #expect(error?.message == "the members are in more than 3 folders")
    }

    @Test func `a directory that claims a gigabyte is refused before it is read`() throws {
        let scratch = try Scratch()
        // The file is sparse: the directory's size is right, its bytes are holes.
        let size = 1 << 31
        let end = u32(0x0605_4B50) + u16(0) + u16(0) + u16(1) + u16(1) + u32(UInt32(size)) + u32(0) + u16(0)
        let path = try scratch.write([], to: "sparse.zip")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(size))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(end))
        try handle.close()
        let error = #expect(throws: ZipError.self) { try ZipReader(path: path) }
        #expect(error?.rule == "zip.too-large")
        #expect(error?.message == "the directory has more than 1073741824 bytes")
    }

    @Test func `the total size of all bodies is limited`() throws {
        let scratch = try Scratch()
        var limits = ReadLimits()
        limits.totalBytes = 999
        let archive = RawZip((0..<100).map { Member("a.example/\($0)", "ten bytes.") })
        let path = try scratch.write(archive.bytes, to: "total.zip")
        let error = #expect(throws: ZipError.self) { try ZipReader(path: path, limits: limits) }
        #expect(error?.message == "all bodies together exceed 999 bytes")
    }
}
