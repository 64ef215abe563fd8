/// Takes the parts of a JSON document, one after the other.
protocol JSONEventReceiver {
    mutating func beginObject() throws(JSONEventParser.Failure)
    mutating func endObject() throws(JSONEventParser.Failure)
    mutating func beginArray() throws(JSONEventParser.Failure)
    mutating func endArray() throws(JSONEventParser.Failure)
    /// A member's key in an object, of at most ``JSONEventParser/keyLimit`` bytes; longer ones are cut.
    mutating func key(_ text: String)
    /// The next bytes of a string, without escapes.
    mutating func string(_ bytes: UnsafeRawBufferPointer) throws(JSONEventParser.Failure)
    mutating func endString() throws(JSONEventParser.Failure)
    /// A number, `true`, `false` or `null`, as it is written.
    mutating func literal(_ text: String)
}

/// Parses JSON (RFC 8259) that arrives in pieces, in memory that doesn't grow with the document.
///
/// A byte order mark is skipped. Text isn't checked for UTF-8, and a lone surrogate becomes the three bytes that encode it.
package struct JSONEventParser {
    /// The reason why parsing stopped.
    package enum Failure: Error {
        /// The bytes aren't JSON.
        case syntax
        /// Arrays and objects nest too deeply.
        case depth
        /// The receiver failed.
        case receiver(any Error)
    }

    private enum State {
        /// A value, or the end of an empty array.
        case value(canEnd: Bool)
        /// A key, or the end of an empty object.
        case key(canEnd: Bool)
        case colon
        /// A comma, or the end of the array or object.
        case afterValue
        case string(isKey: Bool)
        case escape(isKey: Bool)
        case unicode(isKey: Bool)
        case literal
        case done
    }

    /// The deepest nesting.
    static let depthLimit = 64
    /// The longest key that is kept.
    static let keyLimit = 256
    private static let literalLimit = 64

    private var state = State.value(canEnd: false)
    /// The open arrays and objects: true for an object.
    private var nesting: [Bool] = []
    private var keyBytes: [UInt8] = []
    private var text: [UInt8] = []
    private var highSurrogate: UInt32?
    private var isAtStart = true
    private var marks = 0
    /// The number of bytes read.
    package private(set) var offset: Int64 = 0

    /// Creates a parser.
    package init() {}

    /// True if a whole document was read.
    package var isFinished: Bool { if case .done = state { true } else { false } }

    mutating func feed(_ bytes: UnsafeRawBufferPointer, to receiver: inout some JSONEventReceiver) throws(Failure) {
        var index = 0
        while index < bytes.count {
            if case .string(let isKey) = state {
                let end = bytes[index...].firstIndex { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 } ?? bytes.count
                if end > index {
                    try flushSurrogate(isKey, &receiver)
                    try put(UnsafeRawBufferPointer(rebasing: bytes[index..<end]), isKey, &receiver)
                }
                offset += Int64(end - index)
                index = end
                guard index < bytes.count else { return }
            }
            try take(bytes[index], &receiver)
            index += 1
            offset += 1
        }
    }

    /// Ends the document.
    ///
    /// - Throws: ``Failure/syntax`` if it isn't complete.
    mutating func finish() throws(Failure) {
        guard isFinished else { throw .syntax }
    }

    private mutating func put(
        _ bytes: UnsafeRawBufferPointer,
        _ isKey: Bool,
        _ receiver: inout some JSONEventReceiver
    ) throws(Failure) {
        if isKey {
            keyBytes.append(contentsOf: bytes.prefix(Self.keyLimit - keyBytes.count))
        } else {
            try receiver.string(bytes)
        }
    }

    private mutating func put(_ scalar: UInt32, _ isKey: Bool, _ receiver: inout some JSONEventReceiver) throws(Failure)
    {
        var encoded: [UInt8] = []
        switch scalar {
        case 0..<0x80: encoded = [UInt8(scalar)]
        case 0..<0x800: encoded = [UInt8(0xC0 | scalar >> 6), UInt8(0x80 | scalar & 0x3F)]
        case 0..<0x10000:
            encoded = [UInt8(0xE0 | scalar >> 12), UInt8(0x80 | scalar >> 6 & 0x3F), UInt8(0x80 | scalar & 0x3F)]
        default:
            encoded = [
                UInt8(0xF0 | scalar >> 18), UInt8(0x80 | scalar >> 12 & 0x3F), UInt8(0x80 | scalar >> 6 & 0x3F),
                UInt8(0x80 | scalar & 0x3F),
            ]
        }
        try encoded.span.bytes.withUnsafeBytes { bytes throws(Failure) in try put(bytes, isKey, &receiver) }
    }

    private mutating func flushSurrogate(_ isKey: Bool, _ receiver: inout some JSONEventReceiver) throws(Failure) {
        guard let high = highSurrogate else { return }
        highSurrogate = nil
        try put(high, isKey, &receiver)
    }

    private mutating func take(_ byte: UInt8, _ receiver: inout some JSONEventReceiver) throws(Failure) {
        switch state {
        case .value(let canEnd):
            if Self.isSpace(byte) { return }
            if isAtStart, skipsMark(byte) { return }
            isAtStart = false
            try beginValue(byte, canEnd: canEnd, &receiver)
        case .key(let canEnd):
            if Self.isSpace(byte) { return }
            if byte == UInt8(ascii: "\"") {
                keyBytes.removeAll(keepingCapacity: true)
                state = .string(isKey: true)
            } else if byte == UInt8(ascii: "}"), canEnd {
                try close(isObject: true, &receiver)
            } else {
                throw .syntax
            }
        case .colon:
            if Self.isSpace(byte) { return }
            guard byte == UInt8(ascii: ":") else { throw .syntax }
            state = .value(canEnd: false)
        case .afterValue:
            if Self.isSpace(byte) { return }
            switch (byte, nesting.last) {
            case (UInt8(ascii: ","), true): state = .key(canEnd: false)
            case (UInt8(ascii: ","), false): state = .value(canEnd: false)
            case (UInt8(ascii: "}"), true): try close(isObject: true, &receiver)
            case (UInt8(ascii: "]"), false): try close(isObject: false, &receiver)
            default: throw .syntax
            }
        case .string(let isKey):
            switch byte {
            case UInt8(ascii: "\""):
                try flushSurrogate(isKey, &receiver)
                if isKey {
                    receiver.key(String(decoding: keyBytes, as: UTF8.self))
                    state = .colon
                } else {
                    try receiver.endString()
                    endValue()
                }
            case UInt8(ascii: "\\"): state = .escape(isKey: isKey)
            default:
                // Some writers leave tabs and line ends as they are.
                try flushSurrogate(isKey, &receiver)
                try put(UInt32(byte), isKey, &receiver)
            }
        case .escape(let isKey): try escape(byte, isKey, &receiver)
        case .unicode(let isKey):
            text.append(byte)
            guard text.count == 4 else { return }
            try unicode(isKey, &receiver)
        case .literal:
            if Self.isLiteralByte(byte) {
                text.append(byte)
                guard text.count <= Self.literalLimit else { throw .syntax }
                return
            }
            try endLiteral(&receiver)
            try take(byte, &receiver)
        case .done: guard Self.isSpace(byte) || byte == 0 else { throw .syntax }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func isLiteralByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
    }

    /// Skips a byte order mark.
    private mutating func skipsMark(_ byte: UInt8) -> Bool {
        guard marks < 3, [0xEF, 0xBB, 0xBF][marks] == byte else { return false }
        marks += 1
        return true
    }

    private mutating func beginValue(
        _ byte: UInt8,
        canEnd: Bool,
        _ receiver: inout some JSONEventReceiver
    ) throws(Failure) {
        switch byte {
        case UInt8(ascii: "{"):
            try open(isObject: true)
            try receiver.beginObject()
            state = .key(canEnd: true)
        case UInt8(ascii: "["):
            try open(isObject: false)
            try receiver.beginArray()
            state = .value(canEnd: true)
        case UInt8(ascii: "]"):
            guard canEnd else { throw .syntax }
            try close(isObject: false, &receiver)
        case UInt8(ascii: "\""): state = .string(isKey: false)
        default:
            guard Self.isLiteralByte(byte) else { throw .syntax }
            text = [byte]
            state = .literal
        }
    }

    private mutating func open(isObject: Bool) throws(Failure) {
        guard nesting.count < Self.depthLimit else { throw .depth }
        nesting.append(isObject)
    }

    private mutating func close(isObject: Bool, _ receiver: inout some JSONEventReceiver) throws(Failure) {
        guard nesting.popLast() == isObject else { throw .syntax }
        if isObject { try receiver.endObject() } else { try receiver.endArray() }
        endValue()
    }

    private mutating func endValue() { state = nesting.isEmpty ? .done : .afterValue }

    private mutating func endLiteral(_ receiver: inout some JSONEventReceiver) throws(Failure) {
        let word = String(decoding: text, as: UTF8.self)
        guard ["true", "false", "null"].contains(word) || Double(word) != nil else { throw .syntax }
        receiver.literal(word)
        endValue()
    }

    private mutating func escape(
        _ byte: UInt8,
        _ isKey: Bool,
        _ receiver: inout some JSONEventReceiver
    ) throws(Failure) {
        if byte == UInt8(ascii: "u") {
            text.removeAll(keepingCapacity: true)
            state = .unicode(isKey: isKey)
            return
        }
        try flushSurrogate(isKey, &receiver)
        let character: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): character = byte
        case UInt8(ascii: "b"): character = 0x08
        case UInt8(ascii: "f"): character = 0x0C
        case UInt8(ascii: "n"): character = 0x0A
        case UInt8(ascii: "r"): character = 0x0D
        case UInt8(ascii: "t"): character = 0x09
        default: throw .syntax
        }
        try put(UInt32(character), isKey, &receiver)
        state = .string(isKey: isKey)
    }

    private mutating func unicode(_ isKey: Bool, _ receiver: inout some JSONEventReceiver) throws(Failure) {
        guard text.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }),
            let code = UInt32(String(decoding: text, as: UTF8.self), radix: 16)
        else { throw .syntax }
        state = .string(isKey: isKey)
        if let high = highSurrogate, (0xDC00..<0xE000).contains(code) {
            highSurrogate = nil
            return try put(0x10000 + (high - 0xD800) << 10 + (code - 0xDC00), isKey, &receiver)
        }
        try flushSurrogate(isKey, &receiver)
        if (0xD800..<0xDC00).contains(code) { highSurrogate = code } else { try put(code, isKey, &receiver) }
    }
}
