internal import AFCPackageFormat
internal import AFCText

enum MissingRecordRule: ResourceRule {
    static let id = "sidecar.record-missing"
    static let severity = PackageProblem.Severity.info
    static let remedy: Remedy? = .repack
    static let summary = "an entry without a record in a package that has records"
    static let explanation = """
        Other entries have a record with status, header fields and digest, but this one has only its line in the \
        manifest. The entry was added by hand, or its record was lost. Rebuild the package, so that the body is \
        verified when it is loaded.
        """
    static let bad = LintExample.words("two entries and a record for one of them")
    static let good = LintExample.words("two entries and a record for each")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard package.hasRecords, package.index.isUnderstood, resource.entry != nil, resource.record == nil else {
            return
        }
        let sentence =
            "'\(PackageLayout.records)' has no line for this entry, so its body isn't verified, and it is served with few "
            + "header fields"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
