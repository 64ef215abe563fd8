internal import HTTPCaching
internal import PackageFormat

enum ExpiredRule: LintRule {
    static let id = "date.expired"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry that has expired already"

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard let expires = resource.entry?.expires, expires <= context.now else { return [] }
        return ["the entry expired on \(HTTPDate.format(expires)); it is served as stale"]
    }
}
