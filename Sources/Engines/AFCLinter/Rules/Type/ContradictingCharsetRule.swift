internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat

enum ContradictingCharsetRule: BodyRule {
    static let id = "type.charset-contradicts"
    static let severity = PackageProblem.Severity.warning
    static let summary = "text that is declared as UTF-8 but isn't valid UTF-8"
    static let explanation = """
        The media type, or the page's 'meta' element, says UTF-8, but the body contains bytes that are not valid \
        UTF-8. Browsers show a replacement character (U+FFFD) for each. Usually the text is in windows-1252. Correct \
        the charset, or convert the text.
        """
    static let bad = LintExample.words("a 'text/plain; charset=utf-8' with the byte E4 alone")
    static let good = LintExample.words("a 'text/plain; charset=utf-8' with the bytes C3 A4")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        guard let type = LintedBody.type(of: resource) else { return false }
        return type.essence == "text/html" || type.parameter("charset") != nil
    }

    private static func isDeclared(_ type: MediaType, _ bytes: [UInt8]) -> Bool {
        if let charset = type.parameter("charset") { return TextEncoding(label: charset) == .utf8 }
        return bytes.withUnsafeBufferPointer {
            let guess = TextDecoding.htmlEncoding(of: $0, charset: nil)
            return guess.isCertain && guess.encoding == .utf8
        }
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard body.isWhole, let type = body.type, isDeclared(type, body.bytes),
            body.bytes.contains(where: { $0 >= 0x80 })
        else { return }
        guard !BodySignature.isBinary(body.bytes), !BodySignature.hasBinaryData(body.bytes) else { return }
        let isValid = body.bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        guard !isValid else { return }
        let sentence = "the text is declared as UTF-8 but isn't valid UTF-8; correct the charset or convert the text"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
