internal import AFCPackageFormat
internal import AFCURL

enum DoubleEncodedRule: EntryRule {
    static let id = "url.double-encoded"
    static let severity = PackageProblem.Severity.info
    static let summary = "a path that is percent-encoded twice"
    static let explanation = """
        '%2520' is an encoded '%20', which is itself an encoded space: the URL was percent-encoded twice. Pages link \
        to the URL that is encoded once, so the resource isn't found. Encode it once.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a%2520b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/100%25 ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .encoded

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let bytes = Array(entry.resource.path.utf8)
        for index in bytes.indices.dropLast(4) where bytes[index] == UInt8(ascii: "%") {
            let isPercent = bytes[index + 1] == UInt8(ascii: "2") && bytes[index + 2] == UInt8(ascii: "5")
            guard isPercent, PercentDecoding.byte(bytes[index + 3], bytes[index + 4]) != nil else { continue }
            let found = String(decoding: bytes[index..<index + 5], as: UTF8.self)
            findings.add(
                "the path contains '\(found)', so it is percent-encoded twice; write '%\(found.dropFirst(3))'",
                Self.self,
                of: entry,
                at: .url
            )
            return
        }
    }
}
