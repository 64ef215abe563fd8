internal import AFCPackageFormat

enum ZipNameDotRule: LoadRule {
    static let id = "zip.name-dot"
    static let severity = PackageProblem.Severity.error
    static let summary = "the part `.` in a name"
    static let explanation = """
        'a/./b' and 'a/b' are the same file on every system and different names in the archive, so a check by name \
        can be passed by. Rewrite the archive; 'zip -r x.zip .' leaves the './' out by itself.
        """
    static let bad = LintExample.words("a member 'd.example/./a'")
    static let good = LintExample.words("a member 'd.example/.a'")
}
