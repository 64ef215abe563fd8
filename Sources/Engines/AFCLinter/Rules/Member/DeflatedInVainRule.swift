internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum DeflatedInVainRule: ResourceRule {
    static let id = "member.deflated-in-vain"
    static let severity = PackageProblem.Severity.info
    static let remedy: Remedy? = .repack
    static let summary = "a body that compression made larger"
    static let explanation = """
        Deflate makes images, archives and other compressed data no smaller, but they must be inflated each time they \
        are read. Store such bodies without compression, as afcache's packager does.
        """
    static let bad = LintExample.words("a JPEG of 40,000 bytes, deflated to 40,012")
    static let good = LintExample.words("a JPEG of 40,000 bytes, stored")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.method == .deflated, member.encryption == nil,
            member.uncompressedSize >= 1_024, member.compressedSize >= member.uncompressedSize,
            let type = LintedBody.type(of: resource), !type.isCompressible, type.essence != "application/octet-stream"
        else { return }
        let sentence = "compression made the body larger"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
