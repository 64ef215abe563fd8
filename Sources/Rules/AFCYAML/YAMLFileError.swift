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
        self.init(line: value.line, column: value.column, message: message)
    }
}
