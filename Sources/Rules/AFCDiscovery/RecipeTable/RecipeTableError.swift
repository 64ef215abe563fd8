/// An error in a file of recipes, with its place.
public struct RecipeTableError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// A sentence that says what is wrong and what to do; lower case, no full stop.
    public var message: String

    /// The error in the form `line 3: message`.
    public var description: String { "line \(line): \(message)" }

    init(_ message: String, at offset: Int, in text: ScanBuffer) {
        line = 1 + text.slice(0..<min(offset, text.count)).count { $0 == 0x0A }
        self.message = message
    }
}
