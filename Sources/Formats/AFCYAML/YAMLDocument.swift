internal import Yams

/// A file of one YAML document.
package enum YAMLDocument {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - text: The file.
    ///   - byteLimit: The most bytes that it may have.
    ///   - check: Refuses, before YAML's reader sees the text, what would cost more than its length.
    /// - Returns: The document's value, or nil where there is no document.
    /// - Throws: ``YAMLFileError`` with the first place where something is wrong.
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

/// A value of a file, which knows its place: a text, a list, or a mapping.
package struct YAMLValue {
    let node: Node

    /// What is written there, without quotes; nil where it is no text.
    ///
    /// Numbers and flags are texts, too.
    package var text: String? { node.scalar?.string }

    /// Whether it is a text without quotes, which by itself may stand for no value.
    package var isPlain: Bool { node.scalar?.style == .plain }

    /// The values of a list, or nil where it is none.
    package var items: [YAMLValue]? { node.sequence.map { $0.map(YAMLValue.init) } }
}

/// A file's characters, as they are looked at before it is read as YAML.
package enum YAMLText {
    /// Goes through a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - look: Called with each character and its place; line and column count from 1.
    /// - Throws: What `look` throws.
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

    /// Whether YAML admits a character (YAML 1.2 §5.1).
    package static func admits(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
