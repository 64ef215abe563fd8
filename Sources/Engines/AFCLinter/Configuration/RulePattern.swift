public import AFCPackageFormat
internal import AFCText
public import AFCYAML

/// A rule identifier, or a pattern such as `date.*` in which a star stands for any characters.
struct RulePattern: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The specificity: the number of characters other than stars, or the maximum for an identifier.
    var weight: Int { text.contains("*") ? text.utf8.count { $0 != UInt8(ascii: "*") } : Int.max }

    /// The matching rules; empty if there are none.
    var ids: [String] {
        guard text.contains("*") else { return Self.known.contains(text) ? [text] : [] }
        let glob = Glob(text, .path)
        return LintRules.all.map(\.id).filter { glob.matches($0) }
    }

    /// A sentence about a pattern that matches no rule, with the nearest one that does; nil if it matches.
    var problem: String? {
        guard ids.isEmpty else { return nil }
        if text.contains("*") { return "no rule matches '\(text)'" }
        let groups = Set(LintRules.all.map { $0.group + ".*" }).sorted()
        guard let near = LintRules.nearest(to: text).first ?? NearestName.nearest(to: text, among: groups) else {
            return "there is no rule '\(text)'"
        }
        return "there is no rule '\(text)'; did you mean '\(near)'?"
    }

    private static let known = Set(LintRules.all.map(\.id))
}

/// The lowest severity at which the program fails.
public enum LintThreshold: String, Sendable, CaseIterable {
    /// Errors only.
    case error
    /// Warnings and errors.
    case warning
    /// Every finding.
    case info
    /// No finding.
    case never

    /// The severity, or nil for never.
    public var severity: PackageProblem.Severity? { PackageProblem.Severity(rawValue: rawValue) }
}

/// An error in a configuration file, with its place.
public typealias LintConfigurationError = YAMLFileError
