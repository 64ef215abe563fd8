/// What rules compare with, where a project wants something else than the defaults.
public struct LintSettings: Equatable, Sendable {
    /// How many days before its end an entry is reported as expiring soon.
    public var expiresWithinDays = 7
    /// How many bytes a body may have before it is reported as large.
    public var largeBody: Int64 = 32 << 20
    /// How many bytes of a body rules look at.
    public var bodyLimit: Int64 = 16 << 20

    /// Creates the defaults.
    public init() {}
}
