internal import AFCPackageFormat

enum ZipExtraFieldRule: LoadRule {
    static let id = "zip.extra-field"
    static let severity = PackageProblem.Severity.error
    static let summary = "a malformed extra field"
    static let explanation = """
        Extra fields are a row of kind, length and bytes. Where a length goes beyond the end, readers disagree about \
        what belongs to which, and each may see other sizes or names. Rewrite the archive; 'zip -X' leaves extra \
        fields out.
        """
    static let bad = LintExample.words("an extra field that says 8 bytes and has 4")
    static let good = LintExample.words("an extra field of an unregistered kind")
}
