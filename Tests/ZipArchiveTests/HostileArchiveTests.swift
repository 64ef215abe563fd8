import TestSupport
import Testing
import ZipArchive

/// Archives that must be refused, each named by its defect, with the rule that refuses it; and odd ones that must not.
struct HostileArchiveTests {
    typealias Member = RawZip.Member

    static let good = RawZip([Member("a.example/x"), Member("a.example/y", "more")])

    static func one(_ name: String) -> RawZip { RawZip([Member(name)]) }
    static func changed(_ change: (inout Member) -> Void) -> RawZip { RawZip([Member("a.example/x").with(change)]) }
    static func mode(_ mode: UInt32) -> RawZip { changed { $0.attributes = mode << 16 } }

    static let hostile: [(defect: String, archive: RawZip, rule: String)] = [
        ("parent path", one("a/../../etc/passwd"), "zip.name-parent-path"),
        ("parent path first", one("../x"), "zip.name-parent-path"),
        ("absolute path", one("/etc/passwd"), "zip.name-absolute"),
        ("drive letter", one("C:/x"), "zip.name-drive-letter"),
        ("backslash", one("a\\..\\x"), "zip.name-backslash"),
        ("control character", one("a\nb"), "zip.name-control-character"),
        ("NUL", RawZip([Member(Array("a\0b".utf8), [])]), "zip.name-control-character"),
        ("not UTF-8", RawZip([Member([0x61, 0xFF], [])]), "zip.name-not-utf8"),
        ("overlong UTF-8", RawZip([Member([0xC0, 0xAF], [])]), "zip.name-not-utf8"),
        ("surrogate in UTF-8", RawZip([Member([0xED, 0xA0, 0x80], [])]), "zip.name-not-utf8"),
        ("no name", one(""), "zip.name-empty"), ("empty part", one("a//b"), "zip.name-empty-part"),
        ("dot", one("a/./b"), "zip.name-dot"),
        ("long part", one(String(repeating: "n", count: 256)), "zip.name-too-long"),
        ("long name", one(String(repeating: "nnn/", count: 300) + "x"), "zip.name-too-long"),
        ("link", mode(0o120777), "zip.link"), ("device", mode(0o020666), "zip.device"),
        ("pipe", mode(0o010644), "zip.device"),
        ("folder mode on a file", mode(0o040755), "zip.type"),
        ("duplicate", RawZip([Member("x"), Member("x")]), "zip.duplicate"),
        ("case collision", RawZip([Member("x"), Member("X")]), "zip.collision"),
        ("normal form collision", RawZip([Member("\u{E4}"), Member("a\u{308}")]), "zip.collision"),
        ("file and folder", RawZip([Member("a"), Member("a/b")]), "zip.file-and-folder"),
        ("folder and file", RawZip([Member("a/b"), Member("a")]), "zip.file-and-folder"),
        ("file and folder member", RawZip([Member("a/", ""), Member("a")]), "zip.file-and-folder"),
        ("folder with data", RawZip([Member("a/", "data")]), "zip.folder-with-data"),
        ("overlap", RawZip([Member("x"), Member("y").with { $0.offset = 10 }]), "zip.overlap"),
        ("the same local header twice", RawZip([Member("x"), Member("y").with { $0.offset = 0 }]), "zip.overlap"),
        (
            "data over the directory",
            changed {
                $0.compressedSize = 4000; $0.size = 4000
            }, "zip.overlap"
        ),
        ("gap", RawZip([Member("x"), Member("y").with { $0.gapBefore = [1, 2, 3] }]), "zip.gap"),
        (
            "hidden member",
            RawZip([Member("x"), Member("y").with { $0.gapBefore = Array(Self.good.bytes.prefix(45)) }]), "zip.gap"
        ),
        ("leading data", good.with { $0.prefix = [1, 2, 3] }, "zip.leading-data"),
        ("data before the directory", good.with { $0.beforeDirectory = [0] }, "zip.gap"),
        ("data after the directory", good.with { $0.afterDirectory = [0, 0, 0, 0] }, "zip.directory-misplaced"),
        ("trailing data", good.with { $0.suffix = [0] }, "zip.trailing-data"),
        ("second archive appended", good.with { $0.suffix = Self.one("z").bytes }, "zip.directory-misplaced"),
        ("second archive in the comment", good.with { $0.comment = Self.one("z").bytes }, "zip.ambiguous-end"),
        ("end record appended", good.with { $0.suffix = Array(RawZip([]).bytes) }, "zip.directory-misplaced"),
        (
            "comment longer than said",
            good.with {
                $0.comment = [1, 2, 3]; $0.commentLength = 1
            }, "zip.trailing-data"
        ),
        ("comment shorter than said", good.with { $0.commentLength = 9 }, "zip.trailing-data"),
        ("local name differs", changed { $0.localName = Array("a.example/z".utf8) }, "zip.local-header-differs"),
        ("local checksum differs", changed { $0.localCRC = 1 }, "zip.local-header-differs"),
        ("local size differs", changed { $0.localSize = 1 }, "zip.local-header-differs"),
        ("local method differs", changed { $0.localMethod = 8 }, "zip.local-header-differs"),
        ("local flags differ", changed { $0.localFlags = 0x800 }, "zip.local-header-differs"),
        ("local time differs", changed { $0.localTime = 7 }, "zip.local-header-differs"),
        ("no local header", changed { $0.offset = 5 }, "zip.leading-data"),
        ("count too high", good.with { $0.count = 3 }, "zip.wrong-count"),
        ("count too low", good.with { $0.count = 1 }, "zip.wrong-count"),
        ("two counts", good.with { $0.totalCount = 9 }, "zip.wrong-count"),
        ("directory size wrong", good.with { $0.directorySize = 46 }, "zip.directory-misplaced"),
        ("directory offset wrong", good.with { $0.directoryOffset = 1 }, "zip.directory-misplaced"),
        ("several disks", good.with { $0.diskNumber = 1 }, "zip.several-disks"),
        ("member on another disk", changed { $0.disk = 1 }, "zip.several-disks"),
        ("encrypted", changed { $0.flags = 1 }, "zip.encrypted"),
        ("strongly encrypted", changed { $0.flags = 0x40 }, "zip.encrypted"),
        ("patch data", changed { $0.flags = 0x20 }, "zip.flags"), ("bzip2", changed { $0.method = 12 }, "zip.method"),
        ("stored sizes differ", changed { $0.size = 3 }, "zip.stored-size"),
        (
            "bomb by ratio",
            changed {
                $0.method = 8; $0.size = 1 << 30
            }, "zip.ratio"
        ),
        ("zip64 without field", changed { $0.size = 0xFFFF_FFFF }, "zip.bad-zip64"),
        (
            "zip64 size beyond counting",
            changed {
                $0.size = 0xFFFF_FFFF; $0.extra = u16(1) + u16(8) + u64(.max)
            }, "zip.bad-zip64"
        ),
        ("two zip64 fields", changed { $0.extra = u16(1) + u16(0) + u16(1) + u16(0) }, "zip.bad-zip64"),
        (
            "zip64 count lies",
            good.with {
                $0.hasZip64 = true; $0.zip64Count = 1 << 40
            }, "zip.too-many-members"
        ),
        (
            "zip64 disagrees",
            good.with {
                $0.hasZip64 = true; $0.count = 1
            }, "zip.bad-zip64"
        ),
        ("extra field cut off", changed { $0.extra = [1, 0, 9, 0, 1] }, "zip.extra-field"),
        (
            "renamed by extra field", changed { $0.extra = u16(0x7075) + u16(6) + [1, 0, 0, 0, 0, 0x7A] },
            "zip.unicode-path"
        ),
        (
            "renamed by local extra field", changed { $0.localExtra = u16(0x7075) + u16(6) + [1, 0, 0, 0, 0, 0x7A] },
            "zip.unicode-path"
        ),
        (
            "descriptor lies",
            changed {
                $0.flags = 8; $0.descriptor = u32(0x0807_4B50) + u32($0.crc) + u32(9) + u32(4)
            }, "zip.descriptor"
        ),
        ("descriptor missing", changed { $0.flags = 8 }, "zip.descriptor"),
        (
            "descriptor with another signature",
            changed {
                $0.flags = 8; $0.descriptor = u32(7) + u32($0.crc) + u32(4) + u32(4)
            }, "zip.descriptor"
        ),
    ]

