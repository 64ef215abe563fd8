internal import AFCPackageFormat

enum ZipBadDirectoryRule: LoadRule {
    static let id = "zip.bad-directory"
    static let severity = PackageProblem.Severity.error
    static let summary = "a directory with malformed entries"
    static let explanation = """
        The directory lists the members, and where an entry has no mark or is longer than the directory, the rest \
        can't be found. The file is damaged, or was written so that programs that skip over errors see something \
        else. Get it again, or rewrite the archive from the original files.
        """
    static let bad = LintExample.words("a directory in which an entry begins with other bytes than 'PK'")
    static let good = LintExample.words("a directory whose entries have comments")
}
