internal import AFCPackageFormat

enum ZipDeflateRule: LoadRule {
    static let id = "zip.deflate"
    static let severity = PackageProblem.Severity.error
    static let summary = "data that is no deflate stream"
    static let explanation = """
        The compressed data is cut off or damaged, or was never deflated, so the body can't be restored. Some \
        programs show what they could restore, and a page might then be served in half. Get the file again.
        """
    static let bad = LintExample.words("deflated data that ends before its last block does")
    static let good = LintExample.words("deflated data of one block that isn't compressed")
}
