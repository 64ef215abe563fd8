/// The small grammar that many fields share (RFC 9110 §5.6).
package enum FieldText {
    /// Returns true for a value with bytes that were replaced when it was read, because they aren't UTF-8.
    ///
    /// Different values then look the same (RFC 9110 §5.5), so it equals no other.
    package static func isDamaged(_ value: some StringProtocol) -> Bool {
        value.utf8.contains(0xEF) && value.unicodeScalars.contains("\u{FFFD}")
    }

    /// Returns the elements of a comma-separated list, without white space and empty elements; commas in quotes don't
    /// separate.
    package static func list(_ value: String) -> [Substring] { list(value, hasEscapes: true) }

    /// Returns the elements of a list; in an entity tag, a backslash doesn't escape (RFC 9110 §8.8.3).
    package static func list(_ value: String, hasEscapes: Bool) -> [Substring] {
        var elements: [Substring] = []
        var start = value.startIndex
        var isQuoted = false
        var isEscaped = false
        let utf8 = value.utf8
        func take(upTo end: String.Index) {
            let element = trimmed(value[start..<end])
            if !element.isEmpty { elements.append(element) }
        }
        for index in utf8.indices {
            let byte = utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, hasEscapes, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                take(upTo: index)
                start = utf8.index(after: index)
            }
        }
        take(upTo: value.endIndex)
        return elements
    }

    package static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }

    package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Returns the text of a quoted string, or nil if the text isn't one.
    package static func unquoted(_ text: Substring) -> String? {
        guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else {
            return nil
        }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
                continue
            }
            if !isEscaped, byte == UInt8(ascii: "\"") { return nil }
            isEscaped = false
            bytes.append(byte)
        }
        return isEscaped ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Parses seconds by the grammar of delta-seconds (RFC 9111 §1.2.2): digits only, at most 2^31.
    package static func deltaSeconds(_ text: some StringProtocol) -> Int64? { deltaSeconds(bytes: text.utf8) }

    /// Parses seconds by the grammar of delta-seconds (RFC 9111 §1.2.2): digits only, at most 2^31.
    package static func deltaSeconds(bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            guard byte &- UInt8(ascii: "0") < 10 else { return nil }
            value = min(value * 10 + Int64(byte - UInt8(ascii: "0")), 1 << 31)
        }
        return value
    }
}
