internal import AFCPackageFormat

enum ZipTrailingDataRule: LoadRule {
    static let id = "zip.trailing-data"
    static let severity = PackageProblem.Severity.error
    static let summary = "bytes behind the end record, or a comment of another length"
    static let explanation = """
        Something was appended to the file, or its comment isn't as long as said. Readers differ in where they look \
        for the end record, and what follows it could be a second archive that some of them prefer. Remove what was \
        appended, or rewrite the archive with 'zip' or 'afcache pack'.
        """
    static let bad = LintExample.words("an archive with a line feed behind it")
    static let good = LintExample.words("an archive with a comment of the length that it says")
}
