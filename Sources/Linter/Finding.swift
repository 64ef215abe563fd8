public import PackageFormat

/// One result of linting.
public struct Finding: Equatable, Sendable {
    /// The file that was linted.
    public var file: String
    /// Where in it.
    public var place: PackageProblem.Place
    /// How many bytes of the line from the place on, or 0 where it is a point or no line.
    public var length: Int
    /// How bad it is; without a configuration errors, and only errors, keep a package from being loaded.
    public var severity: PackageProblem.Severity
    /// The rule's identifier.
    public var rule: String
    /// What is wrong, and the remedy where there is one; lower case, no full stop.
    public var sentence: String
    /// How many places besides this one have the same.
    public var others = 0
    /// The piece of the manifest's line that it is about; see ``Linter/Options/excerptLimit``.
    public var excerpt: Excerpt?

    /// Creates a finding.
    public init(
        file: String,
        place: PackageProblem.Place,
        severity: PackageProblem.Severity,
        rule: String,
        sentence: String,
        length: Int = 0
    ) {
        self.file = file
        self.place = place
        self.severity = severity
        self.rule = rule
        self.sentence = sentence
        self.length = length
    }

    init(_ problem: PackageProblem, file: String) {
        self.init(
            file: file,
            place: problem.place,
            severity: problem.severity,
            rule: problem.rule,
            sentence: problem.sentence
        )
    }

    /// The sentence, and how often else it is true.
    public var words: String {
        guard others > 0 else { return sentence }
        return sentence + " (and in \(others) more \(others == 1 ? "place" : "places"))"
    }
}
