internal import AFCPackageFormat
internal import AFCZip

enum LargeMemberRule: ResourceRule {
    static let id = "member.large"
    static let severity = PackageProblem.Severity.info
    static let summary = "a body of more than 32 MiB"
    static let explanation = """
        A single large body can make up most of a package, and everyone who loads the package must download it. Often \
        it is a video, an archive or a disk image that a page links to. Exclude it if you don't need it. The setting \
        'large-body' changes the limit, in bytes.
        """
    static let bad = LintExample.words("a member of 33 MiB")
    static let good = LintExample.words("a member of 32 MiB")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.uncompressedSize > package.context.settings.largeBody
        else { return }
        let sentence = "the body has \(member.uncompressedSize) bytes; exclude it if you don't need it"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
