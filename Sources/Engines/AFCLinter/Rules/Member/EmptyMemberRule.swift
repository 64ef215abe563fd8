internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip

enum EmptyMemberRule: ResourceRule {
    static let id = "member.empty"
    static let severity = PackageProblem.Severity.warning
    static let summary = "an empty page, image or font"
    static let explanation = """
        An empty page, image or font shows nothing. Usually a download was interrupted or a disk was full. Fetch the \
        resource again. Empty style sheets and scripts are not reported, because some sites have them.
        """
    static let bad = LintExample.words("a member of 0 bytes that is typed 'image/png'")
    static let good = LintExample.words("a member of 0 bytes that is typed 'text/css'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.uncompressedSize == 0,
            (resource.record?.status ?? 200) == 200,
            let kind = LintedBody.type(of: resource).flatMap({ LintedType.kind(of: $0.essence) }), kind != .script,
            kind != .styleSheet
        else { return }
        findings.add(
            "an empty body is not a valid \(kind.rawValue); fetch it again",
            Self.self,
            of: resource,
            in: package
        )
    }
}
