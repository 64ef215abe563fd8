import AFCLinter
internal import AFCPackageFormat
import AFCText
import ArgumentParser

/// The options for explaining rules instead of checking files.
struct LintExplaining: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Explain these rules instead of checking files.", valueName: "rule"),
        completion: .list(LintRules.all.map(\.id))
    )
    var explain: [String] = []

    @Flag(help: "List all rules instead of checking files.")
    var listRules = false

    /// True if rules are explained and no files are checked.
    var isAsked: Bool { listRules || !explain.isEmpty }

    func validate() throws {
        guard !listRules || explain.isEmpty else {
            throw ValidationError("use '--explain' or '--list-rules', not both")
        }
        for id in explain where LintRules.rule(id) == nil {
            let near = LintRules.nearest(to: id).map { "'\($0)'" }
            let remedy =
                near.isEmpty ? "'--list-rules' lists all rules" : "did you mean \(near.joined(separator: " or "))?"
            throw ValidationError("there is no rule \(PrintableText.quoted(id)); \(remedy)")
        }
    }

    /// Checks that either files or rules are named.
    ///
    /// - Parameter files: The files to check.
    /// - Throws: `ValidationError` if neither or both are named.
    func validate(files: [String]) throws {
        guard !files.isEmpty || isAsked else {
            throw ValidationError("name files to check, or use '--explain' or '--list-rules'")
        }
        guard files.isEmpty || !isAsked else {
            throw ValidationError("remove the files, or '--explain' and '--list-rules'")
        }
    }

    /// Prints the explanations or the list.
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
