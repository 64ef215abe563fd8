internal import AFCPackageFormat

enum MemberIsFolderRule: LoadRule {
    static let id = "member.is-folder"
    static let severity = PackageProblem.Severity.error
    static let summary = "an entry whose body is a folder"
    static let explanation = """
        A folder has no bytes to serve. A URL such as 'http://d.example/guide' and the pages below it want one name \
        as file and as folder; 'afcache pack' gives the body of such a URL another name and writes that into the \
        fifth field. Pack the site with it, or name a file there.
        """
    static let bad = LintExample.words("an entry for 'http://d.example/a' in a package with the folder 'd.example/a/'")
    static let good = LintExample.words("the same entry with 'd.example/a/~index' in its fifth field")
}
