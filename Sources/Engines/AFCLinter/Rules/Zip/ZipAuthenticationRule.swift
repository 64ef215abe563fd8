internal import AFCPackageFormat

enum ZipAuthenticationRule: LoadRule {
    static let id = "zip.authentication"
    static let severity = PackageProblem.Severity.error
    static let summary = "an encrypted body that was changed"
    static let explanation = """
        Behind each encrypted body stands a code that only who has the password can make; this one doesn't fit. The \
        file was damaged or changed since it was packed, or, once in 65,536 times, the password is wrong. Get the \
        package again.
        """
    static let bad = LintExample.words("an encrypted body with one byte changed")
    static let good = LintExample.words("an encrypted body as it was packed")
}
