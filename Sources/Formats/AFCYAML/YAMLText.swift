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
