internal import HTTPTypes
internal import PackageFormat

enum StoredCookieRule: LintRule {
    static let id = "sidecar.set-cookie"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record with Set-Cookie or with credentials"

    private static let secrets: Set<String> = [
        "set-cookie", "set-cookie2", "authorization", "cookie", "proxy-authorization",
    ]

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard let record = resource.record else { return [] }
        let names = Array(record.fields) + Array(record.requestFields)
        return names.map(\.name.canonicalName).filter { secrets.contains($0) }
            .map { "the record has the field \($0), which everybody with the package can read; make it anew" }
    }
}
