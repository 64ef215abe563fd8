internal import AFCPackageFormat
internal import AFCZip

enum RepeatedBodyRule: PackageRule {
    static let id = "member.repeated-body"
    static let severity = PackageProblem.Severity.info
    static let summary = "a body that is in the package more than once"
    static let explanation = """
        Several URLs often have the same body. Their entries can share one member through the fifth field, as \
        afcache's packager does. Rebuild the package to make it smaller. Bodies under 1,024 bytes, and packages \
        without a fifth field, are not checked.
        """
    static let bad = LintExample.words("two members with the same 9,000 bytes, each named by a line of five fields")
    static let good = LintExample.words("one member with 9,000 bytes that two entries name")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        var seen: Set<[UInt8]> = []
        var (count, bytes, first) = (0, Int64(0), "")
        for (index, member) in package.members.enumerated()
        where member.uncompressedSize >= PackageLayout.sharedBodySize {
            guard let digest = package.digests[index], !seen.insert(digest).inserted else { continue }
            if count == 0 { first = member.name }
            count += 1
            bytes += member.compressedSize
        }
        guard count > 0, package.index.resources.contains(where: { $0.entry?.member != nil }) else { return }
        let subject = count == 1 ? "this body is" : "\(count) bodies, this one first, are"
        let sentence =
            "\(subject) already in the package under another name; storing each once would save \(bytes) bytes"
        findings.add(sentence, Self.self, at: .member(first))
    }
}
