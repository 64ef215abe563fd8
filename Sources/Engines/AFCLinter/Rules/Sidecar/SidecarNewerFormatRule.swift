internal import AFCPackageFormat

enum SidecarNewerFormatRule: LoadRule {
    static let id = "sidecar.newer-format"
    static let severity = PackageProblem.Severity.error
    static let summary = "a package that needs a newer program"
    static let explanation = """
        The number 'format' in '.afcache/package.json' grows when an old program would misunderstand a package. This \
        program reads version 1. Update afcache, or ask whoever made the package for one in the older format.
        """
    static let bad = LintExample.words("a '.afcache/package.json' of '{\"format\":2}'")
    static let good = LintExample.words("a '.afcache/package.json' of '{\"format\":1}'")
}
