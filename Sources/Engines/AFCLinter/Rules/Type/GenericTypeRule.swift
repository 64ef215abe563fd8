internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

enum GenericTypeRule: EntryRule {
    static let id = "type.generic"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a page, style sheet or script whose type means 'unknown data'"
    static let explanation = """
        Browsers offer a page of type 'application/octet-stream' as a download and reject a style sheet of that type. \
        Servers send such a type for suffixes they don't know. Write the correct type in the fourth field.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a.css ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; application/octet-stream\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a.bin ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; application/octet-stream\n"
    )

    private static let generic: Set<String> = [
        "application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown",
        "application/x-octet-stream", "application/force-download",
    ]

    /// Returns true if a type means unknown data.
    static func isGeneric(_ essence: String) -> Bool { generic.contains(essence) }

    static let features: EntryFeatures = .otherSuffix

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let essence = entry.type?.type.essence, isGeneric(essence),
            let expected = MediaType(suffixOf: entry.resource.path), let kind = LintedType.kind(of: expected.essence),
            kind != .image && kind != .font
        else { return }
        findings.add(
            "the suffix is for \(kind.rawValue)s, but the type '\(essence)' means unknown data; write '\(expected.essence)'",
            Self.self,
            of: entry,
            at: .mediaType
        )
    }
}
