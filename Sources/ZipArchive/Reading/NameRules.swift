/// The rules for members' names: nothing that leaves the folder it is extracted to, nothing that two systems see differently.
struct NameRules {
    private var files: Set<String> = []
    private var folders: Set<String> = []
    private var exact: Set<[UInt8]> = []

    init(capacity: Int) {
        files.reserveCapacity(capacity)
        exact.reserveCapacity(capacity)
    }

    /// Checks one name and remembers it.
    ///
    /// - Returns: The name as text.
    /// - Throws: ``ZipError`` with the rule that refuses it.
    mutating func accept(_ bytes: [UInt8]) throws(ZipError) -> String {
        guard let name = String(validating: bytes, as: UTF8.self) else {
            let shown = ZipError.quoted(String(decoding: bytes, as: UTF8.self))
            throw .refused("name-not-utf8", "member \(shown) has a name that is not UTF-8")
        }
        try Self.check(bytes, name)
        guard exact.insert(bytes).inserted else {
            throw .refused("duplicate", "member \(ZipError.quoted(name)) is there twice")
        }
        try collide(name)
        return name
    }

    private static func check(_ bytes: [UInt8], _ name: String) throws(ZipError) {
        let shown = "member \(ZipError.quoted(name))"
        guard !bytes.isEmpty else { throw .refused("name-empty", "a member has no name") }
        guard bytes.count <= 1024 else {
            throw .refused("name-too-long", "\(shown) has a name of more than 1,024 bytes")
        }
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .refused("name-control-character", "\(shown) has a control character in its name")
        }
        if bytes.contains(UInt8(ascii: "\\")) {
            throw .refused("name-backslash", "\(shown) has a backslash in its name, which Windows takes for a folder")
        }
        if bytes.first == UInt8(ascii: "/") {
            throw .refused("name-absolute", "\(shown) has an absolute name and would leave the cache folder")
        }
        if bytes.count >= 2, bytes[1] == UInt8(ascii: ":"), bytes[0] | 0x20 >= UInt8(ascii: "a"),
            bytes[0] | 0x20 <= UInt8(ascii: "z")
        {
            throw .refused("name-drive-letter", "\(shown) begins with a drive letter and would leave the cache folder")
        }
        var parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if bytes.last == UInt8(ascii: "/") { parts.removeLast() }
        for part in parts {
            if part.isEmpty { throw .refused("name-empty-part", "\(shown) has an empty part in its name") }
            if part.elementsEqual([UInt8(ascii: ".")]) {
                throw .refused("name-dot", "\(shown) has the part '.' in its name")
            }
            if part.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) {
                throw .refused("name-parent-path", "\(shown) would leave the cache folder")
            }
            if part.count > 255 {
                throw .refused("name-too-long", "\(shown) has a part of more than 255 bytes in its name")
            }
        }
    }

    /// Names that a system without case, or one that normalises Unicode, takes for the same.
    ///
    /// Strings compare by canonical equivalence, so the sets see through normal forms.
    private mutating func collide(_ name: String) throws(ZipError) {
        let isFolder = name.hasSuffix("/")
        let key = (isFolder ? String(name.dropLast()) : name).lowercased()
        if isFolder {
            guard !files.contains(key) else { throw Self.both(name) }
            folders.insert(key)
        } else {
            guard files.insert(key).inserted else {
                throw .refused(
                    "collision",
                    "member \(ZipError.quoted(name)) has the name of another but for case or Unicode form"
                )
            }
            guard !folders.contains(key) else { throw Self.both(name) }
        }
        var rest = key[...]
        while let slash = rest.lastIndex(of: "/") {
            rest = rest[..<slash]
            let folder = String(rest)
            guard !files.contains(folder) else { throw Self.both(name) }
            guard folders.insert(folder).inserted else { return }
        }
    }

    private static func both(_ name: String) -> ZipError {
        .refused("file-and-folder", "member \(ZipError.quoted(name)) makes one name both file and folder")
    }
}
