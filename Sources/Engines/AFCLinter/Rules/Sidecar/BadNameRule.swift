internal import AFCPackageFormat

enum BadNameRule: PackageRule {
    static let id = "sidecar.bad-name"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a package's name that can't be used"
    static let explanation = """
        'name' in '.afcache/package.json' is the name by which a cache replaces an older version of the package. It must \
        be a string of 1 to 255 bytes without control characters, '/' and '\\'; it doesn't begin with '.' or '-', and \
        has no space at an end. Any other name is ignored, and the package gets the name of its file, so each version \
        of it may be loaded beside the older ones. Correct the name, or rebuild the package.
        """
    static let bad = LintExample.words("a package.json with '\"name\":\"../docs\"'")
    static let good = LintExample.words("a package.json with '\"name\":\"docs\"'")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.info?.hasInvalidName == true else { return }
        findings.add(
            "the package's name can't be used, so the package gets the name of its file",
            Self.self,
            at: .member(PackageLayout.info)
        )
    }
}
