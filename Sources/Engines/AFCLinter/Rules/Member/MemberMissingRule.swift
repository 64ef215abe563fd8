internal import AFCPackageFormat

enum MemberMissingRule: LoadRule {
    static let id = "member.missing"
    static let severity = PackageProblem.Severity.error
    static let summary = "an entry whose body is not in the package"
    static let explanation = """
        The entry promises a body that nobody can deliver, so the package is refused rather than loaded with a hole. \
        The body is looked for under the name in the fifth field, and nowhere else where there is one; else under \
        host and path of the URL, in the spellings that docs/format.md lists. Add the member, correct the field, or \
        remove the line.
        """
    static let bad = LintExample.words("an entry for 'http://d.example/a' in a package without 'd.example/a'")
    static let good = LintExample.words("the same entry in a package with 'd.example/a'")
}
