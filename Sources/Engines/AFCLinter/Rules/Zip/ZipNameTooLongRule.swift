internal import AFCPackageFormat

enum ZipNameTooLongRule: LoadRule {
    static let id = "zip.name-too-long"
    static let severity = PackageProblem.Severity.error
    static let summary = "a name of more than 1,024 bytes, or a part of more than 255"
    static let explanation = """
        File systems take 255 bytes for a part of a path, and Windows 260 characters for the whole unless it is told \
        otherwise. Unpacking ends there, or cuts the name, so that it may meet another. Long queries make such \
        names; 'afcache pack' shortens them and keeps them apart by a hash.
        """
    static let bad = LintExample.words("a name with a part of 256 bytes")
    static let good = LintExample.words("a name of 1,024 bytes in parts of 255 at most")
}
