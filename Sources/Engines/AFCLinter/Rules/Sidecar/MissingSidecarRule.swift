internal import AFCPackageFormat

enum MissingSidecarRule: PackageRule {
    static let id = "sidecar.missing"
    static let severity = PackageProblem.Severity.info
    static let summary = "a package without a sidecar"
    static let explanation = """
        Packages made by older AFCache versions have only a manifest: no status, no header fields such as ETag or \
        Content-Security-Policy, no redirects, and no checksums beyond the zip's. Such a package can be loaded and \
        served. Rebuild it to get the rest.
        """
    static let bad = LintExample.words("a package without the member '.afcache/package.json'")
    static let good = LintExample.words("a package made by the packager")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard !package.hasSidecar, package.has(PackageLayout.manifest) else { return }
        let sentence = "there is no '.afcache/package.json', so the package has no header fields, redirects or digests"
        findings.add(sentence, Self.self, at: .package)
    }
}
