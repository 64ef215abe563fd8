internal import AFCPackageFormat
internal import AFCZip
internal import HTTPTypes

enum ContentLengthRule: ResourceRule {
    static let id = "sidecar.content-length"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record whose Content-Length differs from the body's size"
    static let explanation = """
        Content-Length says how many bytes the origin sent, but the body has another size, and the record names no \
        content coding that was removed. The body was cut off or changed. Fetch the resource again.
        """
    static let bad = LintExample.words("a record with 'Content-Length: 900' and a body of 512 bytes")
    static let good = LintExample.words("the same record with 'coding': 'gzip'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let record = resource.record, record.coding == nil,
            let length = record.fields[.contentLength].flatMap({ Int64($0) }),
            let member = package.member(of: resource),
            length != member.uncompressedSize
        else { return }
        let sentence = "Content-Length is \(length), but the body has \(member.uncompressedSize) bytes; fetch it again"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
