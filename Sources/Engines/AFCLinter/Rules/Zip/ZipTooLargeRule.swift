internal import AFCPackageFormat

enum ZipTooLargeRule: LoadRule {
    static let id = "zip.too-large"
    static let severity = PackageProblem.Severity.error
    static let summary = "a body, or all bodies, larger than a reader takes"
    static let explanation = """
        One body may have 16 GiB, all together 64 GiB, the manifest and each part of the sidecar 512 MiB. Sizes \
        beyond are refused before anything is read, since disk and memory would run out later, and elsewhere. Leave \
        large files out, for a folder with 'afcache pack --max-file-size', or split the package.
        """
    static let bad = LintExample.words("a member that claims a body of 17 GiB")
    static let good = LintExample.words("a member whose sizes stand in a zip64 field")
}
