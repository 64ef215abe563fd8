internal import AFCPackageFormat

/// The style in which findings are shown to people.
public struct FindingStyle: Sendable, Equatable {
    /// True to write escape sequences for colors.
    public var isColored: Bool
    /// True to show the line that a finding is about below it, with the spot marked.
    public var showsContext: Bool
    /// The number of columns that the line may take.
    public var width: Int
    /// The number of findings of one rule in one file that are shown; nil for all.
    public var findingsPerRule: Int?
    /// The end of a sentence that says how to see all of them; nil if there is no way.
    public var advice: String?

    private static let indent = 4

    /// Creates a style, by default the one for pipes and files.
    public init(isColored: Bool = false, showsContext: Bool = false, width: Int = 80) {
        self.isColored = isColored
        self.showsContext = showsContext
        self.width = width
    }

    /// Returns a finding as one line, or as three with its context.
    ///
    /// - Parameter finding: The finding.
    /// - Returns: The lines without line breaks.
    public func lines(_ finding: Finding) -> [String] {
        var lines = [headline(finding)]
        guard showsContext, let excerpt = finding.excerpt else { return lines }
        let indent = String(repeating: " ", count: Self.indent)
        // A character in a terminal's last column may move the cursor to the next line.
        let marked = excerpt.marked(width: width - Self.indent - 1)
        lines.append(indent + marked.text)
        let marks = marked.marks.drop { $0 == " " }
        let space = String(repeating: " ", count: marked.marks.count - marks.count)
        lines.append(indent + space + painted(String(marks), .mark))
        return lines
    }

    private func headline(_ finding: Finding) -> String {
        let line = Reports.line(finding)
        guard isColored else { return line }
        let words = ": \(finding.words) "
        let rest = ": \(finding.severity.rawValue)\(words)[\(finding.rule)]"
        return painted(String(line.dropLast(rest.count)), .place) + ": "
            + painted(finding.severity.rawValue, Paint(finding.severity)) + words
            + painted("[\(finding.rule)]", .rule)
    }

    private func painted(_ text: String, _ paint: Paint) -> String {
        isColored ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The parameters of the sequence "select graphic rendition" (ECMA-48 §8.3.117).
    private enum Paint: String {
        case error = "1;31"
        case warning = "1;33"
        case info = "1;36"
        case mark = "1;32"
        case place = "1"
        case rule = "2"

        init(_ severity: PackageProblem.Severity) {
            switch severity {
            case .error: self = .error
            case .warning: self = .warning
            case .info: self = .info
            }
        }
    }
}
