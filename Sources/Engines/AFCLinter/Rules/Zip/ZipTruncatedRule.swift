internal import AFCPackageFormat

enum ZipTruncatedRule: LoadRule {
    static let id = "zip.truncated"
    static let severity = PackageProblem.Severity.error
    static let summary = "a file that ends within a record or body"
    static let explanation = """
        The file became shorter while it was read: somebody writes to it, or copies it to this place at the moment. \
        Wait for that to end, and write packages under another name that is renamed when it is whole, as 'afcache \
        pack' does.
        """
    static let bad = LintExample.words("a package that is cut off while it is checked")
    static let good = LintExample.words("a package that stays as it is")
}
