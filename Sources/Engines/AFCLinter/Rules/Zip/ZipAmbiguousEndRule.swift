internal import AFCPackageFormat

enum ZipAmbiguousEndRule: LoadRule {
    static let id = "zip.ambiguous-end"
    static let severity = PackageProblem.Severity.error
    static let summary = "a second end record, for example in the comment"
    static let explanation = """
        Some readers take the last end record, others the first that they meet from the end; with two of them each \
        sees other members, so what was checked needn't be what is used. That is how packages are smuggled past a \
        check. Rewrite the archive without the comment.
        """
    static let bad = LintExample.words("an archive whose comment has an end record in it")
    static let good = LintExample.words("an archive with an end record's bytes in a body")
}
