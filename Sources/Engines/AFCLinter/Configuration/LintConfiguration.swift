public import AFCText

/// What a project or a command line wants of linting; where one says nothing, the next one counts.
///
/// From the strongest to the weakest: command line, configuration file, preset, the rules themselves.
public struct LintConfiguration: Equatable, Sendable {
    /// Levels for some files.
    public struct PathRules: Equatable, Sendable {
        /// Which files.
        public var glob: Glob
        /// The levels, by identifier or pattern.
        public var rules: [String: RuleLevel]
    }

    /// The configurations that this one adds to, relative to its folder; later ones are stronger.
    public var extended: [String] = []
    /// Where docs/lint-rules.md is published, for reports that lead there.
    public var rulesURL: String?
    /// The set of levels to begin with.
    public var preset: LintPreset?
    /// Which older readers must read the packages, too; what keeps them from it is an error.
    public var readableBy: [OldReader] = []
    /// Levels by identifier or pattern; what says more wins, whatever the order.
    public var rules: [String: RuleLevel] = [:]
    /// How many days before its end an entry is reported as expiring soon.
    public var expiresWithinDays: Int?
    /// How many bytes a body may have before it is reported as large.
    public var largeBody: Int64?
    /// How many bytes of a body rules look at.
    public var bodyLimit: Int64?
    /// From which severity on the program fails.
    public var failOn: LintThreshold?
    /// How many warnings there may be before the program fails.
    public var maxWarnings: Int?
    /// The file of findings that are known already, relative to the configuration's folder.
    public var baseline: String?
    /// Levels for some files, later ones over earlier ones.
    public var paths: [PathRules] = []
    /// The files that aren't linted.
    public var ignored: [Glob] = []
    /// The only rules that are on, as patterns; empty for all.
    public var selectedRules: [String] = []
    /// Rules that are off whatever else is said, as patterns.
    public var ignoredRules: [String] = []

    /// Creates a configuration that says nothing.
    public init() {}

    /// Adds what another configuration says and this one doesn't.
    ///
    /// - Parameter base: The weaker configuration; its patterns of paths count from this one's folder on.
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

    /// Whether a file isn't linted.
    ///
    /// - Parameter path: The path, relative to the configuration's folder.
    /// - Returns: Whether a pattern of ``ignored`` is for it.
    public func ignores(_ path: String) -> Bool { ignored.contains { $0.matches(path) } }

    /// Which rules are on for a file, and how bad their findings are.
    ///
    /// - Parameter path: The path, relative to the configuration's folder.
    /// - Returns: The levels, with all that is said of them taken together.
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

    /// What keeps patterns of rules from meaning anything, or nil.
    ///
    /// - Parameter patterns: Identifiers or patterns, for example `date.*`.
    /// - Returns: What is wrong with the first of them, as a sentence.
    public static func problem(of patterns: [String]) -> String? {
        patterns.lazy.compactMap { RulePattern($0).problem }.first
    }
}

extension RuleLevels {
    /// Sets levels by pattern, from those that say less to those that say more.
    fileprivate mutating func set(_ rules: [String: RuleLevel]) {
        let patterns = rules.map { (pattern: RulePattern($0.key), level: $0.value) }
        for (pattern, level) in patterns.sorted(by: {
            ($0.pattern.weight, $0.pattern.text) < ($1.pattern.weight, $1.pattern.text)
        }) {
            for id in pattern.ids { set(level, for: id) }
        }
    }
}
