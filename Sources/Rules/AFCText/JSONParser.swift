extension JSONValue {
    /// A JSON syntax error, with its place.
    public struct SyntaxError: Error, Equatable, Sendable {
        /// The offset in bytes at which parsing stopped.
        public var offset: Int
    }

    /// The maximum nesting of arrays and objects.
    static let depthLimit = 32

    /// Parses bytes that contain one value, optionally surrounded by white space.
    ///
    /// - Throws: ``SyntaxError`` if the bytes are not one JSON value, are not UTF-8, or nest deeper than 32.
    public init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(SyntaxError) {
        var parser = JSONParser(bytes: bytes)
        parser.skipSpace()
        self = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw SyntaxError(offset: parser.position) }
    }

    /// Parses bytes that contain one value.
    ///
    /// - Throws: ``SyntaxError``, as the other initializer.
    public init(parsing bytes: [UInt8]) throws(SyntaxError) {
        let result: Result<JSONValue, SyntaxError> = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(SyntaxError) in try JSONValue(parsing: buffer) }
        }
        self = try result.get()
    }
}

/// A recursive-descent parser for the grammar of RFC 8259.
private struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    private var failure: JSONValue.SyntaxError { JSONValue.SyntaxError(offset: position) }
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func value(depth: Int) throws(JSONValue.SyntaxError) -> JSONValue {
        guard depth <= JSONValue.depthLimit, let byte else { throw failure }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONValue.SyntaxError) -> JSONValue {
        for index in 0..<text.utf8CodeUnitCount {
            guard byte == text.utf8Start[index] else { throw failure }
            position += 1
        }
        return value
    }

    private mutating func expect(_ expected: UInt8) throws(JSONValue.SyntaxError) {
        guard byte == expected else { throw failure }
        position += 1
    }

    private mutating func object(depth: Int) throws(JSONValue.SyntaxError) -> JSONValue {
        try expect(UInt8(ascii: "{"))
        var members: [(String, JSONValue)] = []
        skipSpace()
        if byte == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            skipSpace()
            let key = try string()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            members.append((key, try value(depth: depth + 1)))
            skipSpace()
            if byte == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try expect(UInt8(ascii: "}"))
            return .object(members)
        }
    }

    private mutating func array(depth: Int) throws(JSONValue.SyntaxError) -> JSONValue {
        try expect(UInt8(ascii: "["))
        var elements: [JSONValue] = []
        skipSpace()
        if byte == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if byte == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try expect(UInt8(ascii: "]"))
            return .array(elements)
        }
    }

    private mutating func number() throws(JSONValue.SyntaxError) -> JSONValue {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        if byte == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONValue.SyntaxError) {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw failure }
    }

    private mutating func string() throws(JSONValue.SyntaxError) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if byte == UInt8(ascii: "\"") {
            guard let text = String(validating: bytes[start..<position], as: UTF8.self) else { throw failure }
            position += 1
            return text
        }
        return try escapedString(prefix: Array(bytes[start..<position]))
    }

    private mutating func escapedString(prefix: [UInt8]) throws(JSONValue.SyntaxError) -> String {
        var result = prefix
        while let current = byte {
            position += 1
            switch current {
            case UInt8(ascii: "\""):
                guard let text = String(validating: result, as: UTF8.self) else { throw failure }
                return text
            case UInt8(ascii: "\\"): try escape(into: &result)
            case 0x00..<0x20: throw failure
            default: result.append(current)
            }
        }
        throw failure
    }

    private mutating func escape(into result: inout [UInt8]) throws(JSONValue.SyntaxError) {
        guard let letter = byte else { throw failure }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(letter)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexCode()
            if (0xD800..<0xDC00).contains(code) {
                try expect(UInt8(ascii: "\\"))
                try expect(UInt8(ascii: "u"))
                let low = try hexCode()
                guard (0xDC00..<0xE000).contains(low) else { throw failure }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure }
            result.append(contentsOf: String(Character(scalar)).utf8)
        default: throw failure
        }
    }

    private mutating func hexCode() throws(JSONValue.SyntaxError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw failure }
        let text = String(decoding: bytes[position..<(position + 4)], as: UTF8.self)
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let code = UInt32(text, radix: 16)
        else { throw failure }
        position += 4
        return code
    }
}
