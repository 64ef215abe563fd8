/// An entity tag (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// True if the tag is weak.
    public var isWeak: Bool
    /// The text between the quotes.
    public var opaque: String

    /// Creates a tag.
    public init(opaque: String, isWeak: Bool = false) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Parses a tag strictly; nil if the text isn't one.
    public init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        isWeak = rest.hasPrefix("W/")
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.utf8.count >= 2, rest.utf8.first == UInt8(ascii: "\""), rest.utf8.last == UInt8(ascii: "\"") else {
            return nil
        }
        let inner = rest.dropFirst().dropLast()
        guard inner.utf8.allSatisfy({ $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }), !FieldText.isDamaged(inner) else {
            return nil
        }
        opaque = String(inner)
    }

    /// The tag with its quotes.
    public var description: String { (isWeak ? "W/" : "") + "\"" + opaque + "\"" }

    /// Returns true if both tags are strong and equal (RFC 9110 §8.8.3.2).
    public func strongMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Returns true if both tags are equal, ignoring weakness (RFC 9110 §8.8.3.2).
    public func weakMatches(_ other: EntityTag) -> Bool { opaque == other.opaque }
}
