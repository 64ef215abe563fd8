internal import AFCPackageFormat

enum ZipLinkRule: LoadRule {
    static let id = "zip.link"
    static let severity = PackageProblem.Severity.error
    static let summary = "a link, or what some readers make one of"
    static let explanation = """
        A symbolic link makes a later member land wherever the link points, outside the folder that is unpacked to, \
        and a body read through it could be any file of this machine. A package has files and folders only. Pack the \
        file that the link points to; 'zip' does so without '-y'.
        """
    static let bad = LintExample.words("a member whose Unix mode is that of a symbolic link")
    static let good = LintExample.words("a member whose Unix mode is that of a file with the set-user-ID bit")
}
