import AFCFiles
import Foundation
import TestSupport
import Testing

@testable import AFCZip

/// Archives that are written member by member.
struct ZipOutputTests {
    static let readers = [
        ["unzip", "-tqq"], ["bsdtar", "-tf"], ["7z", "t", "-bso0"], ["python3", "-m", "zipfile", "-t"],
    ]

    @Test func `more members than a plain end record counts are read by every program`() throws {
        let scratch = try Scratch()
        let output = try ZipOutput(to: scratch.path("many.zip"))
        for number in 0..<70_000 {
            let name = "folder/\(number % 7)/member-\(number)"
            try output.add(NewMember(name: name, content: .bytes(Array("\(number)".utf8)), isCompressible: false))
        }
        let size = try output.finish()
        #expect(scratch.names == ["many.zip"])
        for reader in Self.readers {
            let result = try Program.run(reader[0], reader.dropFirst() + [scratch.path("many.zip")])
            #expect(result.status == 0, "\(reader): \(result.text.suffix(300))\(result.errors.suffix(300))")
        }
        let archive = try ZipReader(path: scratch.path("many.zip"))
        #expect(try archive.file.size() == size)
        #expect(archive.members.count == 70_000)
        let last = try #require(archive.member(named: "folder/6/member-69999"))
        #expect(try archive.read(last, maxBytes: 10) == Array("69999".utf8))
    }

    @Test(arguments: [65_534, 65_535])
    func `a zip64 end record is written only if needed`(count: Int) throws {
        let scratch = try Scratch()
        let output = try ZipOutput(to: scratch.path("x.zip"))
        for number in 0..<count {
            try output.add(NewMember(name: "\(number)", content: .bytes([]), isCompressible: false))
        }
        _ = try output.finish()
        let tail = try scratch.read("x.zip").suffix(98)
        #expect((Array(tail.prefix(4)) == [0x50, 0x4B, 6, 6]) == (count == 65_535))
        #expect(try ZipReader(path: scratch.path("x.zip")).members.count == count)
    }

    // MARK: Beyond four GiB

    private static func record(_ name: String, _ sizes: (Int64, Int64), offset: Int64) -> MemberRecord {
        let totals = Deflater.Totals(crc32: 0x1234_5678, uncompressedSize: sizes.0, compressedSize: sizes.1)
        return MemberRecord(
            name: name,
            method: .deflated,
            totals: totals,
            dosDateTime: (40 << 9 | 2 << 5 | 3) << 16 | (4 << 11 | 5 << 5 | 3),
            offset: offset
        )
    }

