internal import AFCPackageFormat

enum ZipDeflateTrailingRule: LoadRule {
    static let id = "zip.deflate-trailing"
    static let severity = PackageProblem.Severity.error
    static let summary = "data behind the end of a deflate stream"
    static let explanation = """
        A deflate stream says itself where it ends; what follows within the member is seen by no reader that \
        believes it, and by some that count bytes. Data can be hidden there from a check. Rewrite the archive from \
        its files.
        """
    static let bad = LintExample.words("a deflate stream with 3 bytes behind its end")
    static let good = LintExample.words("a deflate stream that ends where its member does")
}
