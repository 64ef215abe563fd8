internal import AFCPackageFormat

enum ZipNotAZipRule: LoadRule {
    static let id = "zip.not-a-zip"
    static let severity = PackageProblem.Severity.error
    static let summary = "a file without an end record"
    static let explanation = """
        A zip is read from its end: the last bytes say where the directory is. Without them nothing in the file can \
        be found. As a rule a download or copy was cut off, or the file is something else that got the name; compare \
        its size with the original's, and get it again.
        """
    static let bad = LintExample.words("a package without its last 22 bytes")
    static let good = LintExample.words("a zip without members, which is nothing but an end record")
}
