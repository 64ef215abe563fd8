internal import AFCPackageFormat
internal import AFCText

enum WrongCountsRule: PackageRule {
    static let id = "sidecar.wrong-counts"
    static let severity = PackageProblem.Severity.warning
    static let remedy: Remedy? = .repack
    static let summary = "counts in `package.json` that don't match the package"
    static let explanation = """
        '.afcache/package.json' gives the number of resources and redirects, and the size of all bodies. The package \
        has different numbers, so entries, records or members were added or removed afterwards. Rebuild the package.
        """
    static let bad = LintExample.words("'resources' is 12, but the manifest has 11 entries")
    static let good = LintExample.words("'resources' is 12, and the manifest has 12 entries")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard let info = package.index.info, package.index.isLoadable else { return }
        let resources = package.index.resources
        let bytes = resources.reduce(Int64(0)) { $0 + ($1.record?.size ?? 0) }
        let facts: [(String, Int64?, Int64)] = [
            ("resources", info.resources, Int64(resources.count { $0.entry != nil })),
            ("redirects", info.redirects, Int64(resources.count { $0.entry == nil })),
            ("bodyBytes", package.hasRecords ? info.bodyBytes : nil, bytes),
        ]
        for (name, written, counted) in facts {
            guard let written, written != counted else { continue }
            let sentence = "'\(name)' is \(written), but the package has \(counted)"
            findings.add(sentence, Self.self, at: .member(PackageLayout.info))
        }
    }
}
