internal import AFCYAML

/// Checks of a configuration file before it is parsed as YAML, so that parsing takes time linear in its length.
enum ConfigurationText {
    /// The maximum nesting of brackets, and of lists within one line.
    static let depthLimit = 16

    /// Refuses anchors, deep nesting, and characters that aren't text.
    ///
    /// Without anchors there are no aliases, which could expand to far more than the file's size.
    ///
    /// - Parameter text: The contents of the file.
    /// - Throws: ``LintConfigurationError`` with the place.
    static func check(_ text: String) throws(LintConfigurationError) {
        var (brackets, lists) = (0, 0)
        var isIndent = true
        var mayBegin = true
        var isAnchor = false
        try YAMLText.forEach(in: text) { scalar, line, column throws(LintConfigurationError) in
            func failure(_ message: String, at place: Int) -> LintConfigurationError {
                LintConfigurationError(line: line, column: place, message: message)
            }
            let isSpace = scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
            guard YAMLText.admits(scalar) else {
                let code = String(scalar.value, radix: 16, uppercase: true)
                throw failure("the file is not text: it has the character U+\(code)", at: column)
            }
            guard !isAnchor || isSpace else {
                throw failure("anchors and aliases are not allowed; write or quote the value", at: column - 1)
            }
            switch scalar {
            case "[", "{": brackets += 1
            case "]", "}": brackets = max(0, brackets - 1)
            case "-", "?", ":": if isIndent { lists += 1 }
            default: if !isSpace { isIndent = false }
            }
            guard brackets <= depthLimit, lists <= depthLimit else {
                throw failure("the file is nested more than \(depthLimit) levels deep", at: column)
            }
            isAnchor = mayBegin && scalar == "&"
            mayBegin = isSpace || "[{,".unicodeScalars.contains(scalar)
            if scalar == "\n" { (isIndent, lists) = (true, 0) }
        }
    }
}
