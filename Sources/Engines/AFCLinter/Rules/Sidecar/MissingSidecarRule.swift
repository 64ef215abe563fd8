internal import AFCPackageFormat

enum MissingSidecarRule: PackageRule {
    static let id = "sidecar.missing"
    static let severity = PackageProblem.Severity.info
    static let summary = "a package without a sidecar"
    static let explanation = """
        Packages of AFCache's own packagers have a manifest only: no status, no fields such as ETag or \
        Content-Security-Policy, no redirects, no checksum of the bodies beyond the zip's. It loads and serves; a \
        package by the packager knows more.
        """
    static let bad = LintExample.words("a package without the member '.afcache/package.json'")
    static let good = LintExample.words("a package as the packager writes it")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard !package.hasSidecar, package.has(PackageLayout.manifest) else { return }
        let sentence = "there is no '.afcache/package.json': the package has no fields, no redirects and no digests"
        findings.add(sentence, Self.self, at: .package)
    }
}
