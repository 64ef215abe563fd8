internal import AFCYAML

/// What is looked at in a sync file before it is read as YAML.
enum SyncText {
    /// The most words that may look like aliases.
    ///
    /// YAML's reader compares keys before anybody can look at them, and a key that is an alias of aliases is compared as
    /// all that it stands for. So few make a file four times as large at most; they are refused by their places later.
    static let aliasLimit = 4

    /// Refuses what would cost more than its length, and characters that no text has.
    ///
    /// - Parameter text: The file.
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
                        message: "anchors and aliases aren't taken; write the value out"
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
                    message: "the file is not text: it has the character U+\(zeros)\(code)"
                )
            }
            previous = scalar
        }
    }

    /// Whether a character may continue a word, as the names of anchors are.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
