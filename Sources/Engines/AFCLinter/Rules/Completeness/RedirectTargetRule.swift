internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum RedirectTargetRule: ResourceRule {
    static let id = "completeness.redirect-target"
    static let severity = PackageProblem.Severity.info
    static let summary = "a redirect to a page of the same host that isn't in the package"
    static let explanation = """
        The redirect leads to a URL that isn't in the package, so following it offline fails. The crawl report says \
        why the target was skipped: a limit, a pattern, robots.txt or an error. Add the target to the package, or \
        remove the redirect. Redirects to other hosts are not checked.
        """
    static let bad = LintExample.words("a redirect to 'http://d.example/b', which isn't in the package")
    static let good = LintExample.words(
        "a redirect to 'http://e.example/b', which is on another host"
    )

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard package.index.isUnderstood, resource.entry == nil, let next = LintedPackage.location(of: resource),
            case .missing(let target) = package.target(of: next), let host = target.host, host == resource.url.host
        else { return }
        let (one, other) = (PrintableText.quoted(resource.url.description), PrintableText.quoted(target.description))
        findings.add(
            "\(one) redirects to \(other), which isn't in the package",
            Self.self,
            at: package.place(of: resource)
        )
    }
}
