/// What is looked at in a configuration file before it is read as YAML, so that nothing costs more than its length.
enum ConfigurationText {
    /// The deepest nesting of brackets, and of lists within one line.
    static let depthLimit = 16

    /// Refuses anchors, deep nesting, and characters that no text has.
    ///
    /// Without anchors there are no aliases, which could stand for more than a file has room for.
    ///
    /// - Parameter text: The file.
    /// - Throws: ``LintConfigurationError`` with the place.
    static func check(_ text: String) throws(LintConfigurationError) {
        var (line, column) = (1, 0)
        var (brackets, lists) = (0, 0)
        var isIndent = true
        var mayBegin = true
        var isAnchor = false
        for scalar in text.unicodeScalars {
            column += 1
            func failure(_ message: String, at place: Int) -> LintConfigurationError {
                LintConfigurationError(line: line, column: place, message: message)
            }
            let isSpace = scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
            guard isText(scalar) else {
                let code = String(scalar.value, radix: 16, uppercase: true)
                throw failure("the file is not text: it has the character U+\(code)", at: column)
            }
            guard !isAnchor || isSpace else {
                throw failure("anchors and aliases aren't taken; write the value out, or quote it", at: column - 1)
            }
            switch scalar {
            case "[", "{": brackets += 1
            case "]", "}": brackets = max(0, brackets - 1)
            case "-", "?", ":": if isIndent { lists += 1 }
            default: if !isSpace { isIndent = false }
            }
            guard brackets <= depthLimit, lists <= depthLimit else {
                throw failure("nothing may nest deeper than \(depthLimit)", at: column)
            }
            isAnchor = mayBegin && scalar == "&"
            mayBegin = isSpace || "[{,".unicodeScalars.contains(scalar)
            if scalar == "\n" {
                (line, column) = (line + 1, 0)
                (isIndent, lists) = (true, 0)
            }
        }
    }

    /// The characters that YAML admits (YAML 1.2 §5.1).
    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
