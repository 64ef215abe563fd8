internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat

enum MissingCharsetRule: BodyRule {
    static let id = "type.charset-missing"
    static let severity = PackageProblem.Severity.warning
    static let summary = "text outside ASCII without a declared encoding"
    static let explanation = """
        Without a charset in the type, a byte order mark or, in a page, a 'meta' element, browsers read text as \
        windows-1252 and show a UTF-8 'ä' as 'Ã¤'. Add the charset to the type: 'text/plain; charset=utf-8'. Style \
        sheets and scripts are not checked, because they inherit the encoding of their page.
        """
    static let bad = LintExample.words("a 'text/plain' with the bytes C3 A4")
    static let good = LintExample.words("a 'text/plain; charset=utf-8' with the bytes C3 A4")

    /// Types that browsers show as text and that don't declare an encoding themselves.
    private static let types: Set<String> = [
        "text/html", "text/plain", "text/csv", "text/tab-separated-values", "text/markdown",
    ]

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        LintedBody.type(of: resource).map { types.contains($0.essence) } ?? false
    }

    private static func hasByteOrderMark(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
    }

    private static func hasLateCharset(_ bytes: [UInt8]) -> Bool {
        let label = Array("charset=".utf8)
        return bytes.prefix(64 << 10).indices.contains { bytes[$0] == label[0] && bytes[$0...].starts(with: label) }
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard let type = body.type, type.parameter("charset") == nil, body.bytes.contains(where: { $0 >= 0x80 }) else {
            return
        }
        let isSaid = body.bytes.withUnsafeBufferPointer { TextDecoding.htmlEncoding(of: $0, charset: nil).isCertain }
        guard !isSaid || (type.essence != "text/html" && !hasByteOrderMark(body.bytes)) else { return }
        guard !BodySignature.isBinary(body.bytes), !BodySignature.hasBinaryData(body.bytes) else { return }
        // Browsers restart decoding when they find a meta element further down.
        if type.essence == "text/html", hasLateCharset(body.bytes) { return }
        let sentence =
            "the text has characters outside ASCII but declares no encoding; write '\(type.essence); charset=utf-8'"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
