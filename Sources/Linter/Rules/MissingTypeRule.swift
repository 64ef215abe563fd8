internal import PackageFormat

enum MissingTypeRule: LintRule {
    static let id = "type.missing"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry without a media type"

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard let entry = resource.entry, entry.mediaType == nil else { return [] }
        guard resource.record == nil else {
            return ["the entry has no media type; it is served without one, and browsers guess it from the body"]
        }
        return ["the entry has no media type; it is served as application/octet-stream, which browsers download"]
    }
}
