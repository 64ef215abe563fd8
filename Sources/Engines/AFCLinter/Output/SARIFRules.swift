internal import AFCPackageFormat
internal import AFCText

/// The rules as a SARIF report describes them.
enum SARIFRules {
    static func driver(version: String, rulesURL: String?) -> JSONValue {
        .object([
            ("name", .string("afcache")), ("version", .string(version)), ("semanticVersion", .string(version)),
            ("rules", .array(LintRules.all.map { descriptor($0, rulesURL) })),
        ])
    }

    static func level(_ severity: PackageProblem.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }

    private static func descriptor(_ rule: LintRules.Description, _ rulesURL: String?) -> JSONValue {
        let fix = rule.fix.map { " A fix \($0)." } ?? ""
        let help = "\(rule.explanation)\(fix)"
        let link = rulesURL.map { [("helpUri", JSONValue.string("\($0)#\(LintRules.anchor(rule.id))"))] } ?? []
        return .object(
            [
                ("id", .string(rule.id)),
                ("shortDescription", SARIFReport.message(rule.summary)),
                ("fullDescription", SARIFReport.message(rule.explanation)),
                ("help", SARIFReport.message(help)),
                (
                    "defaultConfiguration",
                    .object([("level", .string(level(rule.severity))), ("enabled", .bool(rule.isOn))])
                ),
                ("properties", .object([("tags", .array([.string(rule.group)]))])),
            ] + link
        )
    }
}
