/// A common mistake in a line that isn't an entry, by which a remedy can be named.
public enum LineMistake: Equatable, Sendable {
    /// A comment.
    case comment
    /// The names of the fields, as tables have them in their first line.
    case names
    /// Another delimiter than ` ; `, by its name.
    case delimiter(String)

    /// Returns the mistake in a line, or nil if it is none of these.
    static func of(_ line: String) -> LineMistake? {
        if let mistake = ofField(line) { return mistake }
        guard line.prefix(8).firstRange(of: "://") != nil else { return nil }
        let delimiters = [
            ("\t", "a tab"), ("|", "'|'"), ("\u{FF1B}", "a full-width semicolon"), (";", "';'"), (",", "','"),
        ]
        return delimiters.first { line.contains($0.0) }.map { .delimiter($0.1) }
    }

    /// Returns the mistake in a first field that isn't a URL, or nil if it is none of these.
    static func ofField(_ text: String) -> LineMistake? {
        // Without the space, '//' begins a URL without a scheme.
        if ["#", "// ", "<!--", "--", "/*"].contains(where: text.hasPrefix) { return .comment }
        let first = text.prefix { $0.isLetter || $0 == "-" }.lowercased()
        let isName = ["url", "uri", "address", "link", "location"].contains(first)
        return isName && !text.contains("://") ? .names : nil
    }

    /// The end of the sentence about the line, with what to do.
    var remedy: String {
        switch self {
        case .comment: "; a manifest has no comments: remove the line"
        case .names: "; a manifest has no line with the names of its fields: remove the line"
        case .delimiter(let name): "; its fields are separated by \(name): write ' ; ' between them"
        }
    }
}
