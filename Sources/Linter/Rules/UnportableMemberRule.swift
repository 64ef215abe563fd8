internal import PackageFile
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

enum UnportableMemberRule: LintRule {
    static let id = "member.not-portable"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a name that Windows can't hold as a file"

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard let package = context.package, let index = resource.member else { return [] }
        let name = package.archive.members[index].name
        guard !MemberNaming.isPortable(name) else { return [] }
        return [
            "the name \(PackageProblem.quoted(name)) can't be a file on Windows; make the package with 'afcache pack'"
        ]
    }
}
