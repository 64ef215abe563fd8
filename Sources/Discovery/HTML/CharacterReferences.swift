/// Character references in attribute values (HTML Standard §13.2.5.72).
enum CharacterReferences {
    /// The text with its references resolved.
    static func resolve(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "&"), let found = reference(bytes[(index + 1)...]) {
                result.append(contentsOf: found.text.utf8)
                index += 1 + found.length
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(_ rest: ArraySlice<UInt8>) -> (text: String, length: Int)? {
        rest.first == UInt8(ascii: "#") ? numeric(rest.dropFirst()) : named(rest)
    }

    private static func numeric(_ rest: ArraySlice<UInt8>) -> (text: String, length: Int)? {
        var digits = rest
        var radix: UInt32 = 10
        var length = 1
        if let first = digits.first, first | 0x20 == UInt8(ascii: "x") {
            radix = 16
            digits = digits.dropFirst()
            length += 1
        }
        var value: UInt32 = 0
        var count = 0
        for byte in digits {
            guard let digit = digit(byte), digit < radix else { break }
            value = min(value * radix + digit, 0x11_0000)
            count += 1
        }
        guard count > 0 else { return nil }
        length += count
        if digits.dropFirst(count).first == UInt8(ascii: ";") { length += 1 }
        let scalar = value == 0 ? nil : Unicode.Scalar(TextDecoding.windows1252(value))
        return (String(Character(scalar ?? "\u{FFFD}")), length)
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The longest name that the text begins with; one without semicolon doesn't count before `=`, a letter or a digit, so
    /// that `?a=1&copy=2` stays what it is.
    private static func named(_ rest: ArraySlice<UInt8>) -> (text: String, length: Int)? {
        let run = rest.prefix(NamedCharacters.longest).prefix { digit($0) != nil || HTMLScanner.isLetter($0) }
        if rest.dropFirst(run.count).first == UInt8(ascii: ";") {
            let name = String(decoding: run, as: UTF8.self) + ";"
            if let text = NamedCharacters.table[name] { return (text, run.count + 1) }
        }
        var length = min(run.count, NamedCharacters.longestWithoutSemicolon)
        while length >= 2 {
            let name = String(decoding: rest.prefix(length), as: UTF8.self)
            if let text = NamedCharacters.table[name] {
                let next = rest.dropFirst(length).first
                let continues = next.map { $0 == UInt8(ascii: "=") || HTMLScanner.isLetter($0) || digit($0) != nil } ?? false
                return continues ? nil : (text, length)
            }
            length -= 1
        }
        return nil
    }
}
