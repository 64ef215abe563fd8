import AFCLinter
import AFCPackageFormat
import AFCText
import ArgumentParser

/// What rules are, instead of what they find.
struct LintExplaining: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Explain rules instead of checking files.", valueName: "rule"),
        completion: .list(LintRules.all.map(\.id))
    )
    var explain: [String] = []

    @Flag(help: "List all rules instead of checking files.")
    var listRules = false

    /// Whether files are left alone.
    var isAsked: Bool { listRules || !explain.isEmpty }

    func validate() throws {
        guard !listRules || explain.isEmpty else {
            throw ValidationError("use '--explain' or '--list-rules', not both")
        }
        for id in explain where LintRules.rule(id) == nil {
            let near = LintRules.nearest(to: id).map { "'\($0)'" }
            let remedy = near.isEmpty ? "'--list-rules' lists all" : "did you mean \(near.joined(separator: " or "))?"
            throw ValidationError("there is no rule \(PrintableText.quoted(id)); \(remedy)")
        }
    }

    /// Makes sure that there is something to do, and one thing only.
    ///
    /// - Parameter files: What is to be checked.
    /// - Throws: `ValidationError` where there is nothing, or both.
    func validate(files: [String]) throws {
        guard !files.isEmpty || isAsked else {
            throw ValidationError("name files to check, or rules with '--explain', or ask for '--list-rules'")
        }
        guard files.isEmpty || !isAsked else {
            throw ValidationError("name files to check, or ask for rules, not both")
        }
    }

    /// Prints what is asked for.
    func run(asJSON: Bool) {
        let rules = listRules ? LintRules.all : explain.compactMap(LintRules.rule)
        if asJSON {
            let document = JSONValue.object([("version", .number("1")), ("rules", .array(rules.map(\.json)))])
            Console.print(document.serialized)
        } else if listRules {
            let width = rules.map(\.id.count).max() ?? 0
            for rule in rules { Console.print(Self.row(rule, width: width)) }
        } else {
            let width = Console.resultIsTerminal ? min(100, Console.resultWidth) : 80
            Console.write(rules.map { $0.text(width: width) }.joined(separator: "\n").utf8)
        }
    }

    private static func row(_ rule: LintRules.Description, width: Int) -> String {
        func padded(_ text: String, _ count: Int) -> String {
            text + String(repeating: " ", count: max(0, count - text.count))
        }
        let notes =
            (rule.isOn ? "" : " (off)") + (rule.fix == nil ? "" : rule.isUnsafe ? " (unsafe fix)" : " (fixable)")
        return "\(padded(rule.id, width))  \(padded(rule.severity.rawValue, 7))  \(rule.summary)\(notes)"
    }
}
