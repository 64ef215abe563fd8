internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip

enum DeflatedInVainRule: ResourceRule {
    static let id = "member.deflated-in-vain"
    static let severity = PackageProblem.Severity.info
    static let summary = "a body that deflating has made larger"
    static let explanation = """
        What is compressed already, an image or an archive, doesn't become smaller by deflating, and yet has to be \
        inflated whenever it is read. The packager stores such bodies as they are.
        """
    static let bad = LintExample.words("a JPEG of 40,000 bytes, deflated to 40,012")
    static let good = LintExample.words("a JPEG of 40,000 bytes, stored")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.method == .deflated, member.encryption == nil,
            member.uncompressedSize >= 1_024, member.compressedSize >= member.uncompressedSize,
            let type = LintedBody.type(of: resource), !type.isCompressible, type.essence != "application/octet-stream"
        else { return }
        let sentence = "deflating has made the body larger; store it as it is"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
