internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

enum StoredCookieRule: ResourceRule {
    static let id = "sidecar.set-cookie"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record with a cookie or credentials"
    static let explanation = """
        Everyone who has the package can read its records. A cookie or password in one lets them act as the user the \
        page was fetched for. End that session, and rebuild the package without it.
        """
    static let bad = LintExample.words("a record with the field 'Set-Cookie'")
    static let good = LintExample.words("a record with the field 'Cache-Control'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let record = resource.record else { return }
        let names = (Array(record.fields) + Array(record.requestFields)).map(\.name)
        for name in names where FieldPolicy.traits(of: name).contains(.secret) {
            let name = name.canonicalName
            let sentence =
                "the record has the field \(name), which everyone with the package can read; rebuild the package without it"
            findings.add(sentence, Self.self, of: resource, in: package)
        }
    }
}
