internal import AFCPackageFormat

enum ZipSeveralDisksRule: LoadRule {
    static let id = "zip.several-disks"
    static let severity = PackageProblem.Severity.error
    static let summary = "an archive in several parts"
    static let explanation = """
        The archive was split, as in the days of floppy disks, and this file is one of its parts. A package is one \
        file. Join the parts with 'zip -s 0 split.zip --out whole.zip', which needs all of them in one folder.
        """
    static let bad = LintExample.words("an end record of the second disk")
    static let good = LintExample.words("an end record of the only disk")
}
