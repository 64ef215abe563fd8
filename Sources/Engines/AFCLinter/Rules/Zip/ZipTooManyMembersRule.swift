internal import AFCPackageFormat

enum ZipTooManyMembersRule: LoadRule {
    static let id = "zip.too-many-members"
    static let severity = PackageProblem.Severity.error
    static let summary = "more members than a reader takes"
    static let explanation = """
        Each member costs memory before any of it is used, so a reader has a limit, here 2,000,000 members and as \
        many folders. A file far beyond is made to exhaust whoever opens it; a site that large is better split by \
        host or folder into several packages.
        """
    static let bad = LintExample.words("an end record that counts 2,000,001 members")
    static let good = LintExample.words("an archive of 300 members")
}
