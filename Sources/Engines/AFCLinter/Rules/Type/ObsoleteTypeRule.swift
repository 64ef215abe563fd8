internal import AFCHTTP
internal import AFCPackageFormat

enum ObsoleteTypeRule: EntryRule {
    static let id = "type.obsolete"
    static let severity = PackageProblem.Severity.info
    static let summary = "an obsolete or unregistered media type"
    static let explanation = """
        Types such as 'image/jpg' and 'application/x-javascript' come from old server configurations. Browsers accept \
        the most common ones, but other programs don't. Write the registered type that the finding names.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a.jpg ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; image/jpg\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a.jpg ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; image/jpeg\n"
    )

    private static let replacements = [
        "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png",
        "image/svg": "image/svg+xml",
        "image/x-webp": "image/webp", "application/x-javascript": "text/javascript",
        "text/x-javascript": "text/javascript",
        "text/js": "text/javascript", "application/js": "text/javascript", "text/x-json": "application/json",
        "text/json": "application/json", "application/x-json": "application/json",
        "application/x-font-woff": "font/woff",
        "application/font-woff": "font/woff", "application/font-woff2": "font/woff2",
        "application/x-font-woff2": "font/woff2", "font/x-woff": "font/woff", "application/x-font-ttf": "font/ttf",
        "application/x-font-truetype": "font/ttf", "application/x-font-otf": "font/otf",
        "application/x-font-opentype": "font/otf", "application/x-pdf": "application/pdf",
        "text/xsl": "application/xslt+xml",
        "audio/mp3": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "video/x-m4v": "video/mp4",
    ]

    /// Returns the registered type that replaces a type, or nil.
    static func replacement(of essence: String) -> String? { replacements[essence] }

    static let features: EntryFeatures = .oddType

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let essence = entry.type?.type.essence, let normal = replacement(of: essence) else { return }
        findings.add(
            "the type '\(essence)' isn't registered; write '\(normal)'",
            Self.self,
            of: entry,
            at: .mediaType
        )
    }
}
