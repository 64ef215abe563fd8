internal import AFCCaching
internal import AFCPackageFormat

enum NoStoreRule: ResourceRule {
    static let id = "sidecar.no-store"
    static let severity = PackageProblem.Severity.info
    static let summary = "a response that asks not to be stored"
    static let explanation = """
        'Cache-Control: no-store' (RFC 9111 §5.2.2.5) asks caches not to store the response, except if \
        'must-understand' is present and the cache knows the status (§5.2.2.3). Packing ignores this request, but such \
        responses are often personal: an account, a shopping cart, a bank statement. Check the response before you \
        share the package.
        """
    static let bad = LintExample.words("a record with 'Cache-Control: no-store'")
    static let good = LintExample.words("a record with 'Cache-Control: no-cache'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let record = resource.record,
            CacheControl(record.fields).forbidsStoring(status: record.status)
        else { return }
        let sentence = "the origin asks caches not to store the response; check it before you share the package"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
