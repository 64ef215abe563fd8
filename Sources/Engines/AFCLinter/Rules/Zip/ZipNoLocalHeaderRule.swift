internal import AFCPackageFormat

enum ZipNoLocalHeaderRule: LoadRule {
    static let id = "zip.no-local-header"
    static let severity = PackageProblem.Severity.error
    static let summary = "a member without a local header"
    static let explanation = """
        Each member has a header before its data that repeats what the directory says. Where the directory points to \
        something else, the file is damaged, or its offsets weren't corrected when something was put before it. Get \
        it again.
        """
    static let bad = LintExample.words("a directory entry that points into a body")
    static let good = LintExample.words("a directory entry that points to the member's header")
}
