internal import AFCPackageFormat

enum ManifestLineTooLongRule: LoadRule {
    static let id = "manifest.line-too-long"
    static let severity = PackageProblem.Severity.error
    static let summary = "a line of more than 64 KiB"
    static let explanation = """
        A reader bounds what one line may cost it, and no entry needs so much: a URL has at most 8 KiB, and a \
        member's name 1,024 bytes. As a rule the file is no manifest at all, or its line ends were lost when it was \
        copied; take it from its source again.
        """
    static let bad = LintExample.words("a line of 65,537 bytes")
    static let good = LintExample.words("a line of 65,536 bytes")
}
