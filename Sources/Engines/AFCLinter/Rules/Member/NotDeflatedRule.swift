internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip

enum NotDeflatedRule: ResourceRule {
    static let id = "member.not-deflated"
    static let severity = PackageProblem.Severity.info
    static let summary = "uncompressed text"
    static let explanation = """
        Deflate compresses text to between a third and a fifth of its size, and inflating it is cheap. afcache's \
        packager deflates all text. Rebuild the package.
        """
    static let bad = LintExample.words("a page of 40,000 bytes, stored")
    static let good = LintExample.words("a JPEG of 40,000 bytes, stored")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.method == .stored,
            member.uncompressedSize >= package.context.settings.deflatableBody,
            LintedBody.type(of: resource)?.isCompressible == true
        else { return }
        let sentence = "the body is text and isn't compressed; rebuild the package to make it smaller"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
