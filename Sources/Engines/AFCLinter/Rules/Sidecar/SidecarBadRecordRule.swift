internal import AFCPackageFormat

enum SidecarBadRecordRule: LoadRule {
    static let id = "sidecar.bad-record"
    static let severity = PackageProblem.Severity.error
    static let summary = "a line of `resources.jsonl` that is no record"
    static let explanation = """
        Each line of '.afcache/resources.jsonl' is one JSON object with at least 'url' and 'status', and with values \
        of the kinds that docs/format.md lists. Records hold what a response had besides its body, so one that can't \
        be read may be a redirect that is lost or a field that is served wrongly. Rebuild the package, or leave \
        '.afcache/' out.
        """
    static let bad = LintExample.words("a record without 'status'")
    static let good = LintExample.words("a record with 'url' and 'status' alone")
}
