internal import AFCPackageFormat
internal import HTTPTypes

enum ContentEncodingRule: ResourceRule {
    static let id = "sidecar.content-encoding"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record with a content coding"
    static let explanation = """
        Bodies in a package are stored without a content coding; the record's 'coding' names the coding that was \
        removed. A remaining Content-Encoding field makes browsers decode a body that isn't encoded. Rebuild the \
        package.
        """
    static let bad = LintExample.words("a record with 'Content-Encoding: gzip'")
    static let good = LintExample.words("a record with 'Content-Encoding: identity'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let coding = resource.record?.fields[.contentEncoding],
            coding.lowercased() != "identity"
        else { return }
        let sentence =
            "the record says 'Content-Encoding: \(coding.prefix(40))', but bodies are stored without a coding; remove the field"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
