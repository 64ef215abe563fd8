internal import AFCPackageFormat

enum UnsignedRule: PackageRule {
    static let id = "signature.none"
    static let severity = PackageProblem.Severity.info
    static let summary = "an unsigned package"
    static let explanation = """
        A signature shows who made a package and that it hasn't been changed since, and some users load only signed \
        packages. Sign the package when you make it. The rule is off by default.
        """
    static let bad = LintExample.words("a package without the member '.afcache/signature'")
    static let good = LintExample.words("a package with the member '.afcache/signature'")
    static let isOn = false

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard !package.has(PackageLayout.signature) else { return }
        findings.add("the package isn't signed", Self.self, at: .package)
    }
}
