internal import AFCPackageFormat

enum ZipNameAbsoluteRule: LoadRule {
    static let id = "zip.name-absolute"
    static let severity = PackageProblem.Severity.error
    static let summary = "an absolute name"
    static let explanation = """
        Unpacked as it stands, '/etc/passwd' overwrites that file, wherever one wanted to unpack to. Names in a zip \
        are relative to the folder that is unpacked to. Pack the files from within their folder.
        """
    static let bad = LintExample.words("a member '/etc/passwd'")
    static let good = LintExample.words("a member 'd.example/a'")
}
