internal import PackageFormat
internal import URLStandard

enum PrivateHostRule: LintRule {
    static let id = "url.private-host"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL whose host is this machine or a private network"

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard resource.url.hostIsLoopbackOrPrivate, resource.url.isHTTP else { return [] }
        return ["the host \(resource.url.host ?? "") is private: elsewhere the URL means something else"]
    }
}
