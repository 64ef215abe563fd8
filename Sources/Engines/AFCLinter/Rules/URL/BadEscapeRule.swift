internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum BadEscapeRule: EntryRule {
    static let id = "url.bad-escape"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a percent sign without two hexadecimal digits"
    static let explanation = """
        A percent sign must be followed by two hexadecimal digits (RFC 3986 §2.1). Browsers request such a URL \
        unchanged, but many servers refuse it, and other programs interpret it differently. Write '%25' for the \
        percent sign itself.
        """
    static let bad = LintExample.manifest(
        "http://d.example/%zz ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/%25zz ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .encoded

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let bytes = Array(entry.resource.requestTarget.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            if index + 2 < bytes.count, PercentDecoding.byte(bytes[index + 1], bytes[index + 2]) != nil { continue }
            let found = String(decoding: bytes[index...].prefix(3), as: UTF8.self)
            findings.add(
                "\(PrintableText.quoted(found)) is not a valid escape; write '%25' for the percent sign",
                Self.self,
                of: entry,
                at: .url
            )
            return
        }
    }
}
