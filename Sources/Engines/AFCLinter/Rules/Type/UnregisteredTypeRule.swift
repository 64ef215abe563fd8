internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

enum UnregisteredTypeRule: EntryRule {
    static let id = "type.unregistered"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a media type with an unknown top-level type"
    static let explanation = """
        The part before the slash must be one of the registered names, such as 'text' or 'image' (RFC 6838), or begin \
        with 'x-'. Browsers treat other types as unknown and download the body. It is usually a typo; write the \
        intended type.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; txt/html\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; x-world/x-vrml\n"
    )

    static let features: EntryFeatures = .oddType

    /// The top-level types of https://www.iana.org/assignments/media-types, and `chemical`.
    private static let kinds = [
        "application", "audio", "chemical", "example", "font", "haptics", "image", "message", "model", "multipart",
        "text", "video",
    ]

    /// Returns true if the part before the slash is known.
    static func isKnown(_ essence: String) -> Bool {
        let kind = essence.prefix { $0 != "/" }
        return kind.hasPrefix("x-") || kinds.contains { $0 == kind }
    }

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let essence = entry.type?.type.essence, !isKnown(essence) else { return }
        let kind = String(essence.prefix { $0 != "/" })
        let near = NearestName.nearest(to: kind, among: kinds).map { $0 + essence.dropFirst(kind.count) }
        let hint = near.map { "; write \(PrintableText.quoted($0))" } ?? ""
        findings.add(
            "\(PrintableText.quoted(essence)) is not a known media type\(hint)",
            Self.self,
            of: entry,
            at: .mediaType
        )
    }
}
