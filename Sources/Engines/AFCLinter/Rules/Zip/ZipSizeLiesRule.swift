internal import AFCPackageFormat

enum ZipSizeLiesRule: LoadRule {
    static let id = "zip.size-lies"
    static let severity = PackageProblem.Severity.error
    static let summary = "a body of another size than declared"
    static let explanation = """
        The sizes in the headers are what readers reserve memory by and what limits are checked against; the data \
        made more or less. The file is damaged or made to pass such a check. Reading stops at the declared size; get \
        the file again.
        """
    static let bad = LintExample.words("a deflated body of 4 bytes that is declared as 5")
    static let good = LintExample.words("a deflated body of 4 bytes that is declared as 4")
}
