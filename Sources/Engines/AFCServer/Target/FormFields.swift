internal import AFCURL

/// The fields of a form in a URL's query (URL standard, application/x-www-form-urlencoded).
struct FormFields: Equatable {
    /// The most fields that are read.
    private static let limit = 20

    private var fields: [(name: String, value: String)] = []

    /// Parses the query of a request's target.
    ///
    /// - Parameter target: The target, with or without a query.
    init(target: String) {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        let query = target[target.utf8.index(after: mark)...].prefix { $0 != "#" }
        for part in query.split(separator: "&").prefix(Self.limit) {
            let name = part.prefix { $0 != "=" }
            fields.append((Self.decoded(name), Self.decoded(part.dropFirst(name.count + 1))))
        }
    }

    /// Returns the value of the first field with a name; nil if there is none.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    static func == (one: FormFields, other: FormFields) -> Bool {
        one.fields.elementsEqual(other.fields) { $0 == $1 }
    }

    /// Returns a text as the value of a field.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: result += "+"
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return String(decoding: PercentDecoding.decode(spaced), as: UTF8.self)
    }
}
