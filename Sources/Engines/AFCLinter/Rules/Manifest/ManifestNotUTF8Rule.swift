internal import AFCPackageFormat

enum ManifestNotUTF8Rule: LoadRule {
    static let id = "manifest.not-utf8"
    static let severity = PackageProblem.Severity.error
    static let summary = "a line that is not UTF-8"
    static let explanation = """
        The manifest is UTF-8, and bytes that aren't could mean another letter in each encoding, so nobody can tell \
        which URL was meant. URLs are ASCII once they are percent-encoded: write '%C3%A4' for 'ä', or convert the \
        file with 'iconv -f ISO-8859-1 -t UTF-8' where it was written in Latin-1.
        """
    static let bad = LintExample.words("a URL with the byte 0xE4, which is 'ä' in Latin-1")
    static let good = LintExample.words("a URL with the bytes 0xC3 0xA4, which is 'ä' in UTF-8")
}
