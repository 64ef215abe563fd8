internal import AFCPackageFormat

enum TypeInvalidRule: LoadRule {
    static let id = "type.invalid"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a media type that is none"
    static let explanation = """
        A media type is 'type/subtype', with parameters behind semicolons. What isn't counts as NULL: with a record \
        in the sidecar its Content-Type is used, without a record the body is application/octet-stream, which \
        browsers download instead of showing it. Correct the fourth field.
        """
    static let bad = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; html\n")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n")
}
