internal import AFCPackageFormat

enum ZipNameEmptyPartRule: LoadRule {
    static let id = "zip.name-empty-part"
    static let severity = PackageProblem.Severity.error
    static let summary = "an empty part in a name"
    static let explanation = """
        'a//b' and 'a/b' are the same file on every system and different names in the archive, so a check by name \
        can be passed by. The rule for members folds runs of slashes into one. Rewrite the archive without such names.
        """
    static let bad = LintExample.words("a member 'd.example//a'")
    static let good = LintExample.words("a folder 'd.example/', with one slash at its end")
}
