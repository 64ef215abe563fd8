internal import AFCPackageFormat

enum ZipStoredSizeRule: LoadRule {
    static let id = "zip.stored-size"
    static let severity = PackageProblem.Severity.error
    static let summary = "a stored member with two sizes"
    static let explanation = """
        Stored data is the body itself, so it can't be longer or shorter than the body; encrypted data is longer by \
        exactly 28 bytes. With two sizes readers take one or the other, and some see bytes that others don't. The \
        file is damaged or made to deceive; write it again.
        """
    static let bad = LintExample.words("a stored member of 4 bytes that claims a body of 5")
    static let good = LintExample.words("a stored member of 0 bytes with a body of 0")
}
