import AFCFiles
import AFCZip
import Foundation
import TestSupport
import Testing

struct ZipWriterTests {
    static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }

    /// Bodies of all kinds: empty, small, of text, of noise, larger than what waits in memory.
    static let bodies: [Body] = {
        var bodies = [
            Body(name: "a/empty", bytes: [], isCompressible: true),
            Body(name: "a/text", bytes: Array(String(repeating: "text ", count: 5000).utf8), isCompressible: true),
            Body(name: "a/noise", bytes: noise(70_000, seed: 1), isCompressible: true),
            Body(name: "b/stored", bytes: noise(300, seed: 2), isCompressible: false),
            Body(name: "c/large-noise", bytes: noise(3 << 20, seed: 3), isCompressible: true),
            Body(name: "d/large-stored", bytes: noise(2 << 20, seed: 4), isCompressible: false),
            Body(name: "e/large-text", bytes: [UInt8](repeating: 0x61, count: 5 << 20), isCompressible: true),
        ]
        for index in 0..<100 {
            let bytes = noise(index * 37, seed: UInt64(index) + 9)
            bodies.append(Body(name: "m/\(index)", bytes: bytes, isCompressible: index % 2 == 0))
        }
        return bodies
    }()

    struct Body: Sendable {
        var name: String
        var bytes: [UInt8]
        var isCompressible: Bool
    }

    static func members(in scratch: Scratch, asFiles: Bool) throws -> [NewMember] {
        try bodies.map { body in
            let content: NewMember.Content =
                asFiles ? .file(try scratch.write(body.bytes, to: "in/" + body.name)) : .bytes(body.bytes)
            return NewMember(name: body.name, content: content, isCompressible: body.isCompressible)
        }
    }

    @Test func `what was written is read back`() async throws {
        let scratch = try Scratch()
        let path = scratch.path("out.zip")
        let size = try await ZipWriter.write(to: path, members: Self.members(in: scratch, asFiles: true))
        let reader = try ZipReader(path: path)
        #expect(try reader.file.size() == size)
        #expect(reader.members.map(\.name) == Self.bodies.map(\.name))
        for body in Self.bodies {
            let member = try #require(reader.member(named: body.name))
            #expect(try reader.read(member, maxBytes: 64 << 20) == body.bytes, "\(body.name)")
        }
        #expect(reader.member(named: "a/text")?.method == .deflated)
        #expect(reader.member(named: "b/stored")?.method == .stored)
        #expect(reader.member(named: "d/large-stored")?.method == .stored)
        #expect(scratch.names == ["in", "out.zip"])
    }

    @Test func `the bytes depend neither on workers nor on the time zone nor on where bodies come from`() async throws {
        let scratch = try Scratch()
        var archives: [[UInt8]] = []
        for (workers, zone, asFiles) in [
            (1, "UTC", true), (4, "Pacific/Auckland", true), (3, "America/Caracas", false),
        ] {
            setenv("TZ", zone, 1)
            tzset()
            var options = ZipWriter.Options()
            options.workers = workers
            options.modified = 784_111_777
            _ = try await ZipWriter.write(
                to: scratch.path("x.zip"),
                members: Self.members(in: scratch, asFiles: asFiles),
                options: options
            )
            archives.append(try scratch.read("x.zip"))
        }
        unsetenv("TZ")
        tzset()
        #expect(archives[0] == archives[1])
        #expect(archives[0] == archives[2])
    }

    @Test(arguments: [["unzip", "-tq"], ["bsdtar", "-tf"], ["7z", "t"], ["python3", "-m", "zipfile", "-t"]])
    func `other programs read archives that this one writes`(command: [String]) async throws {
        let scratch = try Scratch()
        _ = try await ZipWriter.write(to: scratch.path("out.zip"), members: Self.members(in: scratch, asFiles: false))
        let result = try Program.run(command[0], command.dropFirst() + [scratch.path("out.zip")])
        #expect(result.status == 0, "\(result.text)\(result.errors)")
    }

    @Test(arguments: [
        "zip -q -r out.zip in", "cd in && zip -q -r - . > ../out.zip", "bsdtar --format zip -cf out.zip in",
        "7z a -tzip -bso0 out.zip in",
        "python3 -m zipfile -c out.zip in",
    ])
    func `archives by other programs are read`(command: String) throws {
        let scratch = try Scratch()
        _ = try Self.members(in: scratch, asFiles: true)
        let result = try Program.run("sh", ["-c", command], in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
        let reader = try ZipReader(path: scratch.path("out.zip"))
        #expect(reader.members.filter { !$0.isDirectory }.count == Self.bodies.count)
        for member in reader.members where !member.isDirectory {
            let name = member.name.hasPrefix("in/") ? String(member.name.dropFirst(3)) : member.name
            let body = try #require(Self.bodies.first { $0.name == name })
            #expect(try reader.read(member, maxBytes: 64 << 20) == body.bytes)
        }
    }

    @Test func `bodies that were spooled are copied`() async throws {
        let scratch = try Scratch()
        let spool = try SpoolFile(in: scratch.path)
        var extents: [FileExtent] = []
        var deflater = try Deflater()
        let text = Array(String(repeating: "spooled ", count: 40_000).utf8)
        let sink = { (chunk: UnsafeRawBufferPointer) throws(ZipError) in
            extents.append(try onFile { () throws(FileError) in try spool.append(chunk) })
        }
        try text[..<1000].withUnsafeBytes { try deflater.append($0, to: sink) }
        try text[1000...].withUnsafeBytes { try deflater.append($0, to: sink) }
        let totals = try deflater.finish(to: sink)
        let body = spool.body(extents: extents, totals: totals, method: .deflated)
        let path = scratch.path("out.zip")
        _ = try await ZipWriter.write(
            to: path,
            members: [NewMember(name: "x", content: .deflated(body), isCompressible: true)]
        )
        let reader = try ZipReader(path: path)
        #expect(try reader.read(reader.members[0], maxBytes: 1 << 20) == text)
    }

    @Test func `a failure leaves the old file and nothing else`() async throws {
        let scratch = try Scratch()
        try scratch.write([1, 2, 3], to: "out.zip")
        let members = [NewMember(name: "x", content: .file(scratch.path("missing")), isCompressible: true)]
        await #expect(throws: ZipError.self) {
            try await ZipWriter.write(to: scratch.path("out.zip"), members: members)
        }
        #expect(try scratch.read("out.zip") == [1, 2, 3])
        #expect(scratch.names == ["out.zip"])
        await #expect(throws: ZipError.self) { try await ZipWriter.write(to: scratch.path("no/out.zip"), members: []) }
    }

    @Test func `files of a killed process are removed by the next write`() async throws {
        let scratch = try Scratch()
        for name in [
            ".out.zip.999999999.afcache-tmp", ".out.zip.999999999.afcache-tmp.abc123",
            ".other.zip.999999999.afcache-tmp",
        ] {
            try scratch.write([1], to: name)
        }
        _ = try await ZipWriter.write(to: scratch.path("out.zip"), members: [])
        #expect(scratch.names == [".other.zip.999999999.afcache-tmp", "out.zip"])
    }
}
