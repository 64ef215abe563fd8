internal import AFCPackageFormat

enum SignatureWrongRule: LoadRule {
    static let id = "signature.wrong"
    static let severity = PackageProblem.Severity.error
    static let summary = "a signature that doesn't fit the package"
    static let explanation = """
        Names, sizes and bodies of all members are signed; one of them isn't what it was. The package was changed \
        after it was signed, by accident or on purpose, so it is refused whether or not a signature is required. Get \
        it again from its maker.
        """
    static let bad = LintExample.words("a signed package in which a body was changed")
    static let good = LintExample.words("a signed package whose members were compressed again")
}
