/// The tokens of a style sheet that references need (CSS Syntax Level 3 §4.3).
struct CSSTokenizer {
    enum Token: Equatable {
        /// `@name`, in lower case.
        case atKeyword(String)
        /// `name(`, in lower case.
        case function(String)
        /// `url(…)` without quotes.
        case url(String)
        case string(String)
        case open
        case close
        case semicolon
        /// `{` or `}`.
        case block
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    mutating func next() -> Token? {
        while let current = byte() {
            switch current {
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): comment()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if let text = string(quote: current) { return .string(text) }
            case UInt8(ascii: "("): return take(.open)
            case UInt8(ascii: ")"): return take(.close)
            case UInt8(ascii: ";"): return take(.semicolon)
            case UInt8(ascii: "{"), UInt8(ascii: "}"): return take(.block)
            case UInt8(ascii: "@"):
                position += 1
                let name = identifier()
                if !name.isEmpty { return .atKeyword(name.lowercased()) }
            default:
                guard Self.isName(current) || current == UInt8(ascii: "\\") else {
                    position += 1
                    continue
                }
                if let token = word() { return token }
            }
        }
        return nil
    }

    private mutating func take(_ token: Token) -> Token {
        position += 1
        return token
    }

    private mutating func comment() {
        position += 2
        while let current = byte() {
            if current == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                position += 2
                return
            }
            position += 1
        }
    }

    /// An identifier, a number or a dimension; only functions and URLs are tokens that matter.
    private mutating func word() -> Token? {
        let start = position
        let name = identifier()
        if position == start { position += 1 }
        guard byte() == UInt8(ascii: "(") else { return nil }
        position += 1
        let lower = name.lowercased()
        guard lower == "url" else { return .function(lower) }
        skipSpaces()
        if byte() == UInt8(ascii: "\"") || byte() == UInt8(ascii: "'") { return .function("url") }
        return unquotedURL().map { .url($0) }
    }

    private mutating func skipSpaces() {
        while let current = byte(), HTMLScanner.isSpace(current) { position += 1 }
    }

    private mutating func identifier() -> String {
        var result: [UInt8] = []
        while let current = byte() {
            if Self.isName(current) {
                result.append(current)
                position += 1
            } else if current == UInt8(ascii: "\\"), let next = byte(1), next != UInt8(ascii: "\n") {
                position += 1
                escape(into: &result)
            } else {
                break
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text between quotes; nil for a bad string, which ends at the line's end.
    private mutating func string(quote: UInt8) -> String? {
        position += 1
        var result: [UInt8] = []
        while let current = byte() {
            position += 1
            switch current {
            case quote: return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\n"): return nil
            case UInt8(ascii: "\\"):
                if byte() == UInt8(ascii: "\n") { position += 1 } else { escape(into: &result) }
            default: result.append(current)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text up to the closing parenthesis; nil for a bad URL, which is skipped.
    private mutating func unquotedURL() -> String? {
        var result: [UInt8] = []
        while let current = byte() {
            position += 1
            switch current {
            case UInt8(ascii: ")"): return String(decoding: result, as: UTF8.self)
            case _ where HTMLScanner.isSpace(current):
                skipSpaces()
                if byte() == UInt8(ascii: ")") || byte() == nil { continue }
                skipBadURL()
                return nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), 0x00...0x08, 0x0B, 0x0E...0x1F, 0x7F:
                skipBadURL()
                return nil
            case UInt8(ascii: "\\"):
                guard byte() != UInt8(ascii: "\n") else {
                    skipBadURL()
                    return nil
                }
                escape(into: &result)
            default: result.append(current)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func skipBadURL() {
        while let current = byte() {
            position += current == UInt8(ascii: "\\") ? 2 : 1
            if current == UInt8(ascii: ")") { return }
        }
    }

    /// What follows a backslash: up to six hexadecimal digits and a space, or any other character itself.
    private mutating func escape(into result: inout [UInt8]) {
        var value: UInt32 = 0
        var count = 0
        while count < 6, let current = byte(), let digit = Self.digit(current) {
            value = value * 16 + digit
            position += 1
            count += 1
        }
        guard count > 0 else {
            if let current = byte() {
                result.append(current)
                position += 1
            }
            return
        }
        if let space = byte(), HTMLScanner.isSpace(space) { position += 1 }
        let scalar = value == 0 ? nil : Unicode.Scalar(value)
        result.append(contentsOf: String(Character(scalar ?? "\u{FFFD}")).utf8)
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        HTMLScanner.isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }
}