    /// Local header, directory and end records as Python's zipfile writes them, for a directory that begins at an offset.
    private static func python(_ name: String, _ sizes: (Int64, Int64), offset: Int64, at start: Int64) throws
        -> [UInt8]
    {
        let script = """
            import io, sys, zipfile
            class File(io.BytesIO):
                def tell(self): return super().tell() + \(start)
                def seek(self, *place): return self.tell()
            info = zipfile.ZipInfo(\(name.debugDescription), (2020, 2, 3, 4, 5, 6))
            info.create_system, info.create_version, info.extract_version, info.compress_type = 3, 63, 20, 8
            info.CRC, info.file_size, info.compress_size = 0x12345678, \(sizes.0), \(sizes.1)
            info.header_offset, info.external_attr = \(offset), 0o100644 << 16
            sys.stdout.buffer.write(info.FileHeader(zip64=\(max(sizes.0, sizes.1) >= 0xFFFF_FFFF ? "True" : "False")))
            file = File()
            archive = zipfile.ZipFile(file, "w", allowZip64=True)
            archive.filelist.append(info)
            archive.start_dir = \(start)
            archive._didModify = False
            archive._write_end_record()
            sys.stdout.buffer.write(file.getvalue())
            """
        let result = try Program.run("python3", ["-c", script])
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    /// Python goes over to zip64 at 2 GiB already, so it is asked below that and above 4 GiB.
    @Test(
        arguments: [
            (sizes: (1 << 20, 1 << 10), offset: 5), (sizes: (5 << 30, 5 << 30), offset: 6 << 30),
            (sizes: (0xFFFF_FFFF, 0xFFFF_FFFF), offset: 0xFFFF_FFFF), (sizes: (1 << 40, 1 << 35), offset: 0),
            (sizes: (7, 9), offset: 1 << 33),
        ] as [(sizes: (Int64, Int64), offset: Int64)]
    )
    func `records of large archives equal those of another program`(
        sizes: (Int64, Int64),
        offset: Int64
    ) throws {
        for name in ["folder/a.html", "ordner/ä.html"] {
            let start = offset + sizes.1 + 100
            let record = Self.record(name, sizes, offset: offset)
            var (bytes, entry): ([UInt8], [UInt8]) = ([], [])
            record.appendLocalHeader(to: &bytes)
            record.appendDirectoryEntry(to: &entry)
            bytes += entry
            MemberRecord.appendEnd(
                count: 1,
                directoryOffset: start,
                directorySize: Int64(entry.count),
                to: &bytes
            )
            #expect(try bytes == Self.python(name, sizes, offset: offset, at: start), "\(name)")
        }
    }

    @Test func `a size or an offset needs zip64 from the marker value on`() {
        func lengths(_ sizes: (Int64, Int64), _ offset: Int64) -> [Int] {
            var (local, entry): ([UInt8], [UInt8]) = ([], [])
            let record = Self.record("n", sizes, offset: offset)
            record.appendLocalHeader(to: &local)
            record.appendDirectoryEntry(to: &entry)
            return [local.count, entry.count]
        }
        #expect(lengths((0xFFFF_FFFE, 0xFFFF_FFFE), 0xFFFF_FFFE) == [31, 47])
        #expect(lengths((0xFFFF_FFFF, 1), 0) == [51, 59])
        #expect(lengths((1, 0xFFFF_FFFF), 0) == [51, 59])
        #expect(lengths((1, 1), 0xFFFF_FFFF) == [31, 59])
        #expect(lengths((1 << 33, 1 << 33), 1 << 33) == [51, 75])
    }

    // MARK: Spools and copies

    @Test func `a named spool is continued`() throws {
        let scratch = try Scratch()
        let path = scratch.path("bodies")
        do {
            let spool = try SpoolFile(path: path, keeping: 0)
            _ = try Array("first".utf8).withUnsafeBytes { try spool.append($0) }
            _ = try Array("lost".utf8).withUnsafeBytes { try spool.append($0) }
            #expect(spool.size == 9)
        }
        let spool = try SpoolFile(path: path, keeping: 5)
        #expect(spool.size == 5)
        let extent = try Array("second".utf8).withUnsafeBytes { try spool.append($0) }
        #expect(extent == FileExtent(offset: 5, count: 6))
        #expect(try scratch.read("bodies") == Array("firstsecond".utf8))
        #expect(try spool.bytes(6, at: 5) == Array("second".utf8))
        #expect(throws: FileError.self) { try SpoolFile(path: path, keeping: 12) }
        try FileManager.default.createSymbolicLink(atPath: scratch.path("link"), withDestinationPath: path)
        #expect(throws: FileError.self) { try SpoolFile(path: scratch.path("link"), keeping: 0) }
        #expect(throws: FileError.self) { try SpoolFile(path: scratch.path, keeping: 0) }
    }

    @Test func `members of an older archive are copied as they are`() async throws {
        let scratch = try Scratch()
        let members = try ZipWriterTests.members(in: scratch, asFiles: false)
        var options = ZipWriter.Options()
        options.level = 1
        _ = try await ZipWriter.write(to: scratch.path("old.zip"), members: members, options: options)
        let old = try ZipReader(path: scratch.path("old.zip"))
        let output = try ZipOutput(to: scratch.path("new.zip"))
        for member in old.members {
            let body = try old.deflatedBody(of: member)
            try output.add(NewMember(name: member.name, content: .deflated(body), isCompressible: true))
        }
        _ = try output.finish()
        #expect(try scratch.read("new.zip") == scratch.read("old.zip"))
    }

    @Test func `an encrypted member isn't copied`() async throws {
        let scratch = try Scratch()
        var options = ZipWriter.Options()
        let password = try #require(Password(Array("secret".utf8)))
        options.password = password
        let member = NewMember(name: "a", content: .bytes([1, 2, 3]), isCompressible: false)
        _ = try await ZipWriter.write(to: scratch.path("x.zip"), members: [member], options: options)
        let reader = try ZipReader(path: scratch.path("x.zip"), password: password)
        #expect(throws: ZipError.self) { try reader.deflatedBody(of: reader.members[0]) }
    }

    // MARK: Failure

    @Test func `a deflater whose sink fails is ready for the next body`() throws {
        let text = Array(String(repeating: "text ", count: 50_000).utf8)
        for failing in 1...2 {
            var deflater = try Deflater()
            var calls = 0
            #expect(throws: ZipError.self) {
                _ = try deflater.compress(text) { _ throws(ZipError) in
                    calls += 1
                    if calls == failing { throw .cancelled }
                }
                _ = try deflater.compress(text) { _ throws(ZipError) in throw .cancelled }
            }
            var data: [UInt8] = []
            let totals = try deflater.compress(text) { chunk throws(ZipError) in data.append(contentsOf: chunk)
            }
            var fresh = try Deflater()
            var expected: [UInt8] = []
            let sink = { (chunk: UnsafeRawBufferPointer) throws(ZipError) in expected.append(contentsOf: chunk) }
            #expect(try totals == fresh.compress(text, to: sink))
            #expect(data == expected)
        }
    }

