/// Detects the encoding of a text, and converts it to UTF-8.
public enum TextDecoding {
    /// An encoding, and whether it was declared.
    public struct Guess: Hashable, Sendable {
        /// The encoding.
        public var encoding: TextEncoding
        /// False if the encoding is only the default for such texts.
        public var isCertain: Bool
    }

    /// Returns the encoding of an HTML document; HTML §13.2.3.2 "encoding sniffing algorithm".
    ///
    /// The order is: byte order mark, Content-Type, `meta` in the first 1024 bytes, windows-1252.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    /// - Returns: The encoding, and whether it was declared.
    public static func htmlEncoding(of bytes: UnsafeBufferPointer<UInt8>, charset: String?) -> Guess {
        if let known = byteOrderMark(of: bytes) ?? charset.flatMap({ TextEncoding(label: $0) }) {
            return Guess(encoding: known, isCertain: true)
        }
        if let declared = MetaPrescan.encoding(of: bytes) { return Guess(encoding: declared, isCertain: true) }
        return Guess(encoding: .windows1252, isCertain: false)
    }

    /// Returns the encoding of an XML document; RFC 7303 §3: byte order mark, Content-Type, XML declaration, UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    /// - Returns: The encoding, which is always certain.
    public static func xmlEncoding(of bytes: UnsafeBufferPointer<UInt8>, charset: String?) -> Guess {
        let isLittle = bytes.starts(with: [0x3C, 0, 0x3F, 0])
        let isBig = bytes.starts(with: [0, 0x3C, 0, 0x3F])
        let encoding =
            byteOrderMark(of: bytes) ?? charset.flatMap { TextEncoding(label: $0) }
            ?? (isLittle ? .utf16LE : isBig ? .utf16BE : XMLDeclaration.encoding(of: bytes))
        return Guess(encoding: encoding ?? .utf8, isCertain: true)
    }

    /// Returns the encoding of a style sheet; CSS Syntax §3.2: byte order mark, Content-Type, `@charset`, UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The style sheet.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    /// - Returns: The encoding.
    public static func cssEncoding(of bytes: UnsafeBufferPointer<UInt8>, charset: String?) -> TextEncoding {
        if let known = byteOrderMark(of: bytes) ?? charset.flatMap({ TextEncoding(label: $0) }) { return known }
        let rule = Array("@charset \"".utf8)
        guard bytes.starts(with: rule) else { return .utf8 }
        let rest = bytes.prefix(1024).dropFirst(rule.count)
        guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")),
            rest.dropFirst(quote - rest.startIndex + 1).first == 0x3B
        else { return .utf8 }
        return TextEncoding(metaLabel: String(decoding: rest[..<quote], as: UTF8.self)) ?? .utf8
    }

    /// Returns the encoding of a script; HTML §8.1.4.2: byte order mark, Content-Type, UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The script.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    /// - Returns: The encoding.
    static func scriptEncoding(of bytes: UnsafeBufferPointer<UInt8>, charset: String?) -> TextEncoding {
        byteOrderMark(of: bytes) ?? charset.flatMap { TextEncoding(label: $0) } ?? .utf8
    }

    /// Passes the text in UTF-8 without byte order mark to a closure; text that is UTF-8 is neither copied nor checked.
    ///
    /// - Parameters:
    ///   - bytes: The text as received.
    ///   - encoding: The encoding of the text.
    ///   - body: Takes the text.
    /// - Returns: The closure's result.
    public static func withUTF8<Result>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ encoding: TextEncoding,
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        switch encoding.form {
        case .utf8:
            let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            return body(UnsafeBufferPointer(rebasing: bytes.dropFirst(start)))
        case .replacement: return body(UnsafeBufferPointer(start: nil, count: 0))
        case .utf16LE: return utf16(bytes, lowByteFirst: true).withUnsafeBufferPointer(body)
        case .utf16BE: return utf16(bytes, lowByteFirst: false).withUnsafeBufferPointer(body)
        case .singleByte, .gbk, .gb18030, .big5, .eucJP, .shiftJIS, .eucKR:
            if isASCII(bytes) { return body(bytes) }
            return LegacyDecoder.decode(bytes, encoding.form).withUnsafeBufferPointer(body)
        case .iso2022JP: return LegacyDecoder.decode(bytes, encoding.form).withUnsafeBufferPointer(body)
        }
    }

    /// Returns the encoding that a `meta` element at the beginning of a page states; nil if there is none.
    ///
    /// - Parameter bytes: The first bytes of the page.
    /// - Returns: The encoding.
    package static func metaEncoding(of bytes: UnsafeBufferPointer<UInt8>) -> TextEncoding? {
        MetaPrescan.encoding(of: bytes)
    }

    private static func byteOrderMark(of bytes: UnsafeBufferPointer<UInt8>) -> TextEncoding? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if bytes.starts(with: [0xFE, 0xFF]) { return .utf16BE }
        return bytes.starts(with: [0xFF, 0xFE]) ? .utf16LE : nil
    }

    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0 < 0x80 }
    }

    /// Converts UTF-16; lone surrogates, and a final byte without its other half, become U+FFFD.
    private static func utf16(_ bytes: UnsafeBufferPointer<UInt8>, lowByteFirst: Bool) -> [UInt8] {
        let units = (0..<bytes.count / 2).lazy.map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
            return lowByteFirst ? second << 8 | first : first << 8 | second
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        let mark = (units.first ?? 0) == 0xFEFF ? 1 : 0
        _ = transcode(units.dropFirst(mark).makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) {
            result.append($0)
        }
        if bytes.count % 2 == 1 { result += [0xEF, 0xBF, 0xBD] }
        return result
    }
}

/// The encoding in `<?xml version="1.0" encoding="…"?>`; HTML §13.2.3.2 "get an XML encoding".
enum XMLDeclaration {
    /// Returns the encoding that the declaration at the very start names, or nil.
    static func encoding(of buffer: UnsafeBufferPointer<UInt8>) -> TextEncoding? {
        let bytes = ScanBuffer(UnsafeBufferPointer(rebasing: buffer.prefix(1024)))
        guard bytes.hasPrefix("<?xml", at: 0) else { return nil }
        let end = bytes.find(UInt8(ascii: ">"), from: 0)
        var index = 5
        while index < end, !bytes.hasPrefix("encoding", at: index) { index += 1 }
        index += 8
        func skipControls() { while index < end, bytes[index] <= 0x20 { index += 1 } }
        skipControls()
        guard index < end, bytes[index] == UInt8(ascii: "=") else { return nil }
        index += 1
        skipControls()
        guard index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else { return nil }
        let close = bytes.find(bytes[index], from: index + 1, to: end)
        guard close < end else { return nil }
        return TextEncoding(metaLabel: bytes.string(index + 1..<close))
    }
}
