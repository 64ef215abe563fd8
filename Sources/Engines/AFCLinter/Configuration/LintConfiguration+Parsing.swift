internal import AFCText
public import AFCYAML

extension LintConfiguration {
    /// The name of the configuration file.
    public static let fileName = ".afcachelint.yml"
    /// The maximum size of a configuration file, in bytes.
    public static let byteLimit = 64 << 10

    /// Reads a configuration file.
    ///
    /// - Parameter text: The contents of the file.
    /// - Throws: ``LintConfigurationError`` with the place of the first error.
    public init(parsing text: String) throws(LintConfigurationError) {
        self.init()
        let value = try YAMLDocument.value(of: text, byteLimit: Self.byteLimit)
        guard let value else { return }
        let root = try YAMLMapping(
            value,
            what: "the file",
            knownKeys: [
                "preset", "rules", "settings", "fail-on", "max-warnings", "baseline", "paths", "ignore", "extends",
                "readable-by", "rules-url",
            ]
        )
        if let node = root["extends"] {
            for item in node.items ?? [node] { extended.append(try YAMLMapping.text(item, "'extends'")) }
        }
        if let text = try root.text("rules-url"), let node = root["rules-url"] {
            guard text.hasPrefix("https://") || text.hasPrefix("http://"), !text.contains("#") else {
                throw LintConfigurationError(at: node, "'rules-url' must be an http or https URL without '#'")
            }
            rulesURL = text
        }
        preset = try root.choice("preset", of: LintPreset.self)
        for node in try root.list("readable-by") {
            readableBy.append(try YAMLMapping.choice(node, "'readable-by'", of: OldReader.self))
        }
        rules = try Self.rules(root["rules"])
        if let node = root["settings"] { try readSettings(node) }
        failOn = try root.choice("fail-on", of: LintThreshold.self)
        maxWarnings = try root.count("max-warnings")
        baseline = try root.text("baseline")
        for node in try root.list("paths") { paths.append(try Self.part(node)) }
        for node in try root.list("ignore") {
            ignored.append(Glob(try YAMLMapping.text(node, "a pattern in 'ignore'"), .path))
        }
    }

    private mutating func readSettings(_ node: YAMLValue) throws(LintConfigurationError) {
        let settings = try YAMLMapping(
            node,
            what: "'settings'",
            knownKeys: ["expires-within-days", "large-body", "body-limit"]
        )
        expiresWithinDays = try settings.count("expires-within-days")
        largeBody = try settings.size("large-body")
        bodyLimit = try settings.size("body-limit")
    }

    private static func part(_ node: YAMLValue) throws(LintConfigurationError) -> PathRules {
        let part = try YAMLMapping(node, what: "an item of 'paths'", knownKeys: ["glob", "rules"])
        guard let glob = try part.text("glob") else {
            throw LintConfigurationError(at: node, "an item of 'paths' needs 'glob' with a file pattern")
        }
        return PathRules(glob: Glob(glob, .path), rules: try rules(part["rules"]))
    }

    private static func rules(_ node: YAMLValue?) throws(LintConfigurationError) -> [String: RuleLevel] {
        guard let node else { return [:] }
        var rules: [String: RuleLevel] = [:]
        for (key, name, value) in try YAMLMapping(node, what: "'rules'", knownKeys: nil).pairs {
            if let problem = RulePattern(name).problem { throw LintConfigurationError(at: key, problem) }
            rules[name] = try YAMLMapping.choice(
                value,
                "the level of \(PrintableText.quoted(name))",
                of: RuleLevel.self
            )
        }
        return rules
    }
}
