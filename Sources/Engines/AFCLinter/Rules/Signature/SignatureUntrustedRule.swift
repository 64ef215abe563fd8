internal import AFCPackageFormat

enum SignatureUntrustedRule: LoadRule {
    static let id = "signature.untrusted"
    static let severity = PackageProblem.Severity.error
    static let summary = "a package that only keys signed which `--trust` doesn't name, likewise"
    static let explanation = """
        Anybody can make a key and sign with it, so a signature proves something only where the key is one that you \
        know. The finding names the keys' identifiers: compare them with what the maker publishes elsewhere, and \
        then name that key with '--trust'.
        """
    static let bad = LintExample.words("a signed package, with '--require-signature' and another key in '--trust'")
    static let good = LintExample.words("a signed package, with '--require-signature' and its key in '--trust'")
}
