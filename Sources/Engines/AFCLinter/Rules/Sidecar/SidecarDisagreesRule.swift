internal import AFCPackageFormat

enum SidecarDisagreesRule: LoadRule {
    static let id = "sidecar.disagrees"
    static let severity = PackageProblem.Severity.info
    static let summary = "a value that differs between manifest and record"
    static let explanation = """
        The manifest is what people edit, so it wins: its media type and dates replace those of the record, and an \
        expires that differs also removes max-age and s-maxage. That is how a package is corrected by hand, and \
        needs nothing done; where nobody edited it, look which value is right.
        """
    static let bad = LintExample.words("an entry with 'text/plain' whose record has the content-type 'text/html'")
    static let good = LintExample.words("an entry with 'text/plain' whose record has the content-type 'text/plain'")
}
