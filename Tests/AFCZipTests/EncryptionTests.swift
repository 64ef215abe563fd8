import AFCFiles
import AFCZip
import TestSupport
import Testing

/// Archives encrypted with AES-256: ours in other programs, theirs in ours, and hostile ones.
struct EncryptionTests {
    static let secret = "correct horse"

    /// Bodies of each kind: text, bytes that don't compress, more than a block of deflate, nothing.
    static let bodies: [(name: String, body: [UInt8], isCompressible: Bool)] = [
        ("a.example/text", Array(String(repeating: "some text ", count: 500).utf8), true),
        ("a.example/short", Array("x".utf8), true), ("a.example/stored", noise(3000), false),
        ("a.example/large", noise(200_000), false), ("a.example/empty", [], true), ("a.example/nothing", [], false),
        ("a.example/block", noise(65_535), false), ("a.example/block+", noise(65_536), false),
    ]

    static func noise(_ count: Int) -> [UInt8] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }

    static func password(_ text: String = secret) throws -> Password { try #require(Password(Array(text.utf8))) }

    static func write(_ scratch: Scratch, _ name: String = "e.zip") async throws -> String {
        var options = ZipWriter.Options()
        options.password = try password()
        let members = bodies.map {
            NewMember(name: $0.name, content: .bytes($0.body), isCompressible: $0.isCompressible)
        }
        _ = try await ZipWriter.write(to: scratch.path(name), members: members, options: options)
        return scratch.path(name)
    }

    static func expectBodies(_ reader: ZipReader) throws {
        for item in bodies {
            let member = try #require(reader.member(named: item.name))
            #expect(try reader.read(member, maxBytes: 1 << 20) == item.body, "\(item.name)")
        }
    }

    /// What refuses an archive, or one of its members.
    static func refusal(of path: String, _ password: Password? = nil) -> String? {
        do throws(ZipError) {
            let reader = try ZipReader(path: path, password: password)
            for member in reader.members { _ = try reader.read(member, maxBytes: 1 << 20) }
            return nil
        } catch {
            return error.rule
        }
    }

    @Test func `an encrypted package is read with its password, also on several threads`() async throws {
        let scratch = try Scratch()
        let reader = try ZipReader(path: try await Self.write(scratch), password: try Self.password())
        #expect(reader.members.allSatisfy { $0.encryption == .aes256 })
        // AE-2: a checksum would confirm a guess at the body.
        #expect(reader.members.allSatisfy { $0.crc32 == 0 })
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { try Self.expectBodies(reader) } }
            try await group.waitForAll()
        }
    }

    @Test func `files and spooled bodies are encrypted as well as bytes`() async throws {
        let scratch = try Scratch()
        let large = Self.noise(1_500_000)
        let file = try scratch.write(large, to: "large")
        let spool = try SpoolFile(in: scratch.path)
        let extents = try large.prefix(70_000).withUnsafeBytes { buffer in
            [
                try spool.append(UnsafeRawBufferPointer(rebasing: buffer[..<1000])),
                try spool.append(UnsafeRawBufferPointer(rebasing: buffer[1000...])),
            ]
        }
        let totals = Deflater.Totals(crc32: 0, uncompressedSize: 70_000, compressedSize: 70_000)
        let members = [
            NewMember(name: "deflated", content: .file(file), isCompressible: true),
            NewMember(name: "stored", content: .file(file), isCompressible: false),
            NewMember(
                name: "spooled",
                content: .deflated(spool.body(extents: extents, totals: totals, method: .stored)),
                isCompressible: false
            ),
        ]
        var options = ZipWriter.Options()
        options.password = try Self.password()
        _ = try await ZipWriter.write(to: scratch.path("f.zip"), members: members, options: options)
        let reader = try ZipReader(path: scratch.path("f.zip"), password: try Self.password())
        for member in reader.members {
            let expected = member.name == "spooled" ? Array(large.prefix(70_000)) : large
            #expect(try reader.read(member, maxBytes: 1 << 21) == expected, "\(member.name)")
        }
    }

    @Test func `without a password, or with another, nothing is read`() async throws {
        let scratch = try Scratch()
        let path = try await Self.write(scratch)
        #expect(Self.refusal(of: path) == "zip.password-missing")
        try Self.expectWrongPassword(path)
    }

    /// One wrong password in 65,536 passes the check before the data, so one member may be refused for its data.
    static func expectWrongPassword(_ path: String) throws {
        let reader = try ZipReader(path: path, password: try password("wrong horse"))
        var rules: [String] = []
        for member in reader.members where member.encryption != nil {
            do throws(ZipError) {
                _ = try reader.read(member, maxBytes: 1 << 20)
                Issue.record("\(member.name) was read")
            } catch {
                rules.append(error.rule)
                if error.rule == "zip.password-wrong" { #expect(error.code == .locked) }
            }
        }
        #expect(rules.count { $0 == "zip.password-wrong" } >= rules.count - 1, "\(rules)")
    }

    @Test func `an unencrypted archive can be opened with a password`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(HostileArchiveTests.good.bytes, to: "plain.zip")
        #expect(Self.refusal(of: path, try Self.password()) == nil)
    }

    @Test(arguments: [("7z", ["t", "-p\(secret)"]), ("bsdtar", ["--passphrase", secret, "-tf"])])
    func `other programs read what we encrypt`(program: String, arguments: [String]) async throws {
        let scratch = try Scratch()
        let path = try await Self.write(scratch)
        let result = try Program.run(program, arguments + [path])
        #expect(result.status == 0, "\(result.text) \(result.errors)")
    }

    @Test func `7z extracts what we encrypt`() async throws {
        let scratch = try Scratch()
        let path = try await Self.write(scratch)
        let result = try Program.run("7z", ["x", "-p\(Self.secret)", "-o\(scratch.path("out"))", path])
        #expect(result.status == 0, "\(result.text)")
        for item in Self.bodies { #expect(try scratch.read("out/\(item.name)") == item.body, "\(item.name)") }
    }

    @Test(arguments: ["-mem=AES256", "-mem=AES256 -mx=0", "-mem=AES256 -mx=9"])
    func `we read what 7z encrypts`(options: String) throws {
        let scratch = try Scratch()
        for item in Self.bodies { try scratch.write(item.body, to: "in/\(item.name)") }
        let words = options.split(separator: " ").map(String.init)
        let made = try Program.run(
            "7z",
            ["a", "-tzip", "-p\(Self.secret)"] + words + ["../7.zip", "a.example"],
            in: scratch.path("in")
        )
        #expect(made.status == 0, "\(made.text)")
        let reader = try ZipReader(path: scratch.path("7.zip"), password: try Self.password())
        try Self.expectBodies(reader)
        #expect(reader.members.contains { $0.isDirectory && $0.encryption == nil })
        try Self.expectWrongPassword(scratch.path("7.zip"))
    }

    @Test func `we read what bsdtar encrypts, with data descriptors and any checksums`() throws {
        let scratch = try Scratch()
        for item in Self.bodies { try scratch.write(item.body, to: "in/\(item.name)") }
        let made = try Program.run(
            "bsdtar",
            [
                "--format", "zip", "--options", "zip:encryption=aes256", "--passphrase", Self.secret, "-cf", "../b.zip",
                "a.example",
            ],
            in: scratch.path("in")
        )
        #expect(made.status == 0, "\(made.errors)")
        let reader = try ZipReader(path: scratch.path("b.zip"), password: try Self.password())
        try Self.expectBodies(reader)
        let member = try #require(reader.members.first { $0.encryption == .aes256WithChecksum })
        // Wherever the checksum stands, another takes its place: AE-1 has it besides its code.
        var bytes = try scratch.read("b.zip")
        let checksum = u32(member.crc32)
        for start in 0...bytes.count - 4 where Array(bytes[start..<start + 4]) == checksum { bytes[start] ^= 1 }
        let changed = try ZipReader(path: try scratch.write(bytes, to: "c.zip"), password: try Self.password())
        let damaged = try #require(changed.member(named: member.name))
        do throws(ZipError) {
            _ = try changed.read(damaged, maxBytes: 1 << 20)
            Issue.record("the checksum was not looked at")
        } catch {
            #expect(error.rule == "zip.checksum")
        }
    }

    @Test(arguments: ["-mem=AES128", "-mem=AES192", "-mem=ZipCrypto"])
    func `weaker encryption is refused`(option: String) throws {
        let scratch = try Scratch()
        try scratch.write(Array("text".utf8), to: "in/x")
        let made = try Program.run(
            "7z",
            ["a", "-tzip", "-p\(Self.secret)", option, "../w.zip", "x"],
            in: scratch.path("in")
        )
        #expect(made.status == 0, "\(made.text)")
        #expect(Self.refusal(of: scratch.path("w.zip")) == "zip.encrypted")
        #expect(Self.refusal(of: scratch.path("w.zip"), try Self.password()) == "zip.encrypted")
    }

    @Test func `any changed byte of the data is detected`() async throws {
        let scratch = try Scratch()
        var options = ZipWriter.Options()
        options.password = try Self.password()
        for isCompressible in [true, false] {
            let member = NewMember(name: "x", content: .bytes([1, 2, 3, 4]), isCompressible: isCompressible)
            _ = try await ZipWriter.write(to: scratch.path("x.zip"), members: [member], options: options)
            let bytes = try scratch.read("x.zip")
            let reader = try ZipReader(path: scratch.path("x.zip"), password: try Self.password())
            let start = Int(reader.members[0].dataOffset)
            for position in start..<start + Int(reader.members[0].compressedSize) {
                var changed = bytes
                changed[position] ^= 0x10
                let path = try scratch.write(changed, to: "changed.zip")
                let rule = Self.refusal(of: path, try Self.password())
                // Salt and check of the password, then the data, then the code; one salt in 65,536 passes the check.
                let isHead = position < start + 18
                let isExpected =
                    rule == "zip.authentication" || rule == "zip.password-wrong" && isHead
                    || rule?.hasPrefix("zip.deflate") == true || rule == "zip.size-lies"
                #expect(isExpected, "byte \(position - start): \(rule ?? "taken")")
            }
        }
    }

    @Test func `a plain member among encrypted ones is refused`() async throws {
        let scratch = try Scratch()
        let path = try await Self.write(scratch)
        try scratch.write(Array("plain".utf8), to: "more")
        #expect(try Program.run("zip", ["-q", path, "more"], in: scratch.path).status == 0)
        #expect(Self.refusal(of: path, try Self.password()) == "zip.partly-encrypted")
    }

    static func encrypted(_ change: (inout RawZip.Member) -> Void) -> RawZip {
        let member = RawZip.Member("x").with {
            $0.flags = 1
            $0.method = 99
            $0.crc = 0
            $0.data = [UInt8](repeating: 7, count: 32)
            $0.compressedSize = 32
            $0.extra = field()
            $0.localExtra = field()
            change(&$0)
        }
        return RawZip([member])
    }

    static func field(version: UInt16 = 2, vendor: String = "AE", strength: UInt8 = 3, method: UInt16 = 0) -> [UInt8] {
        u16(0x9901) + u16(7) + u16(version) + Array(vendor.utf8) + [strength] + u16(method)
    }

    static func both(_ field: [UInt8]) -> RawZip {
        encrypted {
            $0.extra = field
            $0.localExtra = field
        }
    }

    static let hostile: [(defect: String, archive: RawZip, rule: String)] = [
        ("random data", encrypted { _ in }, "zip.password-wrong"), ("no field", both([]), "zip.encrypted"),
        ("no flag", encrypted { $0.flags = 0 }, "zip.encrypted"),
        ("flag alone", encrypted { $0.method = 8 }, "zip.encrypted"),
        ("PKWARE's flag", encrypted { $0.flags = 0x41 }, "zip.encrypted"),
        ("masked headers", encrypted { $0.flags = 0x2001 }, "zip.encrypted"),
        ("AES-128", both(field(strength: 1)), "zip.encrypted"),
        ("strength 4", both(field(strength: 4)), "zip.encrypted"),
        ("version 3", both(field(version: 3)), "zip.extra-field"),
        ("another vendor", both(field(vendor: "XY")), "zip.extra-field"),
        ("long field", both(u16(0x9901) + u16(8) + u16(2) + Array("AE".utf8) + [3] + u16(0) + [0]), "zip.extra-field"),
        ("two fields", both(field() + field()), "zip.extra-field"),
        ("bzip2 inside", both(field(method: 12)), "zip.method"),
        ("AES inside", both(field(method: 99)), "zip.method"),
        ("local field differs", encrypted { $0.localExtra = field(method: 8) }, "zip.local-header-differs"),
        ("no local field", encrypted { $0.localExtra = [] }, "zip.local-header-differs"),
        (
            "too short",
            encrypted {
                $0.data = [UInt8](repeating: 7, count: 27)
                $0.compressedSize = 27
            }, "zip.stored-size"
        ), ("sizes that don't fit", encrypted { $0.size = 5 }, "zip.stored-size"),
    ]

    @Test func `each hostile archive is refused by its rule`() throws {
        let scratch = try Scratch()
        for item in Self.hostile {
            let path = try scratch.write(item.archive.bytes, to: "hostile.zip")
            #expect(Self.refusal(of: path, try Self.password()) == item.rule, "\(item.defect)")
        }
    }

    @Test func `end records within the data don't mislead libzip`() async throws {
        // The data is the rest of an archive with one plain member, placed as if the 62 bytes that we put before the data
        // belonged to it. Where libzip took it, it would find no encryption, and no password to be wrong.
        let scratch = try Scratch()
        let member = RawZip.Member("m", "not encrypted at all").with { $0.gapBefore = [UInt8](repeating: 0, count: 62) }
        let inner = Array(RawZip([member]).bytes.dropFirst(62))
        let archive = Self.encrypted {
            $0.data = inner
            $0.compressedSize = UInt32(inner.count)
            $0.size = UInt32(inner.count - 28)
        }
        let path = try scratch.write(archive.bytes, to: "inner.zip")
        #expect(Self.refusal(of: path, try Self.password()) == "zip.password-wrong")
    }

    @Test func `a password has 1 to 1,024 bytes and no NUL, and doesn't show itself`() throws {
        #expect(Password([]) == nil)
        #expect(Password([1, 0, 2]) == nil)
        #expect(Password([UInt8](repeating: 1, count: 1025)) == nil)
        #expect(Password([UInt8](repeating: 1, count: 1024))?.isPortable == false)
        #expect(Password([UInt8](repeating: 1, count: 99))?.isPortable == true)
        #expect("\(try Self.password())" == "password")
        #expect(String(reflecting: try Self.password()) == "password")
    }
}
