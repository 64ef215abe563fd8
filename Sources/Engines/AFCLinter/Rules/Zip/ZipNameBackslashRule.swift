internal import AFCPackageFormat

enum ZipNameBackslashRule: LoadRule {
    static let id = "zip.name-backslash"
    static let severity = PackageProblem.Severity.error
    static let summary = "a backslash in a name"
    static let explanation = """
        Windows takes it for a slash, so that 'a\\..\\b' leaves the folder there and is one harmless name elsewhere. \
        Some old programs of Windows wrote it between folders, where the format asks for '/'. Rewrite the archive.
        """
    static let bad = LintExample.words("a member 'd.example\\a'")
    static let good = LintExample.words("a member 'd.example/a'")
}
