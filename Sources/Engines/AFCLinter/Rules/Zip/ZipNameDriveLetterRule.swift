internal import AFCPackageFormat

enum ZipNameDriveLetterRule: LoadRule {
    static let id = "zip.name-drive-letter"
    static let severity = PackageProblem.Severity.error
    static let summary = "a name that begins with a drive letter"
    static let explanation = """
        On Windows 'c:a' lies on drive C, wherever one wanted to unpack to, and 'c:/a' at its top. Elsewhere a colon \
        is a letter like any other, and behind the first part it is allowed. Pack the files from within their \
        folder, without the drive.
        """
    static let bad = LintExample.words("a member 'c:/a'")
    static let good = LintExample.words("a member 'docs.example/a:b'")
}
