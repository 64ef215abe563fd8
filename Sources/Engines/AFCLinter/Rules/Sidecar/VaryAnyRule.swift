internal import AFCPackageFormat
internal import HTTPTypes

enum VaryAnyRule: ResourceRule {
    static let id = "sidecar.vary-any"
    static let severity = PackageProblem.Severity.info
    static let summary = "a record with `Vary: *`"
    static let explanation = """
        With 'Vary: *', no later request matches the response (RFC 9110 §12.5.5), so a cache must ask the origin each \
        time. Offline the response is served anyway, and marked 'vary-ignored'; online it is never reused. If you can, \
        configure the origin to send a list of field names instead.
        """
    static let bad = LintExample.words("a record with the field 'Vary: *'")
    static let good = LintExample.words("a record with the field 'Vary: Accept-Language'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let record = resource.record else { return }
        let names = record.fields[values: .vary].flatMap { $0.split(separator: ",") }
        guard names.contains(where: { $0.filter { $0 != " " && $0 != "\t" } == "*" }) else { return }
        let sentence =
            "with 'Vary: *' no later request matches the response; offline it is served anyway"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
