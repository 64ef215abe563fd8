internal import AFCCaching

/// A line of a `robots.txt` about the use of resources: `Content-Usage` (draft-ietf-aipref-attach-05 §3), or
/// `Content-Signal` (contentsignals.org), which is read in the same way.
struct RobotsUsageRule: Equatable, Sendable {
    /// The names of the lines.
    enum Kind: CaseIterable, Sendable {
        case contentUsage, contentSignal
    }

    let kind: Kind
    let preferences: UsagePreferences
    /// The paths to which the rule applies; nil for all.
    private let pattern: RobotsPattern?

    /// Reads the value of a line: a path and white space, which may be missing, and a statement; nil without a statement.
    ///
    /// - Parameters:
    ///   - value: The value, without white space around it.
    ///   - kind: The name of the line.
    init?(_ value: ArraySlice<UInt8>, _ kind: Kind) {
        var (path, statement) = (value.prefix(0), value)
        if value.first == UInt8(ascii: "/") {
            path = value.prefix { $0 != 0x20 && $0 != 0x09 }
            // A dictionary may begin with spaces, but not with tabs (RFC 9651 §4.2).
            statement = value.dropFirst(path.count).drop { $0 == 0x20 || $0 == 0x09 }
        }
        guard !statement.isEmpty else { return nil }
        let text = [String(decoding: statement, as: UTF8.self)]
        self.kind = kind
        preferences =
            kind == .contentUsage ? UsagePreferences(contentUsage: text) : UsagePreferences(contentSignal: text)
        pattern = path.isEmpty ? nil : RobotsPattern(path, isAllowed: true)
    }

    /// The length of the pattern, which determines how specific the rule is.
    var octets: Int { pattern?.octets ?? 0 }

    /// Returns true if the rule applies to a path, or if the steps don't suffice to tell.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - steps: The number of remaining steps; negative if they didn't suffice.
    /// - Returns: True if so.
    func matches(_ path: RobotsPath, steps: inout Int) -> Bool {
        guard let pattern else { return true }
        return steps < 0 || pattern.matches(path, steps: &steps) || steps < 0
    }
}
