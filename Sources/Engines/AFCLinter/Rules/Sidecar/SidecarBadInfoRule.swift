internal import AFCPackageFormat

enum SidecarBadInfoRule: LoadRule {
    static let id = "sidecar.bad-info"
    static let severity = PackageProblem.Severity.error
    static let summary = "a `package.json` that can't be read"
    static let explanation = """
        '.afcache/package.json' says by which version of the format the package is to be understood; where it is \
        damaged, or lacks 'format', that is unknown, and guessing could serve wrong responses. It must be a JSON \
        object with '"format": 1'. Rebuild the package, or leave the whole folder '.afcache/' out: a package loads \
        without.
        """
    static let bad = LintExample.words("a '.afcache/package.json' of '{}'")
    static let good = LintExample.words("a '.afcache/package.json' of '{\"format\":1}'")
}
