internal import PackageFile
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

/// A package, as rules see it.
struct LintedPackage: Sendable {
    /// The package.
    let reader: PackageReader
    /// What rules compare with.
    let context: LintContext

    /// What is in the package.
    var index: PackageIndex { reader.index }
    /// The archive's members.
    var members: [ZipMember] { reader.archive.members }

    /// The member with a resource's body, or nil.
    func member(of resource: PackageIndex.Resource) -> ZipMember? { resource.member.map { members[$0] } }

    /// Where a finding about a resource belongs: its line, or its record's member, or the package.
    func place(of resource: PackageIndex.Resource) -> PackageProblem.Place {
        resource.line > 0 ? .manifest(line: resource.line, column: 1) : .package
    }
}
