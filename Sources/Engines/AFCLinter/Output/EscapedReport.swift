internal import AFCPackageFormat
internal import AFCText

/// A report in which control characters and commands to the logging service are escaped.
///
/// Names of files and members are untrusted. A workflow runner interprets `##[` anywhere, and `::` at the start of a
/// line, as a command; a terminal interprets control characters; and characters that change the direction of text
/// mislead people.
struct EscapedReport: LintReport {
    private var report: any LintReport
    private let escaped: @Sendable (String) -> String

    init(_ report: any LintReport, _ escaped: @escaping @Sendable (String) -> String) {
        (self.report, self.escaped) = (report, escaped)
    }

    var leftOut: String? { report.leftOut }

    mutating func begin(_ write: (String) -> Void) {
        let escaped = escaped
        report.begin { write(escaped($0)) }
    }

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        let escaped = escaped
        report.add(result, of: file, failing: failing) { write(escaped($0)) }
    }

    mutating func end(exitCode: Int32, _ write: (String) -> Void) {
        let escaped = escaped
        report.end(exitCode: exitCode) { write(escaped($0)) }
    }
}

/// The escapes for each kind of report.
enum ReportText {
    /// Escapes lines for people as `\u{…}`; a line never starts with a command to a workflow runner.
    static func lines(_ text: String) -> String {
        var result = replaced(text, keeping: "\n\t\u{1B}") { "\\u{\(hexadecimal($0))}" }
        if result.drop(while: { $0 == " " }).hasPrefix("::"), let colon = result.firstIndex(of: ":") {
            result.replaceSubrange(colon...colon, with: "\\u{3a}")
        }
        return result
    }

    /// Escapes GitHub's workflow commands, in which percent signs are already escaped.
    static func commands(_ text: String) -> String {
        replaced(text, keeping: "\n") { "\\u{\(hexadecimal($0))}" }
    }

    /// Escapes JSON with its own escapes, so that parsers get the same text.
    static func json(_ text: String) -> String {
        replaced(text, keeping: "\n") { scalar in
            UTF16.encode(scalar).map { unit in
                unit.map { String($0, radix: 16) }.map { "\\u" + String(repeating: "0", count: 4 - $0.count) + $0 }
                    .joined()
            } ?? ""
        }
    }

    /// Escapes XML in the same way; characters that XML can't hold are already replaced.
    static func xml(_ text: String) -> String {
        replaced(text, keeping: "\n\t") { "&#x\(hexadecimal($0));" }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }

    private static func replaced(
        _ text: String,
        keeping kept: String,
        _ escape: (Unicode.Scalar) -> String
    ) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) || text.contains("##") else { return text }
        var result = ""
        var wasHash = false
        for scalar in text.unicodeScalars {
            let isCommand = scalar == "#" && wasHash
            wasHash = scalar == "#" && !isCommand
            if isCommand || (PrintableText.isEscaped(scalar) && !kept.unicodeScalars.contains(scalar)) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
