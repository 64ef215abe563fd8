internal import AFCPackageFormat

enum SignatureUndatedRule: LoadRule {
    static let id = "signature.undated"
    static let severity = PackageProblem.Severity.error
    static let summary = "a signed package without `created` in its `package.json`"
    static let explanation = """
        A response without a Date gets the package's own, so that date decides how long it is fresh. Without \
        'created' it would come from the zip's time of the manifest, which no signature covers, and anyone who hands \
        the package on could change it. Rebuild the package with 'afcache pack --sign'.
        """
    static let bad = LintExample.words("a signed package whose '.afcache/package.json' is '{\"format\":1}'")
    static let good = LintExample.words("a signed package that 'afcache pack' wrote")
}
