internal import AFCPackageFormat

enum ZipRatioRule: LoadRule {
    static let id = "zip.ratio"
    static let severity = PackageProblem.Severity.error
    static let summary = "a member that claims to inflate more than deflate can"
    static let explanation = """
        Deflate makes at most 1,032 bytes of one, so a body that claims more than 1,100 times its data is a lie, \
        made so that a check of the data alone passes and unpacking fills the disk. Get the file from another \
        source.
        """
    static let bad = LintExample.words("a member that claims 1 GiB of 100 bytes")
    static let good = LintExample.words("a member of zeros, deflated as well as can be")
}
