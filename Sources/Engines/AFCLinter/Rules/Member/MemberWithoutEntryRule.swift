internal import AFCPackageFormat

enum MemberWithoutEntryRule: LoadRule {
    static let id = "member.without-entry"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a member that no entry names"
    static let explanation = """
        It takes space and is never served, since only the manifest says which URL a body answers. Perhaps its line \
        was lost, or names another spelling. Add an entry; or move what is meant to be carried along below \
        '.userdata/', with a folder for its key; or leave it out.
        """
    static let bad = LintExample.words("a member 'd.example/b', and no entry for it")
    static let good = LintExample.words("a member '.userdata/key/b', and no entry for it")
}
