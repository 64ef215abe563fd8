internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum FolderMembersRule: PackageRule {
    static let id = "package.folder-members"
    static let severity = PackageProblem.Severity.info
    static let remedy: Remedy? = .repack
    static let summary = "members that are folders"
    static let explanation = """
        A package doesn't need members for folders, because unpacking creates them as needed. Each takes about a \
        hundred bytes and is never served. Rebuild the package to remove them.
        """
    static let bad = LintExample.words("a member 'd.example/'")
    static let good = LintExample.words("a member 'd.example/a'")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        let folders = package.members.filter(\.isDirectory)
        guard package.hasSidecar, let first = folders.first else { return }
        let number = folders.count == 1 ? "a member is a folder" : "\(folders.count) members are folders"
        findings.add("\(number), which a package doesn't need", Self.self, at: .member(first.name))
    }
}
