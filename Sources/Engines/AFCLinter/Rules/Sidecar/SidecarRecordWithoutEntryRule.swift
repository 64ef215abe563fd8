internal import AFCPackageFormat

enum SidecarRecordWithoutEntryRule: LoadRule {
    static let id = "sidecar.record-without-entry"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record of a resource that has no entry"
    static let explanation = """
        Only redirects have a record and no entry, since they have no body. Any other record without one is ignored, \
        and its URL isn't served. Somebody may have removed the line from the manifest, and then the record is a \
        leftover; else add the entry again.
        """
    static let bad = LintExample.words("a record of status 200 whose URL no entry has")
    static let good = LintExample.words("a record of status 301, with 'location', whose URL no entry has")
}
