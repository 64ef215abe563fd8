/// When a crawl takes URLs for a site's endless loop.
public struct TrapOptions: Sendable, Equatable {
    /// Whether traps are looked for at all.
    public var isEnabled = true
    /// How many links of one shape are asked for on one host, where their queries differ.
    ///
    /// Ten times as many where nothing but the path differs, and of requisites ten times as many as of links.
    public var alikeLimit = 10_000
    /// How often a segment, or several, may stand in a path one behind the other.
    public var repetitionLimit = 3
    /// How often one segment may stand in a path at all.
    public var segmentLimit = 6
    /// How many segments a path may have.
    public var depthLimit = 32
    /// How many parameters a query may have.
    public var parameterLimit = 32
    /// How many values a session id may have on one host.
    public var sessionLimit = 4

    /// Creates the defaults.
    public init() {}
}
