internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum MissingSeedRule: PackageRule {
    static let id = "completeness.missing-seed"
    static let severity = PackageProblem.Severity.info
    static let summary = "a package without the page that it was made from"
    static let explanation = """
        '.afcache/package.json' names the URLs that the crawl began with, or the base URL of the folder, and those are \
        what readers open first. This one isn't in the package: a folder without an 'index.html', or a seed that \
        couldn't be fetched.
        """
    static let bad = LintExample.words("the seed 'http://d.example/', and no entry for it")
    static let good = LintExample.words("the seed 'http://d.example/', which redirects to an entry")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.isUnderstood else { return }
        for seed in package.index.info?.seeds ?? [] {
            guard let url = try? WebURL(seed), case .missing = package.target(of: url) else { continue }
            let sentence = "\(PrintableText.quoted(seed)), which the package was made from, isn't in it"
            findings.add(sentence, Self.self, at: .member(PackageLayout.info))
        }
    }
}
