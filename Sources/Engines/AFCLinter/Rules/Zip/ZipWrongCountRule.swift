internal import AFCPackageFormat

enum ZipWrongCountRule: LoadRule {
    static let id = "zip.wrong-count"
    static let severity = PackageProblem.Severity.error
    static let summary = "another number of members than the end record says"
    static let explanation = """
        Some readers believe the count and stop there, others read the directory to its end, so they see different \
        members. A program that writes zips wrongly, or more than 65,535 members without zip64, is the harmless \
        cause. Rewrite the archive with another program.
        """
    static let bad = LintExample.words("an end record that counts one member less than there are")
    static let good = LintExample.words("an end record that counts each member")
}
