internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum NotDeflatedRule: BodyRule {
    static let id = "member.not-deflated"
    static let severity = PackageProblem.Severity.info
    static let remedy: Remedy? = .repack
    static let summary = "uncompressed text"
    static let explanation = """
        Deflate compresses text to between a third and a fifth of its size, and inflating it is cheap. afcache's \
        packager deflates all text. Rebuild the package.
        """
    static let bad = LintExample.words("a page of 40,000 bytes, stored")
    static let good = LintExample.words("a JPEG of 40,000 bytes, stored")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        guard let member = package.member(of: resource) else { return false }
        return member.method == .stored && member.uncompressedSize >= package.context.settings.deflatableBody
            && LintedBody.type(of: resource)?.isCompressible == true
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        // Servers send many a compressed file as text; fonts and WebAssembly are binary, and worth compressing.
        let isText = body.type?.essence.hasPrefix("text/") ?? false
        guard !isText || !BodySignature.isBinary(body.bytes) && !BodySignature.hasBinaryData(body.bytes) else { return }
        let sentence = "the body isn't compressed, which makes the package larger"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
