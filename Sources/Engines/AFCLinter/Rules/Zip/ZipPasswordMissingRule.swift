internal import AFCPackageFormat

enum ZipPasswordMissingRule: LoadRule {
    static let id = "zip.password-missing"
    static let severity = PackageProblem.Severity.error
    static let summary = "an encrypted package, and no password"
    static let explanation = """
        Nothing but names and sizes can be seen of an encrypted package, so it can't be checked. Give its password \
        in a file with '--password-file', or type it when the program asks on a terminal; what makes sense in CI is \
        a file that only the job can read.
        """
    static let bad = LintExample.words("an encrypted package without '--password-file'")
    static let good = LintExample.words("an encrypted package with its password")
}
