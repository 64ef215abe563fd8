/// A tokenizer for CSS Syntax Level 3 (§4.3), limited to the needs of reference discovery.
///
/// Tokens that can hold or end a reference are always returned. Numbers, identifiers, white space, commas, delimiters
/// and comments are returned as `.other`, and only on request. Parts of tokens are ranges of the input with undecoded
/// escapes (`CSSText`).
struct CSSTokenizer {
    /// The kind of a token.
    ///
    /// Malformed quoted texts and addresses are `.other`.
    enum Token: Sendable {
        /// `name(`, including `url(` before a quote.
        case function
        case atKeyword
        case string
        /// An unquoted `url(…)`.
        case url
        case openBrace, closeBrace, openParenthesis, closeParenthesis, openBracket, closeBracket, semicolon
        case other
    }

    let bytes: ScanBuffer
    private(set) var position: Int
    private let end: Int
    /// The start of the current token.
    private(set) var tokenStart = 0
    /// The name of the function or keyword, the string without quotes, or the address without surrounding white space.
    private(set) var range = 0..<0

    init(_ bytes: ScanBuffer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Returns the next token; white space and comments are skipped.
    ///
    /// - Parameter all: Whether to return `.other` as well.
    /// - Returns: The token, or nil at the end.
    mutating func next(all: Bool = false) -> Token? {
        while position < end {
            let start = position
            let byte = bytes[start]
            position = start &+ 1
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: continue
            case UInt8(ascii: "/") where at(position) == UInt8(ascii: "*"):
                skipComment()
                continue
            case UInt8(ascii: "{"): return punctuation(.openBrace, start)
            case UInt8(ascii: "}"): return punctuation(.closeBrace, start)
            case UInt8(ascii: ";"): return punctuation(.semicolon, start)
            case UInt8(ascii: "("): return punctuation(.openParenthesis, start)
            case UInt8(ascii: ")"): return punctuation(.closeParenthesis, start)
            case UInt8(ascii: "["): return punctuation(.openBracket, start)
            case UInt8(ascii: "]"): return punctuation(.closeBracket, start)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                tokenStart = start
                if string(quote: byte) { return .string }
            case UInt8(ascii: "@") where beginsIdentifier(at: position):
                tokenStart = start
                skipName()
                range = start + 1..<position
                return .atKeyword
            case UInt8(ascii: "#"):
                skipName()
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // The name is the number's unit; the exponent's sign becomes a delimiter.
                skipName()
            case UInt8(ascii: "\\") where !beginsEscape(at: start):
                break
            default:
                guard byte == UInt8(ascii: "\\") || CSSTokenizer.isNameByte(byte) else { break }
                position = start
                if let token = identifier(at: start) { return token }
            }
            if all {
                tokenStart = start
                return .other
            }
        }
        return nil
    }

    @inline(__always)
    private mutating func punctuation(_ token: Token, _ start: Int) -> Token {
        tokenStart = start
        return token
    }

    /// Consumes an identifier and returns nil, or returns the function or address that it begins.
    @inline(__always)
    private mutating func identifier(at start: Int) -> Token? {
        skipName()
        guard at(position) == UInt8(ascii: "("), bytes[start] != UInt8(ascii: "-") || beginsIdentifier(at: start) else {
            return nil
        }
        tokenStart = start
        range = start..<position
        position += 1
        guard CSSText.isName(bytes, range, "url") else { return .function }
        var index = position
        while index < end, bytes[index].isSpace { index += 1 }
        if let quote = at(index), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") { return .function }
        position = index
        return address() ? .url : nil
    }

    @inline(__always)
    func at(_ index: Int) -> UInt8? { index < end ? bytes[index] : nil }
}

// MARK: - Consuming

extension CSSTokenizer {
    /// Returns true for letters, digits, `-`, `_` and non-ASCII bytes.
    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte >= 0x80
            || byte == 0
    }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0C || byte == 0x0D }

    /// Returns true if a valid escape begins at a backslash; §4.3.8.
    private func beginsEscape(at index: Int) -> Bool {
        guard at(index) == UInt8(ascii: "\\"), let next = at(index + 1) else { return false }
        return !isLineEnd(next)
    }

    /// Returns true if an identifier begins here; §4.3.9.
    private func beginsIdentifier(at index: Int) -> Bool {
        guard let first = at(index) else { return false }
        guard first == UInt8(ascii: "-") else {
            return beginsEscape(at: index) || (Self.isNameByte(first) && !first.isDigit)
        }
        guard let second = at(index + 1) else { return false }
        return second == UInt8(ascii: "-") || beginsEscape(at: index + 1)
            || (Self.isNameByte(second) && !second.isDigit)
    }

    @inline(__always)
    private mutating func skipName() {
        while position < end {
            let byte = bytes[position]
            if Self.isNameByte(byte) {
                position &+= 1
            } else if byte == UInt8(ascii: "\\"), beginsEscape(at: position) {
                position = CSSText.endOfEscape(bytes, position, to: end)
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        var index = position + 1
        while true {
            index = bytes.find(UInt8(ascii: "*"), from: index, to: end)
            guard index < end else { break }
            index += 1
            if at(index) == UInt8(ascii: "/") { break }
        }
        position = min(index + 1, end)
    }

    /// Consumes a string; returns false if a line ends within it; §4.3.5.
    private mutating func string(quote: UInt8) -> Bool {
        let start = position
        while position < end {
            let byte = bytes[position]
            if byte == quote {
                range = start..<position
                position += 1
                return true
            }
            if isLineEnd(byte) { return false }
            if byte == UInt8(ascii: "\\"), position + 1 < end {
                position = CSSText.endOfEscape(bytes, position, to: end)
            } else {
                position += 1
            }
        }
        range = start..<end
        return true
    }

    /// Consumes an unquoted address; consumes and returns false for a malformed one; §4.3.6, §4.3.14.
    private mutating func address() -> Bool {
        let start = position
        var isGood = true
        var contentEnd: Int?
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: ")") {
                range = start..<(contentEnd ?? position)
                position += 1
                return isGood
            }
            if byte == UInt8(ascii: "\\") {
                isGood = isGood && contentEnd == nil && beginsEscape(at: position)
                position = beginsEscape(at: position) ? CSSText.endOfEscape(bytes, position, to: end) : position + 1
                continue
            }
            if byte.isSpace {
                contentEnd = contentEnd ?? position
            } else if contentEnd != nil || byte < 0x09 && byte != 0 || byte == 0x0B || byte &- 0x0E < 0x12
                || byte == 0x7F
            {
                isGood = false
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "(") {
                isGood = false
            }
            position += 1
        }
        range = start..<(contentEnd ?? end)
        return isGood
    }
}
