internal import AFCPackageFormat

enum ZipChecksumRule: LoadRule {
    static let id = "zip.checksum"
    static let severity = PackageProblem.Severity.error
    static let summary = "a body with another checksum than declared"
    static let explanation = """
        The CRC-32 in the header was made of the body as it was packed; at least one bit has changed since. Disks, \
        memory and interrupted downloads do that. It is noticed only where bodies are read, so not with \
        '--skip-bodies'. Get the file again.
        """
    static let bad = LintExample.words("a stored body 'body' with the checksum of another")
    static let good = LintExample.words("a stored body 'body' with its own checksum")
}
