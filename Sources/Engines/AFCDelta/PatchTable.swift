internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

/// The names and limits of patches; see docs/reference/patches.md.
public enum PatchLayout {
    /// The member that says which packages the patch leads from and to; only patches have it.
    public static let header = PackageLayout.patch
    /// The member with the new package's metadata and the table of its members, as one Zstandard frame.
    static let table = ".afcache/delta.members"
    /// The member with the frames of the bodies, one after the other.
    static let bodies = ".afcache/delta.bodies"
    /// The version of the format.
    static let version: Int64 = 1
    /// The maximum size of the header, in bytes.
    static let headerByteLimit = 64 << 10
    /// The maximum size of metadata and table together, in bytes.
    static let tableByteLimit = 256 << 20
    /// The maximum size of a body that is patched, and of one that is a dictionary, in bytes; both are in memory.
    static let bodyByteLimit: Int64 = 16 << 20

    /// Returns true if a member describes the package, so that a patch contains it inline.
    static func isMetadata(_ name: String) -> Bool {
        name == PackageLayout.manifest || name.hasPrefix(PackageLayout.sidecarFolder)
    }
}

/// The contents of `.afcache/delta`.
struct PatchHeader: Equatable {
    /// The digest of the old package's contents.
    var old: String
    /// The digest of the new package's contents.
    var new: String
    /// The time of the new package's members, in seconds since 1970.
    var modified: Int64
    /// The program and the library that made the patch.
    var generator: String
    /// The size of the new package's metadata, in bytes.
    var metadataBytes: Int
    /// The size of the table, in bytes.
    var tableBytes: Int

    var bytes: [UInt8] {
        let json = JSONValue.object([
            ("format", .number(String(PatchLayout.version))), ("old", .string(old)), ("new", .string(new)),
            ("modified", .number(String(modified))), ("generator", .string(generator)),
            ("metadataBytes", .number(String(metadataBytes))), ("tableBytes", .number(String(tableBytes))),
        ])
        return Array((json.serialized + "\n").utf8)
    }

    /// The reason why a header can't be used.
    enum Defect: Error, Equatable {
        case malformed(String)
        case newerVersion(Int64)
    }

    init(old: String, new: String, modified: Int64, generator: String, metadataBytes: Int, tableBytes: Int) {
        (self.old, self.new, self.modified, self.generator) = (old, new, modified, generator)
        (self.metadataBytes, self.tableBytes) = (metadataBytes, tableBytes)
    }

    init(_ bytes: [UInt8]) throws(Defect) {
        guard let json = try? JSONValue(parsing: bytes), case .object(let members) = json else {
            throw .malformed("isn't a JSON object")
        }
        guard Set(members.map(\.0)).count == members.count else { throw .malformed("has two values for one key") }
        guard let version = json["format"]?.integer, version >= 1 else { throw .malformed("has no format") }
        guard version <= PatchLayout.version else { throw .newerVersion(version) }
        guard let old = json["old"]?.string, let new = json["new"]?.string, Self.isDigest(old), Self.isDigest(new)
        else { throw .malformed("doesn't state the digests of both packages") }
        guard let modified = json["modified"]?.integer, modified >= 0, let generator = json["generator"]?.string else {
            throw .malformed("has no time since 1970 or no generator")
        }
        let limit = Int64(PatchLayout.tableByteLimit)
        guard let metadata = json["metadataBytes"]?.integer, let table = json["tableBytes"]?.integer,
            (0...limit).contains(metadata), (0...limit).contains(table), metadata + table <= limit
        else { throw .malformed("states no sizes, or more than \(limit) bytes of metadata") }
        self.init(
            old: old,
            new: new,
            modified: modified,
            generator: generator,
            metadataBytes: Int(metadata),
            tableBytes: Int(table)
        )
    }

    private static func isDigest(_ text: String) -> Bool { Hexadecimal.bytes(text)?.count == 32 }
}

/// One line of the table: how a member of the new package is made.
struct PatchLine: Equatable {
    /// The ways to make a member.
    enum Way: Equatable {
        /// The next bytes of the metadata.
        case inline
        /// A body of the old package.
        case kept
        /// A frame that refers to a body of the old package.
        case patched(length: Int, dictionary: BodyID)
        /// A frame that refers to nothing.
        case whole(length: Int)
        /// The patch's member of the same name.
        case member
    }

    /// The name, size and SHA-256 of the member.
    var member: PackageDigest.Member
    /// The way to make it.
    var way: Way

    /// The identifier of a body of the old package that the member needs.
    var need: BodyID? {
        switch way {
        case .kept: BodyID(digits: member.sha256[...])
        case .patched(_, let dictionary): dictionary
        case .inline, .whole, .member: nil
        }
    }

    /// The size of the member's frame, in bytes.
    var frameLength: Int {
        switch way {
        case .patched(let length, _), .whole(let length): length
        case .inline, .kept, .member: 0
        }
    }

    /// Appends the line.
    func write(to text: inout [UInt8]) {
        let way =
            switch way {
            case .inline: "inline"
            case .kept: "kept"
            case .patched(let length, let dictionary): "patched \(length) \(dictionary.text)"
            case .whole(let length): "whole \(length)"
            case .member: "member"
            }
        text += Array("\(member.sha256) \(member.size) \(way) \(member.name)\n".utf8)
    }

    init(member: PackageDigest.Member, way: Way) {
        self.member = member
        self.way = way
    }

    /// Reads a line without its line feed; nil if it isn't as documented.
    init?(_ line: Substring) {
        var rest = line
        func word() -> Substring? {
            guard let space = rest.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
            defer { rest = rest[rest.utf8.index(after: space)...] }
            return rest[..<space]
        }
        func number(upTo limit: Int64) -> Int64? {
            guard let digits = word(), digits.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int64(digits),
                value <= limit
            else { return nil }
            return value
        }
        guard let sha256 = word().map(String.init), Hexadecimal.bytes(sha256)?.count == 32,
            let size = number(upTo: ReadLimits().memberBytes), let kind = word()
        else { return nil }
        let isSmall = size <= PatchLayout.bodyByteLimit
        // A frame of incompressible bytes is a little larger than these.
        let frameLimit = PatchLayout.bodyByteLimit + PatchLayout.bodyByteLimit / 16
        switch kind {
        case "inline": way = .inline
        case "kept": way = .kept
        case "patched":
            guard isSmall, let length = number(upTo: frameLimit), let digits = word(), digits.utf8.count == 16,
                let dictionary = BodyID(digits: digits)
            else { return nil }
            way = .patched(length: Int(length), dictionary: dictionary)
        case "whole":
            guard isSmall, let length = number(upTo: frameLimit) else { return nil }
            way = .whole(length: Int(length))
        case "member": way = .member
        default: return nil
        }
        guard !rest.isEmpty, rest.utf8.count <= 1024 else { return nil }
        member = PackageDigest.Member(name: String(rest), size: size, sha256: sha256)
    }
}
