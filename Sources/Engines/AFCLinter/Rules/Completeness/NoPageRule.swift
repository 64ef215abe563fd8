internal import AFCHTTP
internal import AFCPackageFormat

enum NoPageRule: PackageRule {
    static let id = "completeness.no-page"
    static let severity = PackageProblem.Severity.info
    static let summary = "a package without an HTML page"
    static let explanation = """
        The package has entries, but none of them is HTML. That is fine for a package of images or data, but a website \
        needs its pages. If pages are missing, read the crawl report, and rebuild the package. The rule is off by \
        default.
        """
    static let bad = LintExample.words("a package with two images")
    static let good = LintExample.words("a package with an image and an HTML page")
    static let isOn = false

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        let entries = package.index.resources.lazy.filter { $0.entry != nil }
        let hasPage = entries.contains { LintedBody.type(of: $0).flatMap { LintedType.kind(of: $0.essence) } == .page }
        guard !hasPage, package.index.isUnderstood, entries.first != nil else { return }
        findings.add("the package has no HTML page", Self.self, at: .package)
    }
}
