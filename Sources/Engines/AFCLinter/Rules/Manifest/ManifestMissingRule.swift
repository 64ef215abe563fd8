internal import AFCPackageFormat

enum ManifestMissingRule: LoadRule {
    static let id = "manifest.missing"
    static let severity = PackageProblem.Severity.error
    static let summary = "a zip without a member `manifest.afcache`"
    static let explanation = """
        The manifest says which URL each body answers; a zip without one is a zip, but no package, and nothing of it \
        can be served. The name is fixed, in lower case, at the top of the archive and not in a folder. Make a \
        package of a folder of files with 'afcache pack --folder'.
        """
    static let bad = LintExample.words("a zip with 'site/manifest.afcache'")
    static let good = LintExample.words("a zip with 'manifest.afcache'")
}
