internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

enum ContradictingBodyRule: BodyRule {
    static let id = "type.contradicts-body"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a body that doesn't match its type"
    static let explanation = """
        The first bytes show what the body is (WHATWG MIME Sniffing §6), and the type says something else. Browsers \
        reject a page typed as a style sheet, show nothing for a page typed as an image, and show garbage for an image \
        typed as a page. Often a server sent an error page with status 200. Fetch the resource again, or correct the \
        type.
        """
    static let bad = LintExample.words("an 'image/png' that begins with '<!doctype html>'")
    static let good = LintExample.words("an 'image/png' that begins like a JPEG, which browsers accept")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        resource.entry?.mediaType != nil || resource.record?.fields[.contentType] != nil
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard let essence = body.type?.essence, let found = BodySignature(body.bytes), found.contradicts(essence) else {
            return
        }
        let sentence = "the body is \(found.words), but the type is \(essence); fetch it again, or correct the type"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
