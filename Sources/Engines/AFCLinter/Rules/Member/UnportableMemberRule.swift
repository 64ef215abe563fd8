internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum UnportableMemberRule: ResourceRule {
    static let id = "member.not-portable"
    static let severity = PackageProblem.Severity.warning
    static let remedy: Remedy? = .repack
    static let summary = "a member name that is invalid on Windows"
    static let explanation = """
        Windows forbids some characters in file names, and names such as 'con' or 'a.', so common programs can't \
        unpack the package there. Loading it works. Rebuild the package with afcache, which writes a portable name and \
        puts it into the fifth field.
        """
    static let bad = LintExample.words("a member 'd.example/a?b'")
    static let good = LintExample.words("a member 'd.example/a b'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let name = package.member(of: resource)?.name, !MemberNaming.isPortable(name) else { return }
        let sentence =
            "the name \(PrintableText.quoted(name)) is invalid on Windows"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
