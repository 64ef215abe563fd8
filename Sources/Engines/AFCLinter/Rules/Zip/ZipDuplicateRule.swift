internal import AFCPackageFormat

enum ZipDuplicateRule: LoadRule {
    static let id = "zip.duplicate"
    static let severity = PackageProblem.Severity.error
    static let summary = "two members of one name"
    static let explanation = """
        Some readers unpack the first, some the last, so a check of one says nothing about the other. Programs that \
        append a new version of a file without removing the old make that by accident. Rewrite the archive from its \
        files.
        """
    static let bad = LintExample.words("two members 'd.example/a'")
    static let good = LintExample.words("members 'd.example/a' and 'e.example/a'")
}
