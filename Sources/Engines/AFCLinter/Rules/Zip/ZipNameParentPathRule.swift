internal import AFCPackageFormat

enum ZipNameParentPathRule: LoadRule {
    static let id = "zip.name-parent-path"
    static let severity = PackageProblem.Severity.error
    static let summary = "the part `..` in a name"
    static let explanation = """
        Unpacked as it stands, '../../etc/passwd' climbs out of the folder and overwrites what it likes; this is the \
        oldest attack by archives. Nobody needs it: pack the files from within their folder, with 'afcache pack \
        --folder'.
        """
    static let bad = LintExample.words("a member 'd.example/../../etc/passwd'")
    static let good = LintExample.words("a member 'd.example/..a'")
}
