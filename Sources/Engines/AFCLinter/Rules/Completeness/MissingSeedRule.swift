internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum MissingSeedRule: PackageRule {
    static let id = "completeness.missing-seed"
    static let severity = PackageProblem.Severity.info
    static let summary = "a package that lacks the page it was made from"
    static let explanation = """
        '.afcache/package.json' lists the URLs that the crawl started from, or the base URL of the folder. Users open \
        these pages first, but the one that the finding names isn't in the package. Either it couldn't be fetched, or \
        the folder has no 'index.html'. Correct that, and rebuild the package.
        """
    static let bad = LintExample.words("the start URL 'http://d.example/' without an entry")
    static let good = LintExample.words("the start URL 'http://d.example/', which redirects to an entry")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.isUnderstood else { return }
        for seed in package.index.info?.seeds ?? [] {
            guard let url = try? WebURL(seed), case .missing = package.target(of: url) else { continue }
            let sentence = "the start URL \(PrintableText.quoted(seed)) isn't in the package"
            findings.add(sentence, Self.self, at: .member(PackageLayout.info))
        }
    }
}
