internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum MixedContentRule: BodyRule {
    static let id = "security.mixed-content"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a page over https that needs a resource over http"
    static let explanation = """
        On an https page, browsers block scripts, styles, fonts and frames over http, and request images over https \
        instead (Mixed Content §5), where they may not exist. The page is then broken, online and offline. Use https \
        in the reference, or omit the scheme.
        """
    static let bad = LintExample.words("'https://d.example/' with '<script src=http://d.example/a.js>'")
    static let good = LintExample.words("'https://d.example/' with '<a href=http://d.example/b>'")

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard body.resource.url.scheme == "https" else { return }
        var seen: Set<WebURL> = []
        for reference in body.references where reference.kind == .requisite || reference.kind == .frame {
            let url = reference.url
            guard url.scheme == "http", !url.hostIsLoopbackOrPrivate, seen.insert(url).inserted else { continue }
            let text = PrintableText.quoted(url.removingCredentials.description)
            let sentence = "the https page needs \(text), which browsers block over http; write https"
            findings.add(sentence, Self.self, of: body.resource, in: package)
        }
    }
}
