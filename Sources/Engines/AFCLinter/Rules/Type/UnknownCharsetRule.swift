internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

enum UnknownCharsetRule: EntryRule {
    static let id = "type.unknown-charset"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a charset that browsers don't know"
    static let explanation = """
        Browsers ignore a charset that isn't a label of the WHATWG Encoding Standard, and guess the encoding. For \
        example, 'utf8mb4' is a database's name for UTF-8 and means nothing to browsers. Write a label of the \
        standard, usually 'utf-8'.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain; charset=utf8mb4\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain; charset=utf8\n"
    )

    /// The charset of a type, if browsers don't know it.
    static func unknownCharset(of type: MediaType) -> String? {
        guard let charset = type.parameter("charset"), TextEncoding(label: charset) == nil else { return nil }
        return charset
    }

    static let features: EntryFeatures = .oddType

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let type = entry.type?.type, let charset = unknownCharset(of: type) else { return }
        findings.add(
            "browsers don't know the charset \(PrintableText.quoted(charset)); write 'utf-8'",
            Self.self,
            of: entry,
            at: .mediaType
        )
    }
}
