internal import AFCPackageFormat

enum ReadableRedirectRule: PackageRule {
    static let id = "readable.redirect"
    static let severity = PackageProblem.Severity.warning
    static let summary = "redirects, which an older AFCache doesn't see"
    static let explanation = """
        Redirects are records of the sidecar and have no line in the manifest, so that AFCache 0.6 and 0.13 don't \
        take them for entries without a body. Links to such a redirect lead nowhere in these versions. The rule is \
        on where readability by old versions is asked for, and with the presets 'afcache-0.6' and 'afcache-0.13'. \
        Link to the final URLs where that matters, or switch the rule off.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.13: a record of a redirect")
    static let good = LintExample.words("readable by 0.13: records of entries only")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard let reader = package.context.settings.readers.first else { return }
        let count = package.index.resources.count { $0.entry == nil }
        guard count > 0 else { return }
        let redirects = count == 1 ? "a redirect, which" : "\(count) redirects, which"
        let sentence = "the package has \(redirects) \(reader.name) doesn't see"
        findings.add(sentence, Self.self, at: .member(PackageLayout.records))
    }
}
