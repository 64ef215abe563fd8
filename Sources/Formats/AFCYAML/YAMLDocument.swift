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