    @Test func `an unfinished body leaves nothing`() throws {
        let scratch = try Scratch()
        try scratch.write([1, 2, 3], to: "x.zip")
        do {
            let output = try ZipOutput(to: scratch.path("x.zip"))
            for number in 0..<100 {
                let bytes = [UInt8](repeating: UInt8(number), count: 5000)
                try output.add(NewMember(name: "\(number)", content: .bytes(bytes), isCompressible: true))
            }
            #expect(scratch.names.count == 2)
        }
        #expect(scratch.names == ["x.zip"])
        #expect(try scratch.read("x.zip") == [1, 2, 3])
    }

    @Test func `cancelling ends the work before the next member`() throws {
        let scratch = try Scratch()
        let flag = CancellationFlag()
        let output = try ZipOutput(to: scratch.path("x.zip"), cancellation: flag)
        try output.add(NewMember(name: "a", content: .bytes([1]), isCompressible: false))
        flag.cancel()
        let error = #expect(throws: ZipError.self) {
            try output.add(NewMember(name: "b", content: .bytes([1]), isCompressible: false))
        }
        #expect(error?.code == .cancelled)
        #expect(throws: ZipError.self) { try output.finish() }
        #expect(scratch.names.isEmpty)
    }

    @Test func `two archives for one path don't disturb each other`() throws {
        let scratch = try Scratch()
        let outputs = try (0..<2).map { _ in try ZipOutput(to: scratch.path("x.zip")) }
        for (number, output) in outputs.enumerated() {
            try output.add(NewMember(name: "\(number)", content: .bytes([1]), isCompressible: false))
        }
        _ = try outputs[0].finish()
        #expect(try ZipReader(path: scratch.path("x.zip")).members.map(\.name) == ["0"])
        _ = try outputs[1].finish()
        #expect(try ZipReader(path: scratch.path("x.zip")).members.map(\.name) == ["1"])
        #expect(scratch.names == ["x.zip"])
    }

    @Test func `data whose length differs from its totals is refused`() throws {
        let scratch = try Scratch()
        let spool = try SpoolFile(in: scratch.path)
        let extent = try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try spool.append($0) }
        let totals = Deflater.Totals(crc32: 0, uncompressedSize: 11, compressedSize: 11)
        let output = try ZipOutput(to: scratch.path("x.zip"))
        let body = spool.body(extents: [extent], totals: totals, method: .stored)
        #expect(throws: ZipError.self) {
            try output.add(NewMember(name: "a", content: .deflated(body), isCompressible: false))
        }
    }

    @Test func `a text that exceeds memory is written as it was appended`() throws {
        let scratch = try Scratch()
        let output = try ZipOutput(to: scratch.path("x.zip"))
        var expected: [UInt8] = []
        for lines in [3, 100_000] {
            let text = TextSpool(in: scratch.path, level: 6)
            expected = []
            for number in 0..<lines {
                let line = Array("line \(number) of a long text\n".utf8)
                expected += line
                try text.append(line)
            }
            try output.add(NewMember(name: "\(lines)", content: try text.finish(), isCompressible: true))
        }
        _ = try output.finish()
        let reader = try ZipReader(path: scratch.path("x.zip"))
        #expect(try reader.read(reader.members[1], maxBytes: 8 << 20) == expected)
        let whole = try Program.run("unzip", ["-p", scratch.path("x.zip"), "3"])
        #expect(whole.text == "line 0 of a long text\nline 1 of a long text\nline 2 of a long text\n")
    }
}
