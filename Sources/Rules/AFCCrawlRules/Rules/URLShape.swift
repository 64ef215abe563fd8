internal import AFCURL

/// The common part of generated URLs: host, path and parameter names, without numbers, IDs and values.
///
/// `/2024/05/event-17?id=3&day=9` has the shape `/9/9/event-9?day&id`.
struct URLShape: Hashable, Sendable {
    /// The shape as text, at most ``byteLimit`` bytes.
    let text: String
    /// True if there is a query.
    let hasQuery: Bool
    /// The shape for all queries together.
    var anyQuery: String { text.prefix { $0 != "?" } + "?*" }

    /// The largest size of a shape in bytes, so that many of them need little memory.
    static let byteLimit = 240

    init(_ url: WebURL) {
        var bytes = Array(url.origin.utf8)
        for segment in url.pathSegments {
            guard bytes.count < Self.byteLimit else { break }
            bytes.append(UInt8(ascii: "/"))
            Self.append(segment, to: &bytes)
        }
        let query = url.query ?? ""
        hasQuery = !query.isEmpty
        if hasQuery {
            let names = query.split(separator: "&").map { $0.prefix { $0 != "=" } }.sorted()
            bytes.append(UInt8(ascii: "?"))
            for name in names where bytes.count < Self.byteLimit {
                Self.append(name, to: &bytes)
                bytes.append(UInt8(ascii: "&"))
            }
        }
        text = String(decoding: bytes.prefix(Self.byteLimit), as: UTF8.self)
    }

    /// Appends a part with each run of digits replaced by 9.
    ///
    /// A UUID, eight or more hexadecimal digits, or a token in which letters and digits alternate counts as one run.
    private static func append(_ part: Substring, to bytes: inout [UInt8]) {
        let part = Array(part.utf8)
        var index = 0
        while index < part.count {
            if isUUID(part[index...].prefix(uuidLength)) {
                bytes.append(UInt8(ascii: "9"))
                index += uuidLength
                continue
            }
            let start = index
            var digits = 0
            while index < part.count, isWordByte(part[index]) {
                if isDigit(part[index]) { digits += 1 }
                index += 1
            }
            let word = part[start..<index]
            if digits >= 2, word.count >= 8, word.allSatisfy(isHexDigit) || isToken(word) {
                bytes.append(UInt8(ascii: "9"))
            } else {
                for (offset, byte) in zip(word.indices, word) {
                    if !isDigit(byte) {
                        bytes.append(byte)
                    } else if offset == start || !isDigit(part[offset - 1]) {
                        bytes.append(UInt8(ascii: "9"))
                    }
                }
            }
            if index < part.count {
                bytes.append(part[index])
                index += 1
            }
        }
    }

    private static let uuidLength = 36

    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == uuidLength else { return false }
        return zip(0..., text).allSatisfy { offset, byte in
            [8, 13, 18, 23].contains(offset) ? byte == UInt8(ascii: "-") : isHexDigit(byte)
        }
    }

    /// Returns true for random letters and digits, such as `1uibmcprsdw4v52v`.
    private static func isToken(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count >= 12 else { return false }
        return zip(word, word.dropFirst()).count { isDigit($0) != isDigit($1) } >= 5
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte & 0xDF)
    }
    private static func isWordByte(_ byte: UInt8) -> Bool { isDigit(byte) || (0x41...0x5A).contains(byte & 0xDF) }
}
