internal import AFCPackageFormat

enum ZipVersionRule: LoadRule {
    static let id = "zip.version"
    static let severity = PackageProblem.Severity.error
    static let summary = "a member that needs a later version of the zip format than 4.5"
    static let explanation = """
        A member says which version of the format its reader must know: 4.5 is zip64, and 5.1 AES encryption, and \
        nothing in a package needs more. Readers that don't know the version refuse the member or guess. Rewrite the \
        archive with a common program.
        """
    static let bad = LintExample.words("a member that needs version 6.3")
    static let good = LintExample.words("a member that needs version 4.5")
}
