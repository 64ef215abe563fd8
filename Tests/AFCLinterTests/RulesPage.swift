import AFCPackageFormat

@testable import AFCLinter

extension LintRules {
    /// The page docs/reference/lint-rules.md.
    static var page: String {
        var text = """
            # Lint rules

            Errors keep a package from being loaded; warnings and infos don't. `afcache lint --explain RULE` prints the section of a rule, and `afcache lint --list-rules` prints the tables. This page is
            generated from the rules; [lint.md](lint.md) explains how to run them.


            """
        let groups = all.reduce(into: [String]()) { if $0.last != $1.group { $0.append($1.group) } }
        for group in groups { text += table(of: group) }
        text += "## Each rule\n\n"
        text += all.map(section).joined(separator: "\n")
        return text
    }

    /// What a group is about, for its heading.
    private static func title(of group: String) -> String {
        switch group {
        case "date": "Dates"
        case "io": "Files"
        case "manifest": "Manifest"
        case "member": "Members"
        case "readable": "Readability by older AFCache versions"
        case "sidecar": "Sidecar"
        case "signature": "Signatures"
        case "type": "Media types"
        case "url": "URLs"
        case "zip": "Zip archive"
        default: group.prefix(1).uppercased() + group.dropFirst()
        }
    }

    private static func table(of group: String) -> String {
        var text = """
            ## \(title(of: group))

            | rule | severity | finds |
            | --- | --- | --- |

            """
        for rule in all where rule.group == group {
            let summary = rule.summary.replacing("|", with: "\\|")
            let notes =
                (rule.isOn ? "" : " (off)") + (rule.fix == nil ? "" : rule.isUnsafe ? " (unsafe fix)" : " (fixable)")
            text += "| [`\(rule.id)`](#\(anchor(rule.id))) | \(rule.severity.rawValue)\(notes) | \(summary) |\n"
        }
        return text + "\n"
    }

    private static func section(_ rule: Description) -> String {
        var paragraphs = ["### `\(rule.id)`", rule.heading, escaped(rule.explanation)]
        if let fix = rule.fixSentence { paragraphs.append(escaped(fix)) }
        paragraphs.append(example(rule.bad, called: "Bad"))
        paragraphs.append(example(rule.good, called: "Good"))
        return paragraphs.joined(separator: "\n\n") + "\n"
    }

    private static func example(_ example: LintExample, called word: String) -> String {
        switch example {
        case .words(let words): "\(word): \(escaped(words))."
        case .manifest:
            "\(word)\(example.note):\n\n" + example.lines.map { "    \($0)" }.joined(separator: "\n")
        }
    }

    /// What means something to Markdown outside of code, as itself.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "\\*<".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
