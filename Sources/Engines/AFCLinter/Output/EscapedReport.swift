internal import AFCPackageFormat
internal import AFCText

/// A report in which no character does anything but show itself, and nothing is a command to the service that logs it.
///
/// Names of files and members come from strangers. A workflow's runner takes `##[` wherever it stands, and `::` at the start
/// of a line, for a command; a terminal takes control characters; and people are misled by what changes the direction of text.
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

/// The escapes of each kind of report.
enum ReportText {
    /// Lines for people: `\u{…}`; what begins a line isn't a command to a workflow's runner.
    static func lines(_ text: String) -> String {
        var result = replaced(text, keeping: "\n\t\u{1B}") { "\\u{\(hexadecimal($0))}" }
        if result.drop(while: { $0 == " " }).hasPrefix("::"), let colon = result.firstIndex(of: ":") {
            result.replaceSubrange(colon...colon, with: "\\u{3a}")
        }
        return result
    }

    /// GitHub's workflow commands, in which percent signs are escaped already.
    static func commands(_ text: String) -> String {
        replaced(text, keeping: "\n") { "\\u{\(hexadecimal($0))}" }
    }

    /// JSON, in whose strings alone such characters stand: its own escapes, so that readers get the same text.
    static func json(_ text: String) -> String {
        replaced(text, keeping: "\n") { scalar in
            UTF16.encode(scalar).map { unit in
                unit.map { String($0, radix: 16) }.map { "\\u" + String(repeating: "0", count: 4 - $0.count) + $0 }
                    .joined()
            } ?? ""
        }
    }

    /// XML, in the same way; what it can't hold was replaced before.
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
