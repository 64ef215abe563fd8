import AFCPackageFormat
import TestSupport

/// Defects of the archive. Such a file is refused as a whole, so that nothing else is found.
extension Mutation {
    static let zipRecord: [Mutation] = [
        Mutation("bytes before the first member") { package, source in
            package.whole = bytes(&source) + package.bytes
            // The directory isn't where the end record says, which is looked at first.
            return [.package("zip.directory-misplaced")]
        },
        archive("bytes before the first member, with right places", "zip.leading-data") { $0.prefix = bytes(&$1) },
        Mutation("bytes between members") { package, source in
            let place = Int.random(in: 1..<package.zip.members.count, using: &source)
            package.zip.members[place].gapBefore = bytes(&source)
            return [.package("zip.gap")]
        },
        archive("bytes before the directory", "zip.gap") { $0.beforeDirectory = bytes(&$1) },
        archive("bytes behind the end", "zip.trailing-data") { $0.suffix = bytes(&$1) },
        archive("a comment longer than it says", "zip.trailing-data") { zip, source in
            zip.comment = bytes(&source)
            zip.commentLength = UInt16(Int.random(in: 0..<zip.comment.count, using: &source))
        },
        archive("an archive in the comment", "zip.ambiguous-end") { zip, _ in
            zip.comment = RawZip([RawZip.Member("a")]).bytes
        },
        archive("a member in the comment", "zip.hidden-archive") { zip, _ in
            zip.comment = Array("PK\u{3}\u{4}member".utf8)
        },
        archive("a wrong number of members", "zip.wrong-count") { zip, source in
            zip.count = UInt16(zip.members.count - Int.random(in: 1..<zip.members.count, using: &source))
        },
        Mutation("fewer members than it says") { package, source in
            let count = package.zip.members.count + Int.random(in: 1...9, using: &source)
            package.zip.count = UInt16(count)
            // So many may not even have room in the directory, whose entries have 46 bytes and a name.
            let size = package.zip.members.reduce(0) { $0 + 46 + $1.name.count + $1.extra.count }
            return [.package(count * 46 > size ? "zip.wrong-count" : "zip.bad-directory")]
        },
        archive("two numbers of members", "zip.wrong-count") { zip, source in
            zip.totalCount = UInt16(zip.members.count + Int.random(in: 1...9, using: &source))
            zip.count = UInt16(zip.members.count)
        },
        archive("another disk", "zip.several-disks") { $0.diskNumber = UInt16.random(in: 1...99, using: &$1) },
        Mutation("a file that was cut off") { package, source in
            let bytes = package.bytes
            package.whole = Array(bytes.dropLast(Int.random(in: 1...bytes.count - 30, using: &source)))
            return [.package("zip.not-a-zip")]
        },
        each("another checksum in the local header", "zip.local-header-differs") { member, source in
            member.localCRC = member.crc ^ 1 << UInt32.random(in: 0..<32, using: &source)
        },
        each("another size in the local header", "zip.local-header-differs") { member, source in
            member.localSize = member.size + UInt32.random(in: 1...99, using: &source)
        },
        each("another method in the local header", "zip.local-header-differs") { member, _ in
            member.localMethod = 8 - member.method
        },
        each("another time in the local header", "zip.local-header-differs") { member, source in
            member.localTime = member.time ^ UInt16.random(in: 1...31, using: &source)
        },
        each("another name in the local header", "zip.local-header-differs") { member, source in
            var name = member.name
            let place = Int.random(in: name.indices, using: &source)
            name[place] = name[place] == 0x78 ? 0x79 : 0x78
            member.localName = name
        },
        each("an unknown method", "zip.method") { member, source in
            member.method = [1, 6, 9, 12, 14, 93, 95].randomElement(using: &source) ?? 12
        },
        each("an encrypted member", "zip.encrypted") { member, _ in member.flags |= 1 },
        each("flags that nobody needs", "zip.flags") { member, source in
            member.flags |= [4, 5, 7, 9, 12, 14].randomElement(using: &source).map { 1 << $0 } ?? 16
        },
        each("an extra field that is cut off", "zip.extra-field") { member, source in
            member.extra = [[1], [1, 2, 3], [0xFE, 0xCA, 9, 0, 1]].randomElement(using: &source) ?? []
            member.localExtra = member.extra
        },
        each("a symbolic link", "zip.link") { member, _ in member.attributes = 0o120777 << 16 },
        each("a device", "zip.device") { member, source in
            member.attributes = ([0o020644, 0o060644, 0o010644, 0o140644].randomElement(using: &source) ?? 0) << 16
        },
        each("a member of another disk", "zip.several-disks") { member, _ in member.disk = 1 },
        each("a stored body of two sizes", "zip.stored-size", where: { $0.method == 0 }) { member, source in
            member.size += UInt32.random(in: 1...99, using: &source)
        },
    ]

    /// Some bytes that look like no record.
    private static func bytes(_ source: inout Source) -> [UInt8] {
        (0..<Int.random(in: 1...60, using: &source)).map { _ in UInt8.random(in: 0x61...0x7A, using: &source) }
    }

    private static func archive(
        _ kind: String,
        _ rule: String,
        _ change: @escaping @Sendable (inout RawZip, inout Source) -> Void
    ) -> Mutation {
        Mutation(kind) { package, source in
            change(&package.zip, &source)
            return [.package(rule)]
        }
    }

