internal import AFCPackageFormat
internal import HTTPTypes

enum NoValidatorRule: ResourceRule {
    static let id = "date.no-validator"
    static let severity = PackageProblem.Severity.info
    static let summary = "a resource that can't be revalidated"
    static let explanation = """
        The resource has neither a last-modified date nor an ETag. To learn whether its copy is current, a cache must \
        download the resource again (RFC 9110 §8.8). Configure the origin to send one of the two. The rule is off by \
        default.
        """
    static let bad = LintExample.words("an entry with NULL for last-modified, whose record has no 'ETag'")
    static let good = LintExample.words("an entry with NULL for last-modified, whose record has an 'ETag'")
    static let isOn = false

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let entry = resource.entry, entry.lastModified == nil, let record = resource.record,
            record.fields[.eTag] == nil
        else { return }
        let sentence =
            "the resource has neither last-modified nor ETag, so it can't be revalidated without downloading it again"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
