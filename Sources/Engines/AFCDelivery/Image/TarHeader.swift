/// The blocks before and after the entries of a tar archive: ustar, with an extended header for what doesn't fit into it
/// (POSIX.1-2017, pax, "pax Interchange Format").
///
/// Pure. Everything belongs to root, without names, so that the archive says nothing of the machine that made it.
enum TarHeader {
    /// What an entry is.
    enum Kind: Equatable {
        case file(size: Int64)
        case folder
    }

    /// The unit of the format, in bytes.
    static let block = 512
    /// The end of an archive.
    static let end = [UInt8](repeating: 0, count: 2 * block)
    private static let nameRoom = 100
    /// The largest number in eleven octal digits.
    private static let sizeRoom: Int64 = 0o777_7777_7777

    /// Returns the number of zero bytes that follow a body.
    static func padding(after size: Int64) -> Int { Int((Int64(block) - size % Int64(block)) % Int64(block)) }

    /// Returns the blocks that precede an entry's body.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the root; that of a folder ends in a slash.
    ///   - kind: What the entry is.
    ///   - mode: The permissions.
    ///   - modified: The time of the last change, in seconds since 1970; earlier times count as 1970.
    /// - Returns: One block, or three or more if there is an extended header.
    static func blocks(path: String, _ kind: Kind, mode: UInt32, modified: Int64) -> [UInt8] {
        let size: Int64 = if case .file(let size) = kind { size } else { 0 }
        let isLong = path.utf8.count > nameRoom || path.utf8.contains { $0 >= 0x80 }
        var records: [UInt8] = []
        if isLong { records += record("path", path) }
        if size > sizeRoom { records += record("size", String(size)) }
        let type = kind == .folder ? UInt8(ascii: "5") : UInt8(ascii: "0")
        let time = min(max(modified, 0), sizeRoom)
        // Readers that don't know extended headers get a name that is cut off.
        let name = Array(path.utf8.prefix(nameRoom))
        let header = ustar(name, size: size > sizeRoom ? 0 : size, mode: mode, time: time, type: type)
        guard !records.isEmpty else { return header }
        let extended = ustar(
            Array("PaxHeaders/entry".utf8),
            size: Int64(records.count),
            mode: 0o644,
            time: time,
            type: UInt8(ascii: "x")
        )
        return extended + records + [UInt8](repeating: 0, count: padding(after: Int64(records.count))) + header
    }

    /// Returns a record of an extended header, which begins with its own length.
    private static func record(_ key: String, _ value: String) -> [UInt8] {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while String(length).utf8.count + rest.utf8.count != length {
            length = String(length).utf8.count + rest.utf8.count
        }
        return Array("\(length)\(rest)".utf8)
    }

    private static func ustar(_ name: [UInt8], size: Int64, mode: UInt32, time: Int64, type: UInt8) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ bytes: [UInt8], at place: Int) { header.replaceSubrange(place..<place + bytes.count, with: bytes) }
        func number(_ value: Int64, digits: Int) -> [UInt8] {
            let text = String(value, radix: 8)
            return Array((String(repeating: "0", count: digits - text.utf8.count) + text).utf8)
        }
        put(name, at: 0)
        put(number(Int64(mode), digits: 7), at: 100)
        put(number(0, digits: 7), at: 108)
        put(number(0, digits: 7), at: 116)
        put(number(size, digits: 11), at: 124)
        put(number(time, digits: 11), at: 136)
        header[156] = type
        put(Array("ustar\u{0}00".utf8), at: 257)
        put(number(0, digits: 7), at: 329)
        put(number(0, digits: 7), at: 337)
        // The checksum is computed as if its own field were spaces.
        put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148)
        let sum = header.reduce(Int64(0)) { $0 + Int64($1) }
        put(number(sum, digits: 6) + [0], at: 148)
        return header
    }
}
