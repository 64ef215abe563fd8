internal import HTTPCaching
internal import PackageFormat

enum FutureLastModifiedRule: LintRule {
    static let id = "date.last-modified-in-future"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a last-modified date that is yet to come"

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard let date = resource.entry?.lastModified, date > context.now else { return [] }
        return ["last-modified is yet to come: \(HTTPDate.format(date)); check the clock of whoever wrote it"]
    }
}
