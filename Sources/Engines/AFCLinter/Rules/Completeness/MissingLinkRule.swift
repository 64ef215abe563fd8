internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum MissingLinkRule: BodyRule {
    static let id = "completeness.missing-link"
    static let severity = PackageProblem.Severity.info
    static let summary = "a link to a page of the same host that isn't in the package"
    static let explanation = """
        The page links to a URL of the same host that the package doesn't have, so following the link offline leads \
        nowhere. Add the page to the package, or remove the link. Missing links are normal if you packed part of a \
        site on purpose, so the rule is off by default. Links to other hosts are not checked.
        """
    static let bad = LintExample.words("a page with '<a href=b.html>' in a package without 'b.html'")
    static let good = LintExample.words("a page with '<a href=http://e.example/b.html>' in the same package")
    static let isOn = false

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.isUnderstood else { return }
        var seen: Set<WebURL> = []
        for reference in body.references where reference.kind == .link || reference.kind == .redirect {
            guard seen.insert(reference.url).inserted, reference.url.host == body.resource.url.host,
                case .missing = package.target(of: reference.url)
            else { continue }
            let url = PrintableText.quoted(reference.url.removingCredentials.description)
            findings.add(
                "the page links to \(url), which isn't in the package",
                Self.self,
                of: body.resource,
                in: package
            )
        }
    }
}
