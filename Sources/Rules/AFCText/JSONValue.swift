/// A JSON value (RFC 8259), parsed strictly and with limited depth; objects keep the order of their members.
///
/// A sidecar from an untrusted source has a record for each resource: parsing must be fast, and its cost must be
/// proportional to the length.
public enum JSONValue: Equatable, Sendable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as it is written.
    case number(String)
    /// A string, without quotes and escapes.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, with its members in their order; a name may occur twice.
    case object([(String, JSONValue)])

    /// Returns true if two values are equal, with members in the same order.
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
        default: false
        }
    }

    /// Returns the member of an object: the first one if a name occurs twice, and nil if there is none or this isn't an
    /// object.
    public subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }

    /// The text of a string; nil for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number, if it is whole and fits; nil for other values.
    public var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The serialized value, without white space.
    public var serialized: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the serialized value, without white space.
    public func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Writes a string, escaping characters that are invisible on a terminal or change the writing direction.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        if text.utf8.contains(where: { $0 >= 0x80 }), text.unicodeScalars.contains(where: isEscaped) {
            writeEscaped(text, to: &bytes)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x00...0x1F, 0x7F:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: (#"\u00"# + (digits.utf8.count == 1 ? "0" : "") + digits).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns true if a character beyond ASCII must be escaped.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && PrintableText.isInvisible(scalar)
    }

    private static func writeEscaped(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                var piece: [UInt8] = []
                write(String(scalar), to: &piece)
                bytes += piece.dropFirst().dropLast()
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                bytes += (#"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
