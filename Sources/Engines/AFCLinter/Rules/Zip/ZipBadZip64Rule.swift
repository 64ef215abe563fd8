internal import AFCPackageFormat

enum ZipBadZip64Rule: LoadRule {
    static let id = "zip.bad-zip64"
    static let severity = PackageProblem.Severity.error
    static let summary = "zip64 records that are malformed or disagree"
    static let explanation = """
        Numbers too large for the old records stand in zip64 ones, and where both give a number, they must give the \
        same. Readers prefer one or the other, so a difference means that two programs see different archives. Write \
        it again with another program.
        """
    static let bad = LintExample.words("an end record that counts 2 members, and a zip64 one that counts 3")
    static let good = LintExample.words("a zip64 end record that repeats what the end record says")
}
