internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum MissingRequisiteRule: BodyRule {
    static let id = "completeness.missing-requisite"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a reference to a style sheet, script, image, font or frame that isn't in the package"
    static let explanation = """
        A page, style sheet or script needs a style sheet, script, image, font or frame that the package doesn't have, \
        so the page is broken offline. The crawl report says why the URL was skipped: a limit, a pattern, robots.txt \
        or an error. Add the resource to the package, or remove the reference. Each missing URL is reported once, at \
        the first page that needs it.
        """
    static let bad = LintExample.words("a page with '<img src=a.png>' in a package without 'a.png'")
    static let good = LintExample.words("a page with '<a href=b.html>' in a package without 'b.html'")

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.isUnderstood else { return }
        var seen: Set<WebURL> = []
        for reference in body.references where reference.kind == .requisite || reference.kind == .frame {
            // What only a table names is the matter of another rule.
            guard reference.reference.recipe == nil else { continue }
            guard seen.insert(reference.url).inserted, case .missing(let target) = package.target(of: reference.url)
            else { continue }
            let url = PrintableText.quoted(reference.url.removingCredentials.description)
            let end = target == reference.url ? "isn't in the package" : "redirects to a URL that isn't in the package"
            let sentence = "the page needs \(url), which \(end); add it, or the page is broken offline"
            findings.add(sentence, Self.self, of: body.resource, in: package)
        }
    }
}
