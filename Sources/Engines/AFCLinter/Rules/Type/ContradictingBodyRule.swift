internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

enum ContradictingBodyRule: BodyRule {
    static let id = "type.contradicts-body"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a body that is something else than its type says"
    static let explanation = """
        The first bytes show what a body is (WHATWG MIME Sniffing §6): a page under the type of a style sheet is \
        refused, one under the type of an image shows nothing, and an image under the type of a page shows characters \
        without sense. Mostly a server answered with its page of an error and the status 200. Fetch the resource \
        again, or correct its type.
        """
    static let bad = LintExample.words("an 'image/png' that begins with '<!doctype html>'")
    static let good = LintExample.words("an 'image/png' that begins like a JPEG, which browsers show")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        resource.entry?.mediaType != nil || resource.record?.fields[.contentType] != nil
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard let essence = body.type?.essence, let found = BodySignature(body.bytes), found.contradicts(essence) else {
            return
        }
        let sentence = "the body is \(found.words), the type says \(essence); fetch it again, or correct the type"
        findings.add(sentence, Self.self, at: package.place(of: body.resource))
    }
}
