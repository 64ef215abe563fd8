/// The values of a Link field (RFC 8288 §3): addresses with parameters.
///
/// The parser of appendix B.2 never fails: malformed text is skipped up to the next comma.
struct LinkField {
    struct Value: Equatable {
        var target: String
        /// The place of the target in the field.
        var place = 0..<0
        /// The parameters in order, with names in lower case and decoded values; nil if there is no value.
        var parameters: [(name: String, value: String?)] = []

        /// The value of the first parameter with a name; later ones are ignored (§3.3, §3.4).
        subscript(_ name: String) -> String? {
            guard let parameter = parameters.first(where: { $0.name == name }) else { return nil }
            return parameter.value ?? ""
        }

        static func == (one: Value, other: Value) -> Bool {
            one.target == other.target && one.parameters.elementsEqual(other.parameters, by: ==)
        }
    }

    private(set) var values: [Value] = []
    private let bytes: [UInt8]
    private var index = 0

    /// Parses one field line, or several joined by commas.
    init(_ text: String) {
        bytes = Array(text.utf8)
        while index < bytes.count {
            skipSpace()
            if current == UInt8(ascii: ",") {
                index += 1
            } else if current == UInt8(ascii: "<") {
                guard let close = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { break }
                let place = index + 1..<close
                index = close + 1
                let target = String(decoding: bytes[place], as: UTF8.self)
                values.append(Value(target: target, place: place, parameters: parameters()))
            } else {
                skipValue()
            }
        }
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 { index += 1 }
    }

    /// Skips to the comma that ends the value, ignoring quoted ones.
    private mutating func skipValue() {
        while let byte = current, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
        }
    }

    private mutating func parameters() -> [(String, String?)] {
        var parameters: [(String, String?)] = []
        while true {
            skipSpace()
            guard current == UInt8(ascii: ";") else { break }
            index += 1
            skipSpace()
            let start = index
            while let byte = current, !Self.endsName(byte) { index += 1 }
            let name = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
            skipSpace()
            var value: String?
            if current == UInt8(ascii: "=") {
                index += 1
                skipSpace()
                value = current == UInt8(ascii: "\"") ? quoted() : token()
            }
            if !name.isEmpty { parameters.append((name, value)) }
        }
        skipValue()
        return parameters
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ";")
            || byte == UInt8(ascii: ",")
    }

    private mutating func token() -> String {
        let start = index
        while let byte = current, byte != UInt8(ascii: ";"), byte != UInt8(ascii: ",") { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self).trimmedASCII
    }

    private mutating func quoted() -> String {
        var result: [UInt8] = []
        index += 1
        while let byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = current else { break }
                result.append(escaped)
                index += 1
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
