public import PackageFormat

/// One result of linting.
public struct Finding: Equatable, Sendable {
    /// The file that was linted.
    public var file: String
    /// Where in it.
    public var place: PackageProblem.Place
    /// How bad it is; errors, and only errors, keep a package from being loaded.
    public var severity: PackageProblem.Severity
    /// The rule's identifier.
    public var rule: String
    /// What is wrong, and the remedy where there is one; lower case, no full stop.
    public var sentence: String

    /// Creates a finding.
    public init(
        file: String,
        place: PackageProblem.Place,
        severity: PackageProblem.Severity,
        rule: String,
        sentence: String
    ) {
        self.file = file
        self.place = place
        self.severity = severity
        self.rule = rule
        self.sentence = sentence
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
}
