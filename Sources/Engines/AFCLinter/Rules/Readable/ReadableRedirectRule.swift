internal import AFCPackageFormat

enum ReadableRedirectRule: PackageRule {
    static let id = "readable.redirect"
    static let severity = PackageProblem.Severity.warning
    static let summary = "redirects, which an older AFCache doesn't support"
    static let explanation = """
        Redirects are in the sidecar, which AFCache 0.6 and 0.13 don't read, so links to a redirect fail there. Make \
        pages link to the final URLs, or ignore this rule. The rule is off by default; the setting 'readable-by' and \
        the presets 'afcache-0.6' and 'afcache-0.13' turn it on.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.13: a record of a redirect")
    static let good = LintExample.words("readable by 0.13: only records of entries")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard let reader = package.context.settings.readers.first else { return }
        let count = package.index.resources.count { $0.entry == nil }
        guard count > 0 else { return }
        let redirects = count == 1 ? "a redirect, which" : "\(count) redirects, which"
        let sentence = "the package has \(redirects) \(reader.name) doesn't support"
        findings.add(sentence, Self.self, at: .member(PackageLayout.records))
    }
}
