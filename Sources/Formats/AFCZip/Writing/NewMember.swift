/// A member to be written.
public struct NewMember: Sendable {
    /// Where the body comes from.
    public enum Content: Sendable {
        /// Bytes at hand.
        case bytes([UInt8])
        /// A file that is read while the archive is written; it must not change meanwhile.
        case file(String)
        /// Data that was compressed before and is copied as it is.
        case deflated(DeflatedBody)
    }

    /// The name.
    public var name: String
    /// Where the body comes from.
    public var content: Content
    /// Whether deflating is worth its time.
    public var isCompressible: Bool

    /// Creates the description of a member.
    public init(name: String, content: Content, isCompressible: Bool) {
        self.name = name
        self.content = content
        self.isCompressible = isCompressible
    }

    /// How the body is compressed; decided before it is read.
    var method: ZipMember.Method {
        switch content {
        case .bytes, .file: isCompressible ? .deflated : .stored
        case .deflated(let body): body.method
        }
    }
}