    static let odd: [(oddity: String, archive: RawZip)] = [
        ("nothing odd", good), ("no members", RawZip([])), ("empty body", RawZip([Member("x", "")])),
        ("folder member", RawZip([Member("a/", ""), Member("a/x")])),
        ("folder member behind", RawZip([Member("a/x"), Member("a/", "")])),
        ("archive comment", good.with { $0.comment = Array("hello".utf8) }),
        ("member comment", changed { $0.comment = [1, 2] }),
        (
            "unknown extra fields",
            changed {
                $0.extra = u16(0x5455) + u16(1) + [0]; $0.localExtra = u16(0x9999) + u16(2) + [0, 0]
            }
        ),
        ("extra field with the same name", changed { $0.extra = u16(0x7075) + u16(16) + [1, 0, 0, 0, 0] + $0.name }),
        ("UTF-8 flag", changed { $0.flags = 0x800 }), ("UTF-8 name without flag", one("ä")),
        (
            "UTF-8 name with flag",
            changed {
                $0.flags = 0x800; $0.name = Array("ä".utf8)
            }
        ),
        ("regular mode", mode(0o100644)), ("mode without type", mode(0o600)),
        ("zip64 end record", good.with { $0.hasZip64 = true }),
        (
            "zip64 sizes",
            changed {
                $0.extra = u16(1) + u16(16) + u64(4) + u64(4); $0.localExtra = $0.extra; $0.size = 0xFFFF_FFFF;
                $0.compressedSize = 0xFFFF_FFFF
            }
        ),
        (
            "descriptor with signature",
            changed {
                $0.flags = 8; $0.descriptor = u32(0x0807_4B50) + u32($0.crc) + u32(4) + u32(4)
            }
        ),
        (
            "descriptor without signature",
            changed {
                $0.flags = 8; $0.descriptor = u32($0.crc) + u32(4) + u32(4)
            }
        ),
        (
            "descriptor of zip64",
            changed {
                $0.flags = 8; $0.descriptor = u32(0x0807_4B50) + u32($0.crc) + u64(4) + u64(4)
            }
        ),
        ("a zip as a body", RawZip([Member(Array("x.zip".utf8), Self.good.bytes)])),
        ("name with spaces", one("a b/c d")),
    ]

