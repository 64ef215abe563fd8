internal import AFCPackageFormat

enum ZipPartlyEncryptedRule: LoadRule {
    static let id = "zip.partly-encrypted"
    static let severity = PackageProblem.Severity.error
    static let summary = "a plain member among encrypted ones"
    static let explanation = """
        Someone without the password can still add a member to the archive, and in a package that is otherwise \
        encrypted people would trust it. So all members that have bytes are encrypted, or none. Rebuild the package \
        with one password for everything.
        """
    static let bad = LintExample.words("an encrypted package with one plain member")
    static let good = LintExample.words("an encrypted package whose folders alone are plain")
}
