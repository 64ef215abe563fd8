/// A character encoding of the Encoding Standard (https://encoding.spec.whatwg.org/).
///
/// All labels are known. UTF-8, UTF-16 and windows-1252 are decoded as they should be. The other legacy encodings are
/// read as windows-1252: that gets every ASCII character right, which is what markup and nearly all addresses are made
/// of, and an address's bytes can be had back from it, which is what its query needs.
public struct TextEncoding: Hashable, Sendable, CustomStringConvertible {
    /// How bytes become text.
    enum Form: Sendable {
        case utf8, utf16LE, utf16BE
        /// One character a byte, by windows-1252.
        case bytes
        /// Escape sequences switch between ASCII and two-byte characters that look like ASCII.
        case iso2022JP
        /// Encodings that were abused for attacks: the document is one U+FFFD.
        case replacement
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
            case "iso-2022-jp": .iso2022JP
            case "replacement": .replacement
            default: .bytes
            }
    }

    /// UTF-8.
    public static let utf8 = TextEncoding(name: "utf-8")
    /// UTF-16, low byte first.
    public static let utf16LE = TextEncoding(name: "utf-16le")
    /// UTF-16, high byte first.
    public static let utf16BE = TextEncoding(name: "utf-16be")
    /// The encoding of the web before UTF-8.
    public static let windows1252 = TextEncoding(name: "windows-1252")

    /// The encoding that a label means, or nil where it means none; Encoding Standard §4.2 "get an encoding".
    ///
    /// - Parameter label: As in a Content-Type; case and white space around it don't matter.
    public init?(label: some StringProtocol) {
        guard let name = EncodingLabels.names[String(label).trimmedASCII.lowercased()] else { return nil }
        self.init(name: name)
    }

    /// The encoding that a label in a `meta` element or style sheet means: what could be read at all was no UTF-16.
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

    /// The text with the characters of its query percent-encoded in this encoding; URL Standard §4.4, query state.
    ///
    /// Browsers do so for what HTML documents in legacy encodings refer to. Since these were read as windows-1252,
    /// writing windows-1252 gives the document's own bytes. A character that has no byte there came from a character
    /// reference, and is written as one.
    func encodingQuery(of text: String) -> String {
        guard form == .bytes, text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        let scalars = text.unicodeScalars
        let end = scalars.firstIndex(of: "#") ?? scalars.endIndex
        guard let query = scalars[..<end].firstIndex(of: "?") else { return text }
        var result = String(text[..<query])
        for scalar in scalars[query..<end] {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else if let byte = Windows1252.byte(of: scalar) {
                result += "%" + String(byte, radix: 16, uppercase: true)
            } else {
                result += "%26%23\(scalar.value)%3B"
            }
        }
        return result + text[end...]
    }
}
