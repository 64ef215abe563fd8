internal import AFCPackageFile
internal import AFCPackageFormat

enum BadCrawlRule: PackageRule {
    static let id = "sidecar.bad-crawl"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a `crawl.json` that can't be read, or that vouches for other resources"
    static let explanation = """
        '.afcache/crawl.json' says which crawl brought the package, so that an update in which nothing has changed \
        needn't read it. One that isn't as documented, or that was made for other resources, is ignored: the package \
        loads as well, and updates take longer. Entries were probably added or taken out by hand. Rewrite the \
        package when you update it, or take the member out.
        """
    static let bad = LintExample.words("a '.afcache/crawl.json' whose 'resources' is the digest of other URLs")
    static let good = LintExample.words("a package as the packager writes it")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        // Where lines can't be read, an error tells of them, and whose digest it would be isn't known.
        guard package.index.isUnderstood, case .failure(let defect)? = package.reader.readProvenance() else { return }
        let sentence =
            switch defect {
            case .malformed: "it isn't as documented, and updates read all pages; rebuild the package"
            case .otherResources: "it vouches for other resources than the package has; rebuild it"
            }
        findings.add(sentence, Self.self, at: .member(PackageLayout.crawl))
    }
}
