internal import AFCPackageFormat

enum ZipFlagsRule: LoadRule {
    static let id = "zip.flags"
    static let severity = PackageProblem.Severity.error
    static let summary = "flags that nobody should need"
    static let explanation = """
        Flags 1 and 2 say how hard deflate tried, 3 that a data descriptor follows, 11 that the name is UTF-8, and 0 \
        that the member is encrypted. Others change what the data means, as patches or masked headers, in ways that \
        hardly any reader knows. Rewrite the archive with a common program.
        """
    static let bad = LintExample.words("a member with the reserved flag 15")
    static let good = LintExample.words("a member with the flags for fast deflate")
}
