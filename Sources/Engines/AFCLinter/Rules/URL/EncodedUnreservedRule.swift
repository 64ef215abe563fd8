internal import AFCPackageFormat
internal import AFCURL

enum EncodedUnreservedRule: EntryRule {
    static let id = "url.encoded-unreserved"
    static let severity = PackageProblem.Severity.info
    static let summary = "a letter, digit or one of -._~ that is percent-encoded needlessly"
    static let explanation = """
        '%7E' and '~' mean the same (RFC 3986 §6.2.2.2), and afcache finds either spelling. But many other programs \
        compare URLs as text and treat the two as different. Write the URL as the site's pages do.
        """
    static let bad = LintExample.manifest(
        "http://d.example/%7Euser ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/%20user ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .encoded

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let bytes = Array(entry.resource.requestTarget.utf8)
        for index in bytes.indices.dropLast(2) where bytes[index] == UInt8(ascii: "%") {
            guard let byte = PercentDecoding.byte(bytes[index + 1], bytes[index + 2]),
                PercentDecoding.isUnreserved(byte)
            else { continue }
            let written = String(decoding: bytes[index + 1...index + 2], as: UTF8.self)
            let character = Character(UnicodeScalar(byte))
            findings.add(
                "'%\(written)' is a needlessly encoded '\(character)', and some caches treat the two as different",
                Self.self,
                of: entry,
                at: .url
            )
            return
        }
    }
}
