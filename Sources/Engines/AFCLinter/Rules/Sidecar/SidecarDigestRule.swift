internal import AFCPackageFormat

enum SidecarDigestRule: LoadRule {
    static let id = "sidecar.digest"
    static let severity = PackageProblem.Severity.error
    static let summary = "a record with a different SHA-256 than the body"
    static let explanation = """
        The body isn't the one that the packager fetched, though the zip's own checksum may fit: somebody exchanged \
        or edited it after packing. This is noticed only where bodies are read, so not with '--skip-bodies'. Rebuild \
        the package; where you edited the body on purpose, remove 'sha256' and 'size' from its record.
        """
    static let bad = LintExample.words("a record whose 'sha256' is that of another body")
    static let good = LintExample.words("a record whose 'sha256' is that of its body")
}
