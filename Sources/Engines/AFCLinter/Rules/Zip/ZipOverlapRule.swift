internal import AFCPackageFormat

enum ZipOverlapRule: LoadRule {
    static let id = "zip.overlap"
    static let severity = PackageProblem.Severity.error
    static let summary = "members that overlap"
    static let explanation = """
        Two members that share their bytes let a small file unpack to thousands of times its size, which is how the \
        worst known bombs work, or give one body two names that a check sees differently. No program makes this by \
        accident, unless a file is damaged. Get it from another source.
        """
    static let bad = LintExample.words("two members, the second of which lies within the first")
    static let good = LintExample.words("two members that stand in the directory in the other order than in the file")
}
