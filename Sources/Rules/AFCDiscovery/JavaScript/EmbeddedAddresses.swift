/// Addresses within other text, such as the styles in a text of a script.
enum EmbeddedAddresses {
    /// The most addresses of one text.
    private static let limit = 64

    /// Returns the addresses within `url()`, as written, without quotation marks and escapes.
    ///
    /// - Parameter bytes: The text, which need not be CSS otherwise.
    /// - Returns: Addresses of images, fonts and media, each with the form of a file's; at most 64.
    static func inFunctions(_ bytes: ScanBuffer) -> [String] {
        var found: [String] = []
        var index = 0
        while found.count < limit {
            index = bytes.find(UInt8(ascii: "("), from: index, to: bytes.count)
            guard index < bytes.count else { break }
            let start = index + 1
            index = start
            guard start >= 4, bytes.hasPrefix("url", at: start - 4),
                start == 4 || !bytes[start - 5].isLetter && !bytes[start - 5].isDigit
            else { continue }
            // A longer one is no address. Each byte is looked at once more at most, since the search goes on at the end.
            let end = bytes.find(
                UInt8(ascii: ")"),
                from: start,
                to: min(bytes.count, start + 2 * ScriptText.longestTail)
            )
            index = end
            guard bytes.at(end) == UInt8(ascii: ")") else { continue }
            let text = bytes.string(start..<end).trimmedASCII
            let address = text.trimmingPrefix { "'\"\\".contains($0) }.prefix { !"'\"\\".contains($0) }
            if let address = file(String(address)) { found.append(address) }
        }
        return found
    }

    /// Returns an address if it is one of an image, a font or a medium.
    static func file(_ address: String) -> String? {
        guard let text = ScriptText.of(address, .loaded, .none) else { return nil }
        switch text.loads {
        case .image, .font, .media: return address
        default: return nil
        }
    }
}
