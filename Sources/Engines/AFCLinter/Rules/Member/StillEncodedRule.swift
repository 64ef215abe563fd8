internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip

enum StillEncodedRule: BodyRule {
    static let id = "member.still-encoded"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a page, style sheet, script or image in gzip"
    static let explanation = """
        A body in a package has no content coding: what the origin sent in gzip is inflated before it is packed. This \
        one is still in gzip, and is served as if it weren't, so a browser shows characters without sense. Let the \
        packager make the package, which inflates, or give '.svgz' a record with Content-Encoding on the server and \
        crawl that.
        """
    static let bad = LintExample.words("a page that begins with the bytes 1F 8B 08")
    static let good = LintExample.words("an 'application/gzip' that begins with the bytes 1F 8B 08")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        guard let essence = LintedBody.type(of: resource)?.essence else { return false }
        return essence.hasPrefix("text/") || LintedType.kind(of: essence) != nil || essence == "application/json"
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard GzipFile.isOne(body.bytes) else { return }
        let type = body.type?.essence ?? ""
        let sentence = "the body is in gzip, but is served as \(type) without a content coding; inflate it"
        findings.add(sentence, Self.self, at: package.place(of: body.resource))
    }
}
