internal import AFCURL

/// A character encoding of the Encoding Standard (https://encoding.spec.whatwg.org/).
///
/// All labels are known, and all encodings are decoded as in browsers. The tables of the legacy encodings are the C
/// library's; without them, only ASCII is readable.
public struct TextEncoding: Hashable, Sendable, CustomStringConvertible {
    /// The form of an encoding, which decides how bytes are decoded.
    enum Form: Hashable, Sendable {
        case utf8, utf16LE, utf16BE
        case singleByte(SingleByte)
        case gbk, gb18030, big5, eucJP, iso2022JP, shiftJIS, eucKR
        /// Encodings that were used for attacks: the document becomes one U+FFFD.
        case replacement
    }

    /// The single-byte encodings, by their names in lower case.
    enum SingleByte: String, CaseIterable, Sendable {
        case ibm866, macintosh
        case iso8859_2 = "iso-8859-2"
        case iso8859_3 = "iso-8859-3"
        case iso8859_4 = "iso-8859-4"
        case iso8859_5 = "iso-8859-5"
        case iso8859_6 = "iso-8859-6"
        case iso8859_7 = "iso-8859-7"
        case iso8859_8 = "iso-8859-8"
        case iso8859_8I = "iso-8859-8-i"
        case iso8859_10 = "iso-8859-10"
        case iso8859_13 = "iso-8859-13"
        case iso8859_14 = "iso-8859-14"
        case iso8859_15 = "iso-8859-15"
        case iso8859_16 = "iso-8859-16"
        case koi8R = "koi8-r"
        case koi8U = "koi8-u"
        case windows874 = "windows-874"
        case windows1250 = "windows-1250"
        case windows1251 = "windows-1251"
        case windows1252 = "windows-1252"
        case windows1253 = "windows-1253"
        case windows1254 = "windows-1254"
        case windows1255 = "windows-1255"
        case windows1256 = "windows-1256"
        case windows1257 = "windows-1257"
        case windows1258 = "windows-1258"
        case macCyrillic = "x-mac-cyrillic"
        case userDefined = "x-user-defined"

        /// True for a code page of Windows.
        var isWindows: Bool { rawValue.hasPrefix("windows-") }

        /// The name of the encoding's table in the C library.
        var table: String {
            switch self {
            case .iso8859_8I: "ISO-8859-8"
            case .macCyrillic: "MAC-CYRILLIC"
            default: isWindows ? "CP" + rawValue.dropFirst("windows-".count) : rawValue.uppercased()
            }
        }

        /// The standard's code points for bytes for which the C library has others.
        var corrections: [UInt8: UInt32] {
            switch self {
            case .koi8U: [0xAE: 0x045E, 0xBE: 0x040E]
            case .macintosh: [0xC6: 0x2206, 0xF0: 0xF8FF]
            case .windows1255: [0xCA: 0x05BA]
            case .macCyrillic: [0xFF: 0x20AC]
            default: [:]
            }
        }
    }

    /// The encoding's name in lower case.
    public let name: String
    let form: Form

    private init(name: String) {
        self.name = name
        form =
            switch name {
            case "utf-8": .utf8
            case "utf-16le": .utf16LE
            case "utf-16be": .utf16BE
            case "gbk": .gbk
            case "gb18030": .gb18030
            case "big5": .big5
            case "euc-jp": .eucJP
            case "iso-2022-jp": .iso2022JP
            case "shift_jis": .shiftJIS
            case "euc-kr": .eucKR
            case "replacement": .replacement
            default: .singleByte(SingleByte(rawValue: name) ?? .windows1252)
            }
    }

    /// UTF-8.
    public static let utf8 = TextEncoding(name: "utf-8")
    /// UTF-16, low byte first.
    public static let utf16LE = TextEncoding(name: "utf-16le")
    /// UTF-16, high byte first.
    public static let utf16BE = TextEncoding(name: "utf-16be")
    /// The default encoding of the web before UTF-8.
    public static let windows1252 = TextEncoding(name: "windows-1252")

    /// Creates the encoding of a label, or nil if the label is unknown; Encoding Standard §4.2 "get an encoding".
    ///
    /// - Parameter label: The label, as in a Content-Type; case and surrounding white space are ignored.
    public init?(label: some StringProtocol) {
        guard let name = EncodingLabels.names[String(label).trimmedASCII.lowercased()] else { return nil }
        self.init(name: name)
    }

    /// Creates the encoding of a label in a `meta` element or style sheet.
    ///
    /// A label for UTF-16 can't be right there, because the text was readable byte by byte.
    init?(metaLabel: String) {
        guard let encoding = TextEncoding(label: metaLabel) else { return nil }
        switch encoding.name {
        case "utf-16le", "utf-16be": self = .utf8
        case "x-user-defined": self = .windows1252
        default: self = encoding
        }
    }

    /// The name.
    public var description: String { name }

    /// Encodes a text; nil if the encoding lacks one of its characters.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes; UTF-16 gets a byte order mark.
    package func encode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        switch form {
        case .utf8: return Array(text.utf8)
        case .replacement: return nil
        case .utf16LE, .utf16BE:
            for unit in [0xFEFF] + text.utf16 {
                bytes +=
                    form == .utf16LE ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            }
            return bytes
        default: break
        }
        var encoder = LegacyEncoder(form)
        for scalar in text.unicodeScalars {
            guard case .bytes(let encoded) = encoder.encode(scalar) else { return nil }
            bytes += encoded
        }
        return bytes + encoder.finish()
    }

    /// Percent-encodes the characters of a text's query in this encoding; URL Standard §4.4, query state.
    ///
    /// Browsers do so for references in documents with legacy encodings. A character that the encoding lacks becomes a
    /// character reference. ASCII is left to the URL parser.
    func encodingQuery(of text: String) -> String {
        switch form {
        case .utf8, .utf16LE, .utf16BE, .replacement: return text
        default: break
        }
        let scalars = text.unicodeScalars
        // The parser removes white space at the end before it encodes, and tabs and line ends everywhere.
        let end =
            scalars.firstIndex(of: "#")
            ?? (scalars.lastIndex { $0.value > 0x20 }.map(scalars.index(after:)) ?? scalars.startIndex)
        guard let query = scalars[..<end].firstIndex(of: "?"),
            form == .iso2022JP || !scalars[query..<end].allSatisfy(\.isASCII)
        else { return text }
        var encoder = LegacyEncoder(form)
        var result = Array(text[..<query].utf8)
        for scalar in scalars[query..<end] where ![0x09, 0x0A, 0x0D].contains(scalar.value) {
            switch encoder.encode(scalar) {
            case .bytes(let bytes) where scalar.isASCII && bytes.count == 1: result += bytes
            case .bytes(let bytes): result += PercentEncodeSet.specialQuery.encode(bytes).utf8
            case .lacking(let reference, let before):
                result += PercentEncodeSet.specialQuery.encode(before).utf8
                result += "%26%23\(reference)%3B".utf8
            }
        }
        result += PercentEncodeSet.specialQuery.encode(encoder.finish()).utf8
        return String(decoding: result, as: UTF8.self) + text[end...]
    }
}

/// The windows-1252 encoding, which the web also uses for ISO 8859-1 and ASCII; Encoding Standard §9.
enum Windows1252 {
    /// The characters of the bytes 0x80 to 0x9F; the five undefined ones are C1 controls.
    static let upper: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
        0x017E, 0x0178,
    ]
}
