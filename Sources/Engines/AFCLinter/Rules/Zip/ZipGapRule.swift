internal import AFCPackageFormat

enum ZipGapRule: LoadRule {
    static let id = "zip.gap"
    static let severity = PackageProblem.Severity.error
    static let summary = "bytes that belong to no member"
    static let explanation = """
        Readers of the directory skip them, readers of streams don't: what stands there may be a member that only \
        some programs see. Programs that replace members in place leave such holes. Rewrite the archive from its \
        files.
        """
    static let bad = LintExample.words("two members with 10 bytes between them")
    static let good = LintExample.words("a member with an extra field that is padding")
}
