internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat

enum UntitledPageRule: BodyRule {
    static let id = "completeness.untitled-page"
    static let severity = PackageProblem.Severity.info
    static let summary = "a page without a title"
    static let explanation = """
        Browsers show the title in tabs, bookmarks and the history, and lists of packaged pages have nothing else to \
        show; without one there is only the URL. Where a script sets the title, nothing needs doing; else write a \
        'title' element. Parts of pages, which begin with neither a doctype nor 'html', are left alone.
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
        findings.add("the page has no title", Self.self, at: package.place(of: body.resource))
    }
}
