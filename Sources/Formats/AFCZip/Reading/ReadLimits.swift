/// What an archive may cost its reader.
public struct ReadLimits: Sendable, Equatable {
    /// The most members.
    public var members = 2_000_000
    /// The most bytes of the directory.
    public var directoryBytes: Int64 = 1 << 30
    /// The most bytes of one body.
    public var memberBytes: Int64 = 16 << 30
    /// The most bytes of all bodies.
    public var totalBytes: Int64 = 64 << 30
    /// The most bytes of a body for each byte of its compressed data; deflate can't do more than 1,032.
    public var ratio: Int64 = 1_100

    /// The defaults of docs/format.md.
    public init() {}
}
