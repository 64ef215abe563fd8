/// A file with one YAML document.
package enum YAMLDocument {
    /// The most levels of lists and mappings.
    static let depthLimit = 16

    /// Reads a file, in time and memory in proportion to its size.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - byteLimit: The maximum size of the text in bytes.
    /// - Returns: The document's value, or nil if there is no document.
    /// - Throws: ``YAMLFileError`` for the first error.
    package static func value(of text: String, byteLimit: Int) throws(YAMLFileError) -> YAMLValue? {
        guard text.utf8.count <= byteLimit else {
            throw YAMLFileError(line: 1, column: 1, message: "the file has more than \(byteLimit) bytes")
        }
        // A byte order mark isn't part of the text (YAML 1.2 §5.2).
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        try checkCharacters(text)
        return try YAMLParsing(text).document()
    }

    /// Refuses characters that YAML doesn't permit (YAML 1.2 §5.1), which its comments may hide.
    private static func checkCharacters(_ text: String) throws(YAMLFileError) {
        var (line, column) = (1, 0)
        for scalar in text.unicodeScalars {
            column += 1
            switch scalar.value {
            case 0x0A: (line, column) = (line + 1, 0)
            case 0x09, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFFFD, 0x10000...0x10FFFF: break
            default:
                let code = String(scalar.value, radix: 16, uppercase: true)
                let zeros = String(repeating: "0", count: max(0, 4 - code.count))
                let remedy = scalar.value == 0 ? "as UTF-16 does; save it as UTF-8" : "save it as UTF-8 without it"
                throw YAMLFileError(
                    line: line,
                    column: column,
                    message: "the file is not text: it contains the character U+\(zeros)\(code)"
                        + (scalar.value == 0 ? ", " : "; ") + remedy
                )
            }
        }
    }
}

/// A value in a file, with its place: text, a list, or a mapping.
package struct YAMLValue: Sendable {
    enum Content: Sendable {
        case text(String, isPlain: Bool)
        case list([YAMLValue])
        /// Keys and values, one after the other.
        case mapping([YAMLValue])
    }

    var content: Content
    /// Line and column in characters, both from 1.
    package var line: Int
    package var column: Int

    /// The text of the value, without quotes; nil if it is a list or mapping.
    ///
    /// Numbers and flags are text as well.
    package var text: String? {
        if case .text(let text, _) = content { return text }
        return nil
    }

    /// True if the value is text without quotes, which may stand for no value.
    package var isPlain: Bool {
        if case .text(_, let isPlain) = content { return isPlain }
        return false
    }

    /// The values of a list, or nil if it isn't one.
    package var items: [YAMLValue]? {
        if case .list(let items) = content { return items }
        return nil
    }
}
