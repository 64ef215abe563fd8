internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat

enum UntitledPageRule: BodyRule {
    static let id = "completeness.untitled-page"
    static let severity = PackageProblem.Severity.info
    static let summary = "a page without a title"
    static let explanation = """
        Browsers show the title in tabs, bookmarks and the history, and lists of packaged pages show it too. Without a \
        title they show only the URL. Add a 'title' element, unless a script sets the title. Fragments of HTML, which \
        begin with neither a doctype nor an 'html' tag, are not checked.
        """
    static let bad = LintExample.words("a page with '<title></title>'")
    static let good = LintExample.words("a page with '<title>News</title>'")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        resource.entry != nil && LintedBody.type(of: resource)?.essence == "text/html"
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard body.isWhole, case .page? = BodySignature(body.bytes), body.document.title?.isEmpty ?? true,
            !body.document.isTruncated
        else { return }
        findings.add("the page has no title", Self.self, of: body.resource, in: package)
    }
}
