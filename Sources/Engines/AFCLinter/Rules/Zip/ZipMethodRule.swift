internal import AFCPackageFormat

enum ZipMethodRule: LoadRule {
    static let id = "zip.method"
    static let severity = PackageProblem.Severity.error
    static let summary = "a compression other than stored and deflate"
    static let explanation = """
        Every program that reads zips knows stored and deflate; bzip2, LZMA, Zstandard, XZ or deflate64 are read by \
        few. A package is meant to load everywhere. Compress it again: 'zip' and 'afcache pack' deflate, '7z a \
        -tzip' does with '-mm=Deflate'.
        """
    static let bad = LintExample.words("a member compressed with bzip2")
    static let good = LintExample.words("a stored member beside a deflated one")
}
