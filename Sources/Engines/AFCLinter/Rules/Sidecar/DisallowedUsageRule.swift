internal import AFCCaching
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum DisallowedUsageRule: PackageRule {
    static let id = "sidecar.disallowed-usage"
    static let severity = PackageProblem.Severity.info
    static let summary = "resources that their origins don't want to be used by AI"
    static let explanation = """
        An origin may say that its resources are not for the training of models, or not for their input: in robots.txt or \
        fields (Content-Usage, Content-Signal), or by the directives 'noai' and 'noimageai'. Packing records this. Check it \
        before you give the package to programs that use AI. There is one finding for a package.
        """
    static let bad = LintExample.words("a record with '\"robotsUsage\":\"ai-train=n\"'")
    static let good = LintExample.words("a record with '\"robotsUsage\":\"ai-train=y, search=n\"'")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        var names: Set<String> = []
        var (count, first): (Int, WebURL?) = (0, nil)
        for resource in package.index.resources {
            guard let usage = resource.record?.statedUsage.combined.known, !usage.isEmpty,
                usage.disallowsTraining || !usage.forbidsInput().isEmpty
            else { continue }
            count += 1
            first = first ?? resource.url
            names.formUnion(usage.disallowed)
        }
        guard let first else { return }
        let sentence =
            "origins disallow the use of \(Quantity.count(count, "resource")) by AI (\(names.sorted().joined(separator: ", "))), "
            + "for example '\(first)'"
        findings.add(sentence, Self.self, at: .member(PackageLayout.records))
    }
}
