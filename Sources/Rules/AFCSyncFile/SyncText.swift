internal import AFCYAML

/// The checks of a sync file's text before it is parsed as YAML.
enum SyncText {
    /// The maximum number of words that may look like aliases.
    ///
    /// The YAML parser compares keys before any check of them is possible, and compares a key made of nested aliases in
    /// its expanded form. With so few, a file can at most quadruple in size; later checks refuse them with their
    /// places.
    static let aliasLimit = 4

    /// Refuses text that would cost more than its length to parse, and characters that no text has.
    ///
    /// - Parameter text: The text of the file.
    /// - Throws: ``SyncFileError`` with the place.
    static func check(_ text: String) throws(SyncFileError) {
        var aliases = 0
        var previous: Unicode.Scalar = " "
        var isStar = false
        try YAMLText.forEach(in: text) { scalar, line, column throws(SyncFileError) in
            if isStar, isWord(scalar) {
                aliases += 1
                guard aliases <= aliasLimit else {
                    throw SyncFileError(
                        line: line,
                        column: column - 1,
                        message: "anchors and aliases are not allowed; write the value itself"
                    )
                }
            }
            isStar = scalar == "*" && !isWord(previous)
            guard YAMLText.admits(scalar) else {
                let code = String(scalar.value, radix: 16, uppercase: true)
                let zeros = String(repeating: "0", count: max(0, 4 - code.count))
                throw SyncFileError(
                    line: line,
                    column: column,
                    message: "the file is not text: it contains the character U+\(zeros)\(code)"
                )
            }
            previous = scalar
        }
    }

    /// Returns true if a character may be part of a word, as in the names of anchors.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
