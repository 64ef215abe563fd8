internal import AFCPackageFormat

enum ManifestBodiesTooLargeRule: LoadRule {
    static let id = "manifest.bodies-too-large"
    static let severity = PackageProblem.Severity.error
    static let summary = "entries that name more bytes of bodies than a reader takes"
    static let explanation = """
        Several entries may name one member, and whoever loads the package reads its body for each of them. A small \
        file with a million entries could so ask for a million times its largest body; bodies count once for each \
        entry, and together may have 64 GiB. Split the package.
        """
    static let bad = LintExample.words("22 entries that name one member of 3 GiB")
    static let good = LintExample.words("20 entries that name one member of 3 GiB")
}
