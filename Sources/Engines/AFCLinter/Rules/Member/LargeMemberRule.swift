internal import AFCPackageFormat
internal import AFCZip

enum LargeMemberRule: ResourceRule {
    static let id = "member.large"
    static let severity = PackageProblem.Severity.info
    static let summary = "a body of more than 32 MiB"
    static let explanation = """
        One large body may be most of a package, and all of it is downloaded by everybody. Often a film, an archive or \
        an image of a disk came along with the pages that link to it. Leave it out if it isn't \
        wanted. The setting 'large-body' is the number of bytes.
        """
    static let bad = LintExample.words("a member of 33 MiB")
    static let good = LintExample.words("a member of 32 MiB")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.uncompressedSize > package.context.settings.largeBody
        else { return }
        let sentence = "the body has \(member.uncompressedSize) bytes; leave it out if it isn't wanted"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
