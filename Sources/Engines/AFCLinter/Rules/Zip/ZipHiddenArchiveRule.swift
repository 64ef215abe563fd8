internal import AFCPackageFormat

enum ZipHiddenArchiveRule: LoadRule {
    static let id = "zip.hidden-archive"
    static let severity = PackageProblem.Severity.error
    static let summary = "records of a second archive in a comment or extra field"
    static let explanation = """
        A header or directory entry where only text should be is invisible to readers of the directory, and found by \
        those that search or stream. Nobody needs that but who wants two programs to see different members. Rewrite \
        the archive; its comments and extra fields can go.
        """
    static let bad = LintExample.words("an archive whose comment has a local header in it")
    static let good = LintExample.words("an archive that has another archive as a body")
}
