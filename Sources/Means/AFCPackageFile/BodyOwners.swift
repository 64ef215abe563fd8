internal import AFCFiles
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

/// The owners of bodies: the first body with certain bytes owns a member, and later ones share it.
///
/// Memory holds eight bytes for each owner; digests and names are in a file.
struct BodyOwners {
    /// The alignment of records, so that 32 bits suffice for their place in a large file.
    private static let unit = 16
    /// The size of the digest, the body's size and the length of the name.
    private static let headSize = 32 + 8 + 2

    /// An open hash table.
    ///
    /// Each slot has 32 bits of the digest and the owner's place in the file, from 1; 0 if it is free.
    private var table = [UInt64](repeating: 0, count: 1024)
    private var count = 0
    private var spool: BufferedSpool

    init(folder: String) { spool = BufferedSpool(folder: folder) }

    /// Returns the member that already holds a body's bytes.
    ///
    /// - Parameters:
    ///   - digest: The body's SHA-256 as 64 hexadecimal digits.
    ///   - size: The size of the body in bytes.
    ///   - name: The name of the body's member if it is the first one with these bytes.
    /// - Returns: The member's name, or nil if the body gets its own member.
    /// - Throws: ``ZipError`` if the file can't be written or read.
    mutating func owner(digest: String, size: Int64, name: String) throws(ZipError) -> String? {
        guard size >= PackageLayout.sharedBodySize, let key = Self.key(digest, size) else { return nil }
        let mark = UInt64(key[0]) << 24 | UInt64(key[1]) << 16 | UInt64(key[2]) << 8 | UInt64(key[3])
        var slot = Int(mark) & (table.count - 1)
        while table[slot] != 0 {
            if table[slot] >> 32 == mark, let name = try self.name(at: table[slot] & 0xFFFF_FFFF, ifKey: key) {
                return name
            }
            slot = (slot + 1) & (table.count - 1)
        }
        guard let place = try append(key, name) else { return nil }
        table[slot] = mark << 32 | place
        count += 1
        if count * 4 > table.count * 3 { grow() }
        return nil
    }

    private static func key(_ digest: String, _ size: Int64) -> [UInt8]? {
        guard var key = Hexadecimal.bytes(digest), key.count == 32 else { return nil }
        withUnsafeBytes(of: size.littleEndian) { key.append(contentsOf: $0) }
        return key
    }

    /// Doubles the table.
    ///
    /// A slot depends only on the part of the digest that the table holds.
    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: table.count * 2)
        for entry in table where entry != 0 {
            var slot = Int(entry >> 32) & (larger.count - 1)
            while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
            larger[slot] = entry
        }
        table = larger
    }

    // MARK: The file

    /// Appends an owner to the file.
    ///
    /// - Returns: Its place, or nil if the place doesn't fit into 32 bits.
    private mutating func append(_ key: [UInt8], _ name: String) throws(ZipError) -> UInt64? {
        let place = spool.size / Int64(Self.unit) + 1
        let length = name.utf8.count
        guard place <= 0xFFFF_FFFF, length <= 0xFFFF else { return nil }
        var record = key
        record.append(contentsOf: [UInt8(length & 0xFF), UInt8(length >> 8)])
        record.append(contentsOf: name.utf8)
        while record.count % Self.unit != 0 { record.append(0) }
        _ = try onFile { () throws(FileError) in try spool.append(record) }
        return UInt64(place)
    }

    /// Returns the name of the owner at a place if its digest and size equal those of the key.
    private func name(at place: UInt64, ifKey key: [UInt8]) throws(ZipError) -> String? {
        let offset = (Int64(place) - 1) * Int64(Self.unit)
        let head = try bytes(Self.headSize, at: offset)
        guard head[..<key.count] == key[...] else { return nil }
        let length = Int(head[key.count]) | Int(head[key.count + 1]) << 8
        return String(decoding: try bytes(length, at: offset + Int64(Self.headSize)), as: UTF8.self)
    }

    private func bytes(_ count: Int, at offset: Int64) throws(ZipError) -> [UInt8] {
        try onFile { () throws(FileError) in try spool.bytes(count, at: offset) }
    }
}
