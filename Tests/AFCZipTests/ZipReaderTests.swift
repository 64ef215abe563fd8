import AFCZip
import Foundation
import Synchronization
import TestSupport
import Testing

struct ZipReaderTests {
    typealias Member = RawZip.Member

    static let text = String(repeating: "body ", count: 100)

    /// Bodies that aren't what their headers say, with the rule that tells.
    static let damaged: [(damage: String, member: Member, rule: String)] = [
        ("more than declared", Member.deflated("x", text).with { $0.size = 100 }, "zip.size-lies"),
        ("more than the nothing declared", Member.deflated("x", text).with { $0.size = 0 }, "zip.size-lies"),
        ("less than declared", Member.deflated("x", text).with { $0.size = 501 }, "zip.size-lies"),
        ("another checksum, deflated", Member.deflated("x", text).with { $0.crc ^= 1 }, "zip.checksum"),
        ("another checksum, stored", Member("x", text).with { $0.crc ^= 1 }, "zip.checksum"),
        (
            "data behind the stream",
            Member.deflated("x", text).with {
                $0.data += [0]; $0.compressedSize += 1
            }, "zip.deflate-trailing"
        ),
        (
            "a stream that ends early",
            Member.deflated("x", text).with {
                $0.data.removeLast(); $0.compressedSize -= 1
            }, "zip.deflate"
        ),
        ("a stream that never ends", Member.deflated("x", text).with { $0.data[0] = 0 }, "zip.deflate"),
        ("no stream", Member.deflated("x", text).with { $0.data[0] = 7 }, "zip.deflate"),
        (
            "no data",
            Member.deflated("x", text).with {
                $0.data = []; $0.compressedSize = 0
            }, "zip.deflate"
        ),
    ]

    @Test(arguments: damaged.indices)
    func `a damaged body is detected, and no more bytes than declared are returned`(index: Int) throws {
        let item = Self.damaged[index]
        let scratch = try Scratch()
        let path = try scratch.write(RawZip([item.member, Member("y", "good")]).bytes, to: "damaged.zip")
        let reader = try ZipReader(path: path)
        for size in [1, 7, 4096] {
            var buffers = try BodyBuffers(size: size)
            var received = 0
            do throws(ZipError) {
                try reader.forEachChunk(of: reader.members[0], using: &buffers) { chunk throws(ZipError) in
                    received += chunk.count
                }
                Issue.record("'\(item.damage)' was not noticed")
            } catch {
                #expect(error.rule == item.rule, "'\(item.damage)': \(error)")
                #expect(error.code == .damagedMember)
            }
            #expect(received <= Int(item.member.size))
            // What was left over doesn't get into the next body.
            var next: [UInt8] = []
            try reader.forEachChunk(of: reader.members[1], using: &buffers) { next += $0 }
            #expect(next == Array("good".utf8))
        }
    }

    @Test func `a large body that inflates to more than declared stops there`() throws {
        let scratch = try Scratch()
        let source = try scratch.write([UInt8](repeating: 0, count: 1 << 20), to: "zeros")
        #expect(try Program.run("zip", ["-q", "-j", "made.zip", source], in: scratch.path).status == 0)
        var bytes = try scratch.read("made.zip")
        // The size stands at 22 in the local header and at 24 in the directory's entry.
        let directory = try #require((0..<bytes.count - 4).last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        for offset in [22, directory + 24] { bytes.replaceSubrange(offset..<offset + 4, with: u32(100)) }
        let reader = try ZipReader(path: try scratch.write(bytes, to: "lies.zip"))
        var received = 0
        let error = #expect(throws: ZipError.self) {
            try reader.forEachChunk(of: reader.members[0]) { chunk throws(ZipError) in received += chunk.count }
        }
        #expect(error?.rule == "zip.size-lies")
        #expect(received <= 100)
    }

    @Test func `a file that is cut off after it was opened is an error`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(RawZip([Member("x", Self.text)]).bytes, to: "cut.zip")
        let reader = try ZipReader(path: path)
        #expect(truncate(path, 40) == 0)
        #expect(throws: ZipError.self) { try reader.read(reader.members[0], maxBytes: 1000) }
    }

    @Test func `a file that is replaced after it was opened has its old content`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(RawZip([Member("x", "old")]).bytes, to: "a.zip")
        let reader = try ZipReader(path: path)
        #expect(rename(try scratch.write(RawZip([Member("x", "new")]).bytes, to: "b.zip"), path) == 0)
        #expect(try reader.read(reader.members[0], maxBytes: 10) == Array("old".utf8))
    }

    @Test func `a body larger than allowed is not read`() throws {
        let scratch = try Scratch()
        let reader = try ZipReader(path: try scratch.write(RawZip([Member("x", "body")]).bytes, to: "a.zip"))
        #expect(throws: ZipError.self) { try reader.read(reader.members[0], maxBytes: 3) }
        #expect(try reader.read(reader.members[0], maxBytes: 4) == Array("body".utf8))
    }

    @Test func `a member is found by its name only`() throws {
        let scratch = try Scratch()
        let archive = RawZip([Member("A/b"), Member("c/", "")])
        let reader = try ZipReader(path: try scratch.write(archive.bytes, to: "a.zip"))
        #expect(reader.member(named: "A/b")?.uncompressedSize == 4)
        #expect(reader.member(named: "c/")?.isDirectory == true)
        for name in ["a/b", "A", "A/", "c", "C/", "", "/"] { #expect(reader.member(named: name) == nil, "'\(name)'") }
    }

    @Test func `several threads read at once`() throws {
        let scratch = try Scratch()
        let members = (0..<40).map { Member.deflated("m\($0)", String(repeating: "\($0) ", count: 900)) }
        let reader = try ZipReader(path: try scratch.write(RawZip(members).bytes, to: "a.zip"))
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for (index, member) in reader.members.enumerated() {
                let expected = Array(String(repeating: "\(index) ", count: 900).utf8)
                if (try? reader.read(member, maxBytes: 10_000)) != expected { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func `a body is extracted to a descriptor`() throws {
        let scratch = try Scratch()
        let archive = RawZip([Member.deflated("x", Self.text), Member("y", "stored")])
        let reader = try ZipReader(path: try scratch.write(archive.bytes, to: "a.zip"))
        var buffers = try BodyBuffers(size: 64)
        for (member, expected) in zip(reader.members, [Self.text, "stored"]) {
            let path = scratch.path("out")
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try reader.extract(member, toFileDescriptor: descriptor, path: path, using: &buffers)
            #expect(close(descriptor) == 0)
            #expect(try scratch.read("out") == Array(expected.utf8))
        }
        let readOnly = open(scratch.path("out"), O_RDONLY)
        let error = #expect(throws: ZipError.self) {
            try reader.extract(reader.members[0], toFileDescriptor: readOnly, path: "out", using: &buffers)
        }
        #expect(close(readOnly) == 0)
        #expect(error?.code == .inputOutput)
    }

    @Test func `only regular files are opened`() throws {
        let scratch = try Scratch()
        for path in [scratch.path, scratch.path("missing"), "/dev/null"] {
            let error = #expect(throws: ZipError.self) { try ZipReader(path: path) }
            #expect(error?.code == .inputOutput)
        }
    }
}
