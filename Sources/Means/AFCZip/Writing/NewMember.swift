/// A member to be written.
public struct NewMember: Sendable {
    /// The source of a body.
    public enum Content: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A file that is read while the archive is written, and must not change in the meantime.
        case file(String)
        /// Data that is already compressed and is copied unchanged.
        case deflated(DeflatedBody)
    }

    /// The name.
    public var name: String
    /// The source of the body.
    public var content: Content
    /// True if the body is worth deflating.
    public var isCompressible: Bool

    /// Creates the description of a member.
    public init(name: String, content: Content, isCompressible: Bool) {
        self.name = name
        self.content = content
        self.isCompressible = isCompressible
    }

    /// The compression method, chosen before the body is read.
    var method: ZipMember.Method {
        switch content {
        case .bytes, .file: isCompressible ? .deflated : .stored
        case .deflated(let body): body.method
        }
    }
}
