public import AFCPackageFormat
internal import AFCText
public import AFCYAML

/// Which rules are meant: an identifier, or a pattern in which a star stands for any characters, such as `date.*`.
struct RulePattern: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    /// How many characters are said; what says more comes after what says less.
    var weight: Int { text.contains("*") ? text.utf8.count { $0 != UInt8(ascii: "*") } : Int.max }

    /// The rules that are meant; none where there is no such rule.
    var ids: [String] {
        guard text.contains("*") else { return Self.known.contains(text) ? [text] : [] }
        let glob = Glob(text, .path)
        return LintRules.all.map(\.id).filter { glob.matches($0) }
    }

    /// Why the pattern means nothing, with the nearest that does, or nil where it means something.
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

/// From which severity on the program fails.
public enum LintThreshold: String, Sendable, CaseIterable {
    /// Errors only.
    case error
    /// Warnings and errors.
    case warning
    /// Every finding.
    case info
    /// No finding.
    case never

    /// The severity; nil for never.
    public var severity: PackageProblem.Severity? { PackageProblem.Severity(rawValue: rawValue) }
}

/// What is wrong with a configuration file, and where.
public typealias LintConfigurationError = YAMLFileError
