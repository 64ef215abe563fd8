internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum ReadableBodyPlaceRule: ResourceRule {
    static let id = "readable.body-place"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a body that an older AFCache can't find"
    static let explanation = """
        AFCache 0.6 looks for a body only in 'hostname/path', exactly as in the URL; 0.13 uses the fifth field. A body \
        under another name, such as that of a URL with a query or a trailing slash, isn't found by 0.6. For 0.13, \
        write five fields. AFCache 0.6 can't read such a body at all. The rule is off by default; the setting \
        'readable-by' and the presets 'afcache-0.6' and 'afcache-0.13' turn it on.
        """
    static let isOn = false
    static let bad = LintExample.words(
        "readable by 0.6: an entry for 'http://d.example/a/' whose body is 'd.example/a/~index'"
    )
    static let good = LintExample.words(
        "readable by 0.6: an entry for 'http://d.example/a' whose body is 'd.example/a'"
    )

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let entry = resource.entry, let member = package.member(of: resource)?.name else { return }
        let expected = MemberRule.name(for: resource.url)
        guard member != expected else { return }
        for reader in package.context.settings.readers where reader == .afcache06 || entry.member == nil {
            let sentence =
                "the body is in \(PrintableText.quoted(member)), but \(reader.name) looks for it in "
                + PrintableText.quoted(expected)
            findings.add(sentence, Self.self, of: resource, in: package)
        }
    }
}
