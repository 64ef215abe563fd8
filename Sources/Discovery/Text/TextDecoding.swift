/// Bodies as UTF-8, by the Encoding Standard as far as references need it.
///
/// URLs are ASCII nearly always, so legacy encodings other than UTF-16 are read as windows-1252, whose ASCII is right.
enum TextDecoding {
    /// The body as UTF-8.
    ///
    /// - Parameters:
    ///   - body: The bytes received.
    ///   - charset: The charset that Content-Type names.
    ///   - isHTML: Whether a `<meta charset>` within the first 1,024 bytes counts.
    static func utf8(_ body: [UInt8], charset: String?, isHTML: Bool) -> [UInt8] {
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(body.dropFirst(3)) }
        if body.starts(with: [0xFE, 0xFF]) { return utf16(body.dropFirst(2), isBigEndian: true) }
        if body.starts(with: [0xFF, 0xFE]) { return utf16(body.dropFirst(2), isBigEndian: false) }
        let label = charset ?? (isHTML ? metaCharset(body) : nil)
        switch label?.lowercased() {
        case "utf-16", "utf-16le", "unicode", "ucs-2": return charset == nil ? body : utf16(body[...], isBigEndian: false)
        case "utf-16be": return charset == nil ? body : utf16(body[...], isBigEndian: true)
        case nil, "utf-8", "utf8", "us-ascii", "ascii":
            return body
        default:
            return body.allSatisfy { $0 < 0x80 } ? body : windows1252(body)
        }
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (one, two) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? one << 8 | two : two << 8 | one)
            index += 2
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static let highCharacters: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
    ]

    /// What windows-1252 makes of a byte or of a numeric character reference from 0x80 to 0x9F.
    static func windows1252(_ value: UInt32) -> UInt32 {
        (0x80...0x9F).contains(value) ? highCharacters[Int(value) - 0x80] : value
    }

    private static func windows1252(_ bytes: [UInt8]) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            if let scalar = Unicode.Scalar(windows1252(UInt32(byte))) { text.append(scalar) }
        }
        return Array(String(text).utf8)
    }

    /// A charset named in the first 1,024 bytes (HTML Standard §13.2.3.2), read simply.
    private static func metaCharset(_ body: [UInt8]) -> String? {
        let head = String(decoding: body.prefix(1024), as: UTF8.self).lowercased()
        guard let meta = head.firstRange(of: "<meta"), let key = head[meta.upperBound...].firstRange(of: "charset=") else { return nil }
        let rest = head[key.upperBound...].drop { $0 == "\"" || $0 == "'" || $0 == " " }
        let label = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        return label.isEmpty ? nil : String(label)
    }
}
