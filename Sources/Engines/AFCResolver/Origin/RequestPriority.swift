/// Which of several requests that wait goes first.
public enum RequestPriority: Int, Comparable, CaseIterable, Sendable {
    /// What may be needed later.
    case low
    /// What is needed.
    case normal
    /// What somebody looks at a blank screen for.
    case high

    /// Whether a request gives way to another one.
    public static func < (one: RequestPriority, other: RequestPriority) -> Bool { one.rawValue < other.rawValue }
}
