internal import AFCPackageFormat

enum ZipLocalHeaderDiffersRule: LoadRule {
    static let id = "zip.local-header-differs"
    static let severity = PackageProblem.Severity.error
    static let summary = "a local header that says something else than the directory"
    static let explanation = """
        Readers of files go by the directory, readers of streams by the header before the data. Where name, method, \
        time, checksum or size differ, they unpack different things, and a check by one says nothing about the \
        other. Rewrite the archive from its files.
        """
    static let bad = LintExample.words("a local header with another checksum than the directory")
    static let good = LintExample.words("a local header with the sizes that the data descriptor gives later")
}
