internal import AFCPackageFormat

enum ZipDescriptorRule: LoadRule {
    static let id = "zip.descriptor"
    static let severity = PackageProblem.Severity.error
    static let summary = "a data descriptor that is missing or lies"
    static let explanation = """
        A writer that can't go back puts checksum and sizes behind the data. They must be there and agree with the \
        directory, and stored data mustn't hold what looks like them, since readers of streams would stop there. \
        Write the archive into a file instead of a pipe, or deflate its members.
        """
    static let bad = LintExample.words("a data descriptor with another checksum than the directory")
    static let good = LintExample.words("a data descriptor that agrees with the directory")
}
