internal import AFCPackageFormat

enum SignatureMissingRule: LoadRule {
    static let id = "signature.missing"
    static let severity = PackageProblem.Severity.error
    static let summary = "a package that isn't signed where `--require-signature` asks for that"
    static let explanation = """
        Without a signature nobody can tell who made the package, or whether it was changed on its way. You asked \
        for one; get the package from somebody who signs, or have its maker sign it with 'afcache pack --sign'.
        """
    static let bad = LintExample.words("a package that isn't signed, with '--require-signature'")
    static let good = LintExample.words("a package signed by a key that '--trust' names, with '--require-signature'")
}
