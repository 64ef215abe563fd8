internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText

enum BadCrawlRule: PackageRule {
    static let id = "sidecar.bad-crawl"
    static let severity = PackageProblem.Severity.warning
    static let remedy: Remedy? = .repack
    static let summary = "a `crawl.json` that can't be read or belongs to other resources"
    static let explanation = """
        '.afcache/crawl.json' describes the crawl that made the package, so that an update can skip unchanged pages. \
        If it is malformed, or belongs to other resources, it is ignored: the package still loads, but updates take \
        longer. Usually entries were added or removed by hand. Rebuild the package, or remove the member.
        """
    static let bad = LintExample.words("a '.afcache/crawl.json' whose 'resources' is the digest of other URLs")
    static let good = LintExample.words("a package made by the packager")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        // If lines of the manifest can't be parsed, an error reports them, and the expected digest is unknown.
        guard package.index.isUnderstood, case .failure(let defect)? = package.reader.readProvenance() else { return }
        let sentence =
            switch defect {
            case .malformed: "it is malformed, so updates read all pages again"
            case .otherResources: "it belongs to other resources than the package's"
            }
        findings.add(sentence, Self.self, at: .member(PackageLayout.crawl))
    }
}
