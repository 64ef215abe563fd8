/// Reads JSON (RFC 8259) token by token without building a tree; a text that is nested too deeply is rejected.
///
/// `JSONValue` of AFCText reads the same grammar, but for JSON that this program wrote. This scanner is for pages: it
/// stores nothing but reports the range of each string, accepts the nesting depth of real pages, and, like browsers,
/// replaces half a surrogate pair or a byte that isn't UTF-8 with a replacement character.
struct JSONScanner {
    /// The kind of a token; a key comes before its value.
    enum Token: Equatable, Sendable {
        case objectStart, objectEnd, arrayStart, arrayEnd, key, string
        /// A number, `true`, `false` or `null`.
        case scalar
    }

    /// The error for a text that is not JSON from the current position on.
    struct Malformed: Error, Equatable {
        var offset: Int
    }

    /// The deepest nesting that is accepted.
    static let maxDepth = 128

    private enum State { case value, firstElement, firstKey, key, afterValue, end }

    let bytes: ScanBuffer
    private(set) var position = 0
    /// The range of the current key or string, without its quotes.
    private(set) var range = 0..<0
    /// True for each open object, false for each open array.
    private var frames: [Bool] = []
    private var state = State.value

    init(_ bytes: ScanBuffer) {
        self.bytes = bytes
        // Browsers remove the byte order mark before JSON.parse.
        if bytes.hasPrefix("\u{FEFF}", at: 0) { position = 3 }
    }

    /// Returns the next token, or nil after the end of the value.
    mutating func next() throws(Malformed) -> Token? {
        skipSpace()
        guard let byte = bytes.at(position) else {
            guard state == .end else { throw malformed }
            return nil
        }
        switch state {
        case .end: throw malformed
        case .afterValue: return try separator(byte)
        case .firstKey, .key:
            if byte == UInt8(ascii: "}"), state == .firstKey { return close(.objectEnd) }
            return try key()
        case .firstElement where byte == UInt8(ascii: "]"): return close(.arrayEnd)
        case .firstElement, .value: return try value(byte)
        }
    }

    private var malformed: Malformed { Malformed(offset: position) }

    @inline(__always)
    private mutating func skipSpace() {
        while let byte = bytes.at(position), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position &+= 1
        }
    }

    private mutating func separator(_ byte: UInt8) throws(Malformed) -> Token? {
        let isObject = frames.last ?? false
        if byte == UInt8(ascii: ",") {
            position += 1
            state = isObject ? .key : .value
            return try next()
        }
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw malformed }
        return close(isObject ? .objectEnd : .arrayEnd)
    }

    private mutating func close(_ token: Token) -> Token {
        position += 1
        frames.removeLast()
        state = frames.isEmpty ? .end : .afterValue
        return token
    }

    private mutating func key() throws(Malformed) -> Token {
        guard bytes.at(position) == UInt8(ascii: "\"") else { throw malformed }
        try string()
        skipSpace()
        guard bytes.at(position) == UInt8(ascii: ":") else { throw malformed }
        position += 1
        state = .value
        return .key
    }

    private mutating func value(_ byte: UInt8) throws(Malformed) -> Token {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard frames.count < Self.maxDepth else { throw malformed }
            let isObject = byte == UInt8(ascii: "{")
            position += 1
            frames.append(isObject)
            state = isObject ? .firstKey : .firstElement
            return isObject ? .objectStart : .arrayStart
        case UInt8(ascii: "\""):
            try string()
            state = frames.isEmpty ? .end : .afterValue
            return .string
        default:
            try scalar(byte)
            state = frames.isEmpty ? .end : .afterValue
            return .scalar
        }
    }

    private mutating func string() throws(Malformed) {
        let start = position + 1
        position = start
        while let byte = bytes.at(position) {
            if byte == UInt8(ascii: "\"") {
                range = start..<position
                position &+= 1
                return
            }
            guard byte >= 0x20 else { break }
            if byte == UInt8(ascii: "\\") { try escape() }
            position &+= 1
        }
        throw malformed
    }

    /// Checks the character after a backslash; JSON allows far fewer escapes than scripts.
    private mutating func escape() throws(Malformed) {
        position &+= 1
        switch bytes.at(position) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                position &+= 1
                guard bytes.at(position)?.hexValue != nil else { throw malformed }
            }
        default: throw malformed
        }
    }

    private mutating func scalar(_ first: UInt8) throws(Malformed) {
        switch first {
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: try number()
        }
    }

    private mutating func literal(_ word: StaticString) throws(Malformed) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard bytes.at(position) == word.utf8Start[offset] else { throw malformed }
            position += 1
        }
    }

    private mutating func number() throws(Malformed) {
        if bytes.at(position) == UInt8(ascii: "-") { position += 1 }
        if bytes.at(position) == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if bytes.at(position) == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if let byte = bytes.at(position), byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = bytes.at(position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(Malformed) {
        let start = position
        while bytes.at(position)?.isDigit == true { position &+= 1 }
        guard position > start else { throw malformed }
    }
}
