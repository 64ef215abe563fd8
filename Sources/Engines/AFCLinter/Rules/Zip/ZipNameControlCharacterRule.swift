internal import AFCPackageFormat

enum ZipNameControlCharacterRule: LoadRule {
    static let id = "zip.name-control-character"
    static let severity = PackageProblem.Severity.error
    static let summary = "a control character in a name"
    static let explanation = """
        On a terminal control characters hide or forge what a listing shows, in scripts a line feed makes two names \
        of one, and a NUL ends a name for programs in C. No URL needs them: percent-encode them.
        """
    static let bad = LintExample.words("a name with an escape sequence in it")
    static let good = LintExample.words("a name with '%1B' in it")
}
