internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum ReadableBodyPlaceRule: ResourceRule {
    static let id = "readable.body-place"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a body that an older AFCache doesn't find"
    static let explanation = """
        AFCache 0.6 looks for a body in 'hostname/path' as the URL has it, and nowhere else; 0.13 looks where the \
        fifth field says. Bodies with other names, such as those of URLs with a query or a slash at the end, are \
        missing there. The rule is on where readability by old versions is asked for, and with the presets \
        'afcache-0.6' and 'afcache-0.13'. For 0.13 write five fields.
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
                "the body is in \(PrintableText.quoted(member)), and \(reader.name) looks for it in "
                + PrintableText.quoted(expected)
            findings.add(sentence, Self.self, at: package.place(of: resource))
        }
    }
}
