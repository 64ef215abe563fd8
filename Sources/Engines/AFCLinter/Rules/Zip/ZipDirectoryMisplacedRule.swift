internal import AFCPackageFormat

enum ZipDirectoryMisplacedRule: LoadRule {
    static let id = "zip.directory-misplaced"
    static let severity = PackageProblem.Severity.error
    static let summary = "a directory that doesn't end where the end record begins"
    static let explanation = """
        Offset and size say where the directory is; some readers believe the offset, others count back from the end. \
        When these differ there may be two directories. Something was put before the archive or into it without \
        correcting the numbers; rewrite the archive from its files.
        """
    static let bad = LintExample.words("an end record whose offset is one byte too large")
    static let good = LintExample.words("an end record whose offset and size meet its own place")
}
