internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum UnportableMemberRule: ResourceRule {
    static let id = "member.not-portable"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a name that Windows can't hold as a file"
    static let explanation = """
        Windows refuses some characters and names such as 'con' or 'a.', so the package can't be unpacked there with the usual \
        programs; loading doesn't mind. The packager writes such names portably, with the fifth field in the manifest.
        """
    static let bad = LintExample.words("a member 'd.example/a?b'")
    static let good = LintExample.words("a member 'd.example/a b'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let name = package.member(of: resource)?.name, !MemberNaming.isPortable(name) else { return }
        let sentence =
            "the name \(PrintableText.quoted(name)) can't be a file on Windows; rebuild the package"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