    /// A defect of any member.
    private static func each(
        _ kind: String,
        _ rule: String,
        where isFit: @escaping @Sendable (RawZip.Member) -> Bool = { _ in true },
        _ change: @escaping @Sendable (inout RawZip.Member, inout Source) -> Void
    ) -> Mutation {
        Mutation(kind) { package, source in
            let places = package.zip.members.indices.filter { isFit(package.zip.members[$0]) }
            guard let place = places.randomElement(using: &source) else { return nil }
            change(&package.zip.members[place], &source)
            return [.package(rule)]
        }
    }

    /// Defects of a body's data, which are found where the body is read, at its member.
    static let zipMember: [Mutation] = [
        body("a bit that fell over", "zip.checksum", where: { $0.method == 0 }) { member, source in
            member.data[Int.random(in: member.data.indices, using: &source)] ^=
                1 << UInt8.random(in: 0..<8, using: &source)
        },
        body("another checksum", "zip.checksum") { member, source in
            member.crc ^= 1 << UInt32.random(in: 0..<32, using: &source)
        },
        body("data that is no deflate stream", "zip.deflate", where: { $0.method == 8 }) { member, _ in
            member.data[0] = 0x07
        },
        body("data behind the deflate stream", "zip.deflate-trailing", where: { $0.method == 8 }) { member, source in
            member.data += bytes(&source)
            member.compressedSize = UInt32(member.data.count)
        },
        // The record has the right size still.
        Mutation("a size that lies") { package, source in
            guard let entry = package.any(&source, where: { $0.type.hasPrefix("text/") }),
                let place = package.place(of: entry.member)
            else { return nil }
            package.zip.members[place].size += UInt32.random(in: 1...20, using: &source)
            let records = package.entries.filter { $0.member == entry.member }.compactMap { package.record(of: $0.url) }
            return [.member("zip.size-lies", entry.member)] + records.map { .record("sidecar.size", $0) }
        },
        // The zip's checksum fits, so only the record knows.
        Mutation("another body") { package, source in
            guard let entry = package.any(&source, where: { $0.url.contains("/notes/") }), package.info != nil,
                let place = package.place(of: entry.member)
            else { return nil }
            var body = package.body(entry.member)
            body[Int.random(in: 0..<body.count - 1, using: &source)] = 0x7E
            guard String(validating: body, as: UTF8.self) != nil else { return nil }
            package.zip.members[place].setBody(body)
            return [.member("sidecar.digest", entry.member)]
        },
    ]

    private static func body(
        _ kind: String,
        _ rule: String,
        where isFit: @escaping @Sendable (RawZip.Member) -> Bool = { _ in true },
        _ change: @escaping @Sendable (inout RawZip.Member, inout Source) -> Void
    ) -> Mutation {
        Mutation(kind) { package, source in
            let members = Set(package.entries.map(\.member))
            let places = package.zip.members.indices.filter {
                members.contains(package.zip.members[$0].text) && isFit(package.zip.members[$0])
            }
            guard let place = places.randomElement(using: &source) else { return nil }
            change(&package.zip.members[place], &source)
            return [.member(rule, package.zip.members[place].text)]
        }
    }

    /// A member more, with a name that no archive may have.
    static let zipName: [Mutation] = [
        name("an absolute name", "zip.name-absolute", ["/etc/passwd", "/a", "/"]),
        name("a name above the folder", "zip.name-parent-path", ["../a", "docs.example/../../a", "docs.example/.."]),
        name("a dot in a name", "zip.name-dot", ["./a", "docs.example/./a", "docs.example/."]),
        name("an empty part in a name", "zip.name-empty-part", ["docs.example//a", "a//"]),
        name("a backslash in a name", "zip.name-backslash", ["docs.example\\a", "..\\a", "\\\\server\\a"]),
        name("a drive letter", "zip.name-drive-letter", ["C:/a", "c:a", "Z:/"]),
        name(
            "a control character in a name",
            "zip.name-control-character",
            ["a\u{0}b", "docs.example/\u{1B}[2J", "a\n"]
        ),
        name("no name", "zip.name-empty", [""]),
        name(
            "a name that is too long",
            "zip.name-too-long",
            [
                String(repeating: "n", count: 256), String(repeating: "folder/", count: 150) + "a",
            ]
        ),
        Mutation("a name that isn't UTF-8") { package, source in
            let byte: UInt8 = [0x80, 0xE4, 0xFF].randomElement(using: &source) ?? 0xFF
            package.insert(RawZip.Member(Array("docs.example/".utf8) + [byte], [1]))
            return [.package("zip.name-not-utf8")]
        },
        Mutation("two members of one name") { package, source in
            guard let member = package.zip.members.randomElement(using: &source) else { return nil }
            package.insert(RawZip.Member(member.name, [1]))
            return [.package("zip.duplicate")]
        },
        Mutation("names that differ by case") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.insert(RawZip.Member(entry.member.replacing(".example", with: ".Example"), "x"))
            return [.package("zip.collision")]
        },
        Mutation("a name that is both file and folder") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.insert(RawZip.Member(entry.member + "/more", "x"))
            return [.package("zip.file-and-folder")]
        },
    ]

    private static func name(_ kind: String, _ rule: String, _ names: [String]) -> Mutation {
        Mutation(kind) { package, source in
            package.insert(RawZip.Member(names.randomElement(using: &source) ?? "", "x"))
            return [.package(rule)]
        }
    }
}
