internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

enum ConnectionFieldRule: ResourceRule {
    static let id = "sidecar.connection-field"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record with a header field that describes one connection"
    static let explanation = """
        Transfer-Encoding, Keep-Alive and similar fields (RFC 9110 §7.6.1) describe the connection over which the \
        response arrived. They must not be stored, because they would be wrong for any other connection. Remove the \
        field, or rebuild the package.
        """
    static let bad = LintExample.words("a record with 'Transfer-Encoding: chunked'")
    static let good = LintExample.words("a record with 'Accept-Ranges: bytes'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let record = resource.record else { return }
        let kept = Set(record.fields.withoutConnectionFields.map(\.name.canonicalName))
        guard let name = record.fields.map(\.name.canonicalName).first(where: { !kept.contains($0) }) else { return }
        let sentence = "the record has the field '\(name)', which describes one connection; remove it"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
