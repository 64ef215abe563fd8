internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum RedirectLoopRule: ResourceRule {
    static let id = "sidecar.redirect-loop"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a redirect that leads back to itself, or through too many others"
    static let explanation = """
        The redirect leads back to itself, or through more than 20 further redirects, at which point browsers give up \
        (Fetch §4.4). Often a server redirects clients without a cookie to a page that redirects them back. Remove the \
        redirect, or crawl the site with the cookie.
        """
    static let bad = LintExample.words("a redirect from 'a' to 'b', and one from 'b' to 'a'")
    static let good = LintExample.words("a redirect from 'a' to 'b', and one from 'b' to 'c'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry == nil, package.target(of: resource.url) == .endless else { return }
        let url = PrintableText.quoted(resource.url.description)
        let sentence = "the redirect of \(url) never ends, so browsers give up; remove it"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
