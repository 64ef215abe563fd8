internal import AFCPackageFormat

enum SidecarDuplicateRecordRule: LoadRule {
    static let id = "sidecar.duplicate-record"
    static let severity = PackageProblem.Severity.error
    static let summary = "two records for one URL"
    static let explanation = """
        One URL has one response. With two records readers would choose differently, so the package is refused, even \
        where the records agree. Keep one of the lines, or rebuild the package.
        """
    static let bad = LintExample.words("two records with one 'url'")
    static let good = LintExample.words("two records whose URLs differ in the scheme alone")
}
