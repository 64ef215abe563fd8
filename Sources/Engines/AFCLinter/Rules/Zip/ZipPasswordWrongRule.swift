internal import AFCPackageFormat

enum ZipPasswordWrongRule: LoadRule {
    static let id = "zip.password-wrong"
    static let severity = PackageProblem.Severity.error
    static let summary = "an encrypted package, and another password"
    static let explanation = """
        Each encrypted body begins with two bytes that tell nearly every wrong password. Look for a line end or a \
        space that doesn't belong to it, for capitals, and for another encoding of letters outside ASCII; there is \
        no way to get at the bodies without it.
        """
    static let bad = LintExample.words("an encrypted package with another password")
    static let good = LintExample.words("an encrypted package with its password")
}
