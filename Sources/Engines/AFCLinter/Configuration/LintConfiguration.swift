public import AFCText

/// The configuration of linting by a project or a command line.
///
/// In order of precedence: command line, configuration file, preset, the rules' defaults.
public struct LintConfiguration: Equatable, Sendable {
    /// Levels for some files.
    public struct PathRules: Equatable, Sendable {
        /// The pattern of the files.
        public var glob: Glob
        /// The levels, by identifier or pattern.
        public var rules: [String: RuleLevel]
    }

    /// The configurations that this one extends, relative to its folder; later ones take precedence.
    public var extended: [String] = []
    /// The URL where docs/reference/lint-rules.md is published, for links in reports.
    public var rulesURL: String?
    /// The preset that the levels start from.
    public var preset: LintPreset?
    /// The old readers that must be able to read the packages; anything that prevents it is an error.
    public var readableBy: [OldReader] = []
    /// Levels by identifier or pattern; the more specific wins, in any order.
    public var rules: [String: RuleLevel] = [:]
    /// The number of days before its expiry at which an entry is reported as expiring soon.
    public var expiresWithinDays: Int?
    /// The number of bytes above which a body is reported as large.
    public var largeBody: Int64?
    /// The number of bytes of a body that rules check.
    public var bodyLimit: Int64?
    /// The lowest severity at which the program fails.
    public var failOn: LintThreshold?
    /// The number of warnings above which the program fails.
    public var maxWarnings: Int?
    /// The file of known findings, relative to the configuration's folder.
    public var baseline: String?
    /// Levels for some files; later ones override earlier ones.
    public var paths: [PathRules] = []
    /// The patterns of files that aren't linted.
    public var ignored: [Glob] = []
    /// Patterns of the only rules that are on; empty for all.
    public var selectedRules: [String] = []
    /// Patterns of rules that are always off.
    public var ignoredRules: [String] = []

    /// Creates an empty configuration.
    public init() {}

    /// Adds the values of another configuration that this one doesn't set.
    ///
    /// - Parameter base: The other configuration. Its path patterns are relative to this one's folder.
    public mutating func extend(_ base: LintConfiguration) {
        rulesURL = rulesURL ?? base.rulesURL
        preset = preset ?? base.preset
        if readableBy.isEmpty { readableBy = base.readableBy }
        rules.merge(base.rules) { own, _ in own }
        expiresWithinDays = expiresWithinDays ?? base.expiresWithinDays
        largeBody = largeBody ?? base.largeBody
        bodyLimit = bodyLimit ?? base.bodyLimit
        failOn = failOn ?? base.failOn
        maxWarnings = maxWarnings ?? base.maxWarnings
        baseline = baseline ?? base.baseline
        paths = base.paths + paths
        ignored = base.ignored + ignored
    }

    /// The settings for rules.
    public var settings: LintSettings {
        var settings = LintSettings()
        settings.expiresWithinDays = expiresWithinDays ?? settings.expiresWithinDays
        settings.largeBody = largeBody ?? settings.largeBody
        settings.bodyLimit = bodyLimit ?? settings.bodyLimit
        settings.readers = readableBy.isEmpty ? preset?.readers ?? [] : readableBy
        return settings
    }

    /// Returns true if a file isn't linted.
    ///
    /// - Parameter path: The path, relative to the configuration's folder.
    /// - Returns: True if a pattern in ``ignored`` matches the path.
    public func ignores(_ path: String) -> Bool { ignored.contains { $0.matches(path) } }

    /// Returns the rules that are on for a file, and the severities of their findings.
    ///
    /// - Parameter path: The path, relative to the configuration's folder.
    /// - Returns: The levels from all sources.
    public func levels(for path: String) -> RuleLevels {
        var levels = RuleLevels()
        if let preset {
            for rule in LintRules.all {
                if let level = preset.level(of: rule) { levels.set(level, for: rule.id) }
            }
            levels.set(Dictionary(preset.levels.map { ($0.pattern, $0.level) }) { $1 })
        }
        if !readableBy.isEmpty { for id in OldReader.rules + OldReader.otherRules { levels.set(.error, for: id) } }
        levels.set(rules)
        for part in paths where part.glob.matches(path) { levels.set(part.rules) }
        if !selectedRules.isEmpty { levels.select(Set(selectedRules.flatMap { RulePattern($0).ids })) }
        for id in ignoredRules.flatMap({ RulePattern($0).ids }) { levels.set(.off, for: id) }
        return levels
    }

    /// Returns the error in a list of rule patterns, or nil.
    ///
    /// - Parameter patterns: Identifiers or patterns, for example `date.*`.
    /// - Returns: A sentence about the first pattern that matches no rule.
    public static func problem(of patterns: [String]) -> String? {
        patterns.lazy.compactMap { RulePattern($0).problem }.first
    }
}

extension RuleLevels {
    /// Sets levels by pattern, from the least specific to the most specific.
    fileprivate mutating func set(_ rules: [String: RuleLevel]) {
        let patterns = rules.map { (pattern: RulePattern($0.key), level: $0.value) }
        for (pattern, level) in patterns.sorted(by: {
            ($0.pattern.weight, $0.pattern.text) < ($1.pattern.weight, $1.pattern.text)
        }) {
            for id in pattern.ids { set(level, for: id) }
        }
    }
}
