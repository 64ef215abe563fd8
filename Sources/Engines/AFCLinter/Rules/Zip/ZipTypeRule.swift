internal import AFCPackageFormat

enum ZipTypeRule: LoadRule {
    static let id = "zip.type"
    static let severity = PackageProblem.Severity.error
    static let summary = "a member whose mode and name disagree whether it is a folder"
    static let explanation = """
        A name that ends in a slash is a folder, and so is what the Unix mode or the DOS attribute calls one. Where \
        they disagree, some readers make a file and others a folder, and what lies below it lands elsewhere. Rewrite \
        the archive.
        """
    static let bad = LintExample.words("a member 'd.example/' with the mode of a file")
    static let good = LintExample.words("a member 'd.example/' with the mode of a folder")
}
