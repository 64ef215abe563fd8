internal import HTTPCaching
internal import PackageFormat
internal import URLStandard

enum ContradictingSuffixRule: LintRule {
    static let id = "type.contradicts-suffix"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a style sheet, script or image that is typed as a page, or the other way round"

    /// What browsers treat differently; within one of these, types may differ.
    private static func kind(_ type: MediaType) -> String? {
        switch type.essence {
        case "text/html", "application/xhtml+xml": "page"
        case "text/css": "style sheet"
        case "text/javascript", "application/javascript", "application/x-javascript": "script"
        case let essence where essence.hasPrefix("image/"): "image"
        case let essence where essence.hasPrefix("font/"): "font"
        default: nil
        }
    }

    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String] {
        guard let entry = resource.entry, let text = entry.mediaType, let written = MediaType(text),
            let expected = MediaType(suffixOf: entry.url.path), let one = kind(written), let other = kind(expected),
            one != other
        else { return [] }
        return ["the type \(written.essence) says \(one), the suffix says \(other)"]
    }
}
