internal import AFCPackageFormat

enum ZipNameEmptyRule: LoadRule {
    static let id = "zip.name-empty"
    static let severity = PackageProblem.Severity.error
    static let summary = "a member without a name"
    static let explanation = """
        Nothing can name it, in a manifest or on a disk, and readers make up names of their own. The program that \
        wrote the archive is at fault, or the file is damaged. Write it again.
        """
    static let bad = LintExample.words("a member with a name of 0 bytes")
    static let good = LintExample.words("a member 'a'")
}
