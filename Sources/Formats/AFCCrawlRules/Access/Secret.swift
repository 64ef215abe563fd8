/// A text that stays out of packages, logs, reports and errors: whatever describes it tells nothing.
public struct Secret: Sendable, Equatable {
    /// The text itself, for a request and for nothing else.
    let value: String

    /// Creates a secret.
    public init(_ value: String) { self.value = value }

    /// Whether the text can stand in a field (RFC 9110 §5.5).
    var isFieldValue: Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A word in the text's place.
    public var description: String { "(secret)" }

    /// A word in the text's place.
    public var debugDescription: String { "(secret)" }

    /// Nothing: `dump` and assertions look into values by this.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
