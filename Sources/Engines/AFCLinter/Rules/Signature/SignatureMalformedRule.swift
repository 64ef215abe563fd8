internal import AFCPackageFormat

enum SignatureMalformedRule: LoadRule {
    static let id = "signature.malformed"
    static let severity = PackageProblem.Severity.error
    static let summary = "a line of `.afcache/signature` that is no signature"
    static let explanation = """
        Each line has five words: 'afcache-signature-1 ed25519', the key, the time and the signature, and no key \
        signs twice. A line that can't be read may be of a newer program or be damaged; taking the package as not \
        signed would make removing a signature easy. Update afcache, or get the package again.
        """
    static let bad = LintExample.words("a '.afcache/signature' that says 'signed'")
    static let good = LintExample.words("a '.afcache/signature' that 'afcache pack --sign' wrote")
}
