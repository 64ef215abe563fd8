internal import AFCText
internal import Yams

/// An error in a YAML file, with its place.
public struct YAMLFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The column in characters, from 1.
    public var column: Int
    /// A sentence that says what is wrong and what to do; lower case, no full stop.
    public var message: String

    package init(line: Int, column: Int, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    /// The error in the form `line:column: message`.
    public var description: String { "\(line):\(column): \(message)" }
}

extension YAMLFileError {
    /// Creates an error about a value.
    package init(at value: YAMLValue, _ message: String) {
        self.init(line: value.node.mark?.line ?? 1, column: value.node.mark?.column ?? 1, message: message)
    }

    init(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(line: mark.line, column: mark.column, message: "the file is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.map { PrintableText.quoted($0) }.joined(separator: ", ")
            self.init(line: context.mark.line, column: context.mark.column, message: "a key occurs twice: \(keys)")
        default: self.init(line: 1, column: 1, message: "the file is not YAML: \(error)")
        }
    }
}
