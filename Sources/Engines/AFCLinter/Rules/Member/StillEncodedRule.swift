internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip

enum StillEncodedRule: BodyRule {
    static let id = "member.still-encoded"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a page, style sheet, script or image that is still gzip-compressed"
    static let explanation = """
        Bodies in a package must not have a content coding; the packager decodes gzip before it stores a body. This \
        body is still compressed but is served as if it weren't, so browsers show garbage. Pack the site again with \
        afcache. Before you do that for '.svgz' files, configure the server to send Content-Encoding.
        """
    static let bad = LintExample.words("a page that begins with the bytes 1F 8B 08")
    static let good = LintExample.words("an 'application/gzip' that begins with the bytes 1F 8B 08")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        guard let essence = LintedBody.type(of: resource)?.essence else { return false }
        return essence.hasPrefix("text/") || LintedType.kind(of: essence) != nil || essence == "application/json"
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard body.bytes.starts(with: Inflater.gzipSignature) else { return }
        let type = body.type?.essence ?? ""
        let sentence = "the body is gzip-compressed, but is served as \(type) without a content coding; decompress it"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
