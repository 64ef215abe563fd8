internal import AFCPackageFormat

enum ZipCollisionRule: LoadRule {
    static let id = "zip.collision"
    static let severity = PackageProblem.Severity.error
    static let summary = "names that differ by case or Unicode normal form only"
    static let explanation = """
        Windows and macOS keep 'A.html' and 'a.html' in one file, and macOS both spellings of 'ä', so the second \
        overwrites the first when the archive is unpacked there. 'afcache pack' gives such bodies different names; \
        pack the site with it, or rename one and name it in the fifth field.
        """
    static let bad = LintExample.words("members 'd.example/a' and 'd.example/A'")
    static let good = LintExample.words("members 'd.example/a' and 'e.example/A'")
}
