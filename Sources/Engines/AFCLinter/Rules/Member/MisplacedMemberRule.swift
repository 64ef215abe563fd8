internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip

enum MisplacedMemberRule: PackageRule {
    static let id = "member.wrong-place"
    static let severity = PackageProblem.Severity.info
    static let remedy: Remedy? = .repack
    static let summary = "a body outside the folder of its host"
    static let explanation = """
        The fifth field can name any member, and the package loads. But when it is unpacked, the page of one host ends \
        up in the folder of another, and older AFCache versions look only in 'hostname/path'. Rebuild the package. A \
        shared member is not reported if it is in the right place for one of its entries.
        """
    static let bad = LintExample.words("an entry for 'http://d.example/a' that names 'e.example/a'")
    static let good = LintExample.words("an entry for 'http://d.example/a/' that names 'd.example/a/~index'")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        let resources = package.index.resources
        guard resources.contains(where: { $0.entry?.member != nil }) else { return }
        var naming = MemberNaming()
        for resource in resources where resource.entry != nil { naming.note(resource.url) }
        // By member, the first entry that wouldn't put it there; removed once an entry is found that would.
        var suspects: [Int: Int] = [:]
        var cleared: Set<Int> = []
        for (number, resource) in resources.enumerated() {
            guard resource.entry != nil else { continue }
            let name = naming.name(for: resource.url).member
            guard let index = resource.member, !cleared.contains(index) else { continue }
            let candidates = [name] + MemberRule.candidates(text: resource.url.description, url: resource.url)
            if resource.entry?.member == nil || candidates.contains(package.members[index].name) {
                cleared.insert(index)
                suspects[index] = nil
            } else if suspects[index] == nil {
                suspects[index] = number
            }
        }
        for (index, number) in suspects.sorted(by: { $0.value < $1.value }) {
            let member = package.members[index].name
            // AFCache's 0.13 packager and afcache use numbered or hashed names inside the host's folder.
            guard let host = resources[number].url.host, !member.hasPrefix(host), !member.hasPrefix("~") else {
                continue
            }
            let sentence = "the body is in \(PrintableText.quoted(member)), which is outside the folder of its host"
            findings.add(sentence, Self.self, of: resources[number], in: package)
        }
    }
}
