internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum MissingScriptResourceRule: BodyRule {
    static let id = "completeness.missing-script-resource"
    static let severity = PackageProblem.Severity.warning
    static let summary =
        "a file that a script loads when it runs, such as a search index, and that isn't in the package"
    static let explanation = """
        A bundler, site generator or search library lists in a table which files its scripts load later: scripts and \
        style sheets of other pages, data of pages, or the parts of a search index. This file is in such a table but \
        not in the package, so what needs it fails offline, for example the search. The finding names the recipe that \
        read the table. Pack the site again with recipes, and look in the crawl report if the URL was skipped. Only \
        files on hosts of the package are reported, and no guesses.
        """
    static let bad = LintExample.words("an index of Pagefind that names a 'wasm.en.pagefind' which the package lacks")
    static let good = LintExample.words("a script with 'fetch(\"/a.json\")' in a package without 'a.json'")

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.isUnderstood else { return }
        let found = body.references.filter { $0.reference.recipe != nil }
        guard !found.isEmpty else { return }
        // What the body also refers to by itself is the matter of another rule.
        var seen = Set(body.references.lazy.filter { $0.reference.recipe == nil && $0.kind != .link }.map(\.url))
        for reference in found {
            guard let recipe = reference.reference.recipe, seen.insert(reference.url).inserted,
                package.hosts.contains(reference.url.host),
                case .missing(let target) = package.target(of: reference.url)
            else { continue }
            let url = PrintableText.quoted(reference.url.removingCredentials.description)
            let end = target == reference.url ? "isn't in the package" : "redirects to a URL that isn't in the package"
            let sentence =
                "a script loads \(url) (recipe '\(recipe.name)'), which \(end); add it, or the script fails offline"
            findings.add(sentence, Self.self, of: body.resource, in: package)
        }
    }
}