    @Test func `each hostile archive is refused by its rule`() throws {
        let scratch = try Scratch()
        for item in Self.hostile {
            let path = try scratch.write(item.archive.bytes, to: "hostile.zip")
            do throws(ZipError) {
                _ = try ZipReader(path: path)
                Issue.record("'\(item.defect)' was opened")
            } catch {
                #expect(error.rule == item.rule, "'\(item.defect)': \(error)")
                #expect(
                    error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F },
                    "'\(item.defect)'"
                )
            }
        }
    }

    @Test func `each odd archive is opened, and its bodies are right`() throws {
        let scratch = try Scratch()
        for item in Self.odd {
            let path = try scratch.write(item.archive.bytes, to: "odd.zip")
            do throws(ZipError) {
                let reader = try ZipReader(path: path)
                #expect(reader.members.count == item.archive.members.count, "'\(item.oddity)'")
                for (member, raw) in zip(reader.members, item.archive.members) where !member.isDirectory {
                    #expect(try reader.read(member, maxBytes: 1 << 20) == raw.data, "'\(item.oddity)'")
                }
            } catch {
                Issue.record("'\(item.oddity)' was refused: \(error)")
            }
        }
    }

    @Test func `an archive cut off anywhere is refused`() throws {
        let scratch = try Scratch()
        let bytes = Self.good.bytes
        for length in 0..<bytes.count {
            let path = try scratch.write(Array(bytes.prefix(length)), to: "cut.zip")
            #expect(throws: ZipError.self, "cut to \(length) bytes") { try ZipReader(path: path) }
        }
    }

    @Test func `an archive with any byte changed is refused or reads the same members`() throws {
        let scratch = try Scratch()
        let bytes = Self.good.bytes
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 0x41
            let path = try scratch.write(changed, to: "changed.zip")
            guard let reader = try? ZipReader(path: path) else { continue }
            for member in reader.members {
                guard let body = try? reader.read(member, maxBytes: 1 << 20) else { continue }
                #expect(RawZip.crc32(body) == member.crc32)
            }
        }
    }

    @Test func `data that inflates to more than declared stops there`() throws {
        let scratch = try Scratch()
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let source = try scratch.write(zeros, to: "zeros")
        #expect(try Program.run("zip", ["-q", "-j", "made.zip", source], in: scratch.path).status == 0)
        var bytes = try scratch.read("made.zip")
        // The size stands at 22 in the local header and at 24 in the directory's entry.
        let directory = try #require((0..<bytes.count - 4).last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        for offset in [22, directory + 24] { bytes.replaceSubrange(offset..<offset + 4, with: u32(100)) }
        let reader = try ZipReader(path: try scratch.write(bytes, to: "lies.zip"))
        var received = 0
        #expect(throws: ZipError.self) {
            try reader.forEachChunk(of: reader.members[0]) { chunk throws(ZipError) in received += chunk.count }
        }
        #expect(received <= 100)
    }

    @Test func `a wrong checksum is noticed when the body is read`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Self.changed { $0.crc = 1 }.bytes, to: "crc.zip")
        let reader = try ZipReader(path: path)
        #expect(throws: ZipError.self) { try reader.read(reader.members[0], maxBytes: 100) }
    }

    @Test func `limits are kept`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Self.good.bytes, to: "good.zip")
        var limits = ReadLimits()
        limits.members = 1
        #expect(throws: ZipError.self) { try ZipReader(path: path, limits: limits) }
        limits = ReadLimits()
        limits.totalBytes = 5
        #expect(throws: ZipError.self) { try ZipReader(path: path, limits: limits) }
    }
}
