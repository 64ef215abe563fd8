internal import PackageFormat

/// The rules as a SARIF report describes them.
enum SARIFRules {
    static func driver(version: String) -> JSONValue {
        .object([
            ("name", .string("afcache")), ("version", .string(version)), ("semanticVersion", .string(version)),
            ("rules", .array(LintRules.all.map(descriptor))),
        ])
    }

    static func level(_ severity: PackageProblem.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }

    private static func descriptor(_ rule: LintRules.Description) -> JSONValue {
        let help = "\(rule.summary). 'afcache lint --explain \(rule.id)' shows examples."
        return .object([
            ("id", .string(rule.id)),
            ("shortDescription", .object([("text", .string(rule.summary))])),
            ("fullDescription", .object([("text", .string(rule.summary))])),
            ("help", .object([("text", .string(help))])),
            ("defaultConfiguration", .object([("level", .string(level(rule.severity)))])),
            ("properties", .object([("tags", .array([.string(String(rule.id.prefix { $0 != "." }))]))])),
        ])
    }
}
