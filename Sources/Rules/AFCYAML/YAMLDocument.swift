internal import Yams

/// A file with one YAML document.
package enum YAMLDocument {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - byteLimit: The maximum size of the text in bytes.
    ///   - check: Refuses text that would cost more than its length to parse, before the YAML parser sees it.
    /// - Returns: The document's value, or nil if there is no document.
    /// - Throws: ``YAMLFileError`` for the first error.
    package static func value(
        of text: String,
        byteLimit: Int,
        _ check: (String) throws(YAMLFileError) -> Void
    ) throws(YAMLFileError) -> YAMLValue? {
        guard text.utf8.count <= byteLimit else {
            throw YAMLFileError(line: 1, column: 1, message: "the file has more than \(byteLimit) bytes")
        }
        try check(text)
        do {
            return try Parser(yaml: text, encoding: .utf8).singleRoot().map(YAMLValue.init)
        } catch {
            throw YAMLFileError(error)
        }
    }
}

/// A value in a file, with its place: text, a list, or a mapping.
package struct YAMLValue {
    let node: Node

    /// The text of the value, without quotes; nil if it is a list or mapping.
    ///
    /// Numbers and flags are text as well.
    package var text: String? { node.scalar?.string }

    /// True if the value is text without quotes, which may stand for no value.
    package var isPlain: Bool { node.scalar?.style == .plain }

    /// The values of a list, or nil if it isn't one.
    package var items: [YAMLValue]? { node.sequence.map { $0.map(YAMLValue.init) } }
}

/// The characters of a file, for checks before it is parsed as YAML.
package enum YAMLText {
    /// Iterates over the characters of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - look: Receives each character and its place; line and column count from 1.
    /// - Throws: Any error of `look`.
    package static func forEach(
        in text: String,
        _ look: (_ scalar: Unicode.Scalar, _ line: Int, _ column: Int) throws(YAMLFileError) -> Void
    ) throws(YAMLFileError) {
        var (line, column) = (1, 0)
        for scalar in text.unicodeScalars {
            column += 1
            try look(scalar, line, column)
            if scalar == "\n" { (line, column) = (line + 1, 0) }
        }
    }

    /// Returns true if YAML permits a character (YAML 1.2 §5.1).
    package static func admits(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
