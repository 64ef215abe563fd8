internal import CLibidn2

/// The standard's "domain to ASCII": UTS 46, not transitional, by libidn2.
///
/// See https://url.spec.whatwg.org/#idna. libidn2 adds the rules of DNS and of IDNA 2008 (label lengths, hyphens, no
/// symbols), which the URL Standard leaves out; ``SymbolLabel`` encodes the labels that it refuses for these reasons.
enum DomainToASCII {
    /// Converts a percent-decoded domain.
    ///
    /// - Throws: ``WebURL/ParseError/invalidDomain`` where UTS 46 doesn't map it.
    static func convert(_ domain: [UInt8]) throws(WebURL.ParseError) -> [UInt8] {
        if domain.allSatisfy({ $0 < 0x80 }) {
            return domain.map { isLetter($0) ? $0 | 0x20 : $0 }
        }
        guard let text = String(validating: domain, as: UTF8.self) else { throw .invalidDomain }
        var labels: [[UInt8]] = []
        for label in mapped(text).split(separator: ".", omittingEmptySubsequences: false) {
            labels.append(try ascii(label: String(label)))
        }
        return Array(labels.joined(separator: [UInt8(ascii: ".")]))
    }

    /// UTS 46 knows three more dots, drops some characters, and maps some that libidn2 2.3.3 (Unicode 11) doesn't yet.
    private static func mapped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x3002, 0xFF0E, 0xFF61: result.append(".")
            case 0x00AD, 0x034F, 0x180B...0x180F, 0x200B, 0x2060, 0x2064, 0x206A...0x206F, 0xFE00...0xFE0F, 0xFEFF:
                continue
            case 0x04C0: result.append("\u{4CF}")
            case 0x1E9E: result.append("\u{DF}")
            case 0x2183: result.append("\u{2184}")
            case 0x2F868: result.append("\u{36FC}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// One label at a time, since libidn2 refuses names that are too long for DNS.
    private static func ascii(label: String) throws(WebURL.ParseError) -> [UInt8] {
        let bytes = Array(label.utf8)
        let lower = bytes.map { isLetter($0) ? $0 | 0x20 : $0 }
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        if isASCII, !lower.starts(with: Array("xn--".utf8)) { return lower }
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue | IDN2_ALABEL_ROUNDTRIP.rawValue)
        var output: UnsafeMutablePointer<UInt8>?
        let status = (bytes + [0]).withUnsafeBufferPointer { idn2_lookup_u8($0.baseAddress, &output, flags) }
        defer { idn2_free(output) }
        if status == IDN2_OK.rawValue, let output {
            var result: [UInt8] = []
            var index = 0
            while output[index] != 0 {
                result.append(isLetter(output[index]) ? output[index] | 0x20 : output[index])
                index += 1
            }
            return result
        }
        let isRuleOfOthers = [
            IDN2_DISALLOWED, IDN2_HYPHEN_STARTEND, IDN2_2HYPHEN, IDN2_TOO_BIG_LABEL, IDN2_TOO_BIG_DOMAIN,
        ]
        .contains { $0.rawValue == status }
        guard isRuleOfOthers, let encoded = SymbolLabel.encode(label) else { throw .invalidDomain }
        return encoded
    }
}
