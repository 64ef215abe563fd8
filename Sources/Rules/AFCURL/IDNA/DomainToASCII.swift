/// The URL Standard's "domain to ASCII" for names with characters beyond ASCII: nontransitional UTS 46.
///
/// CheckBidi and CheckJoiners are on; CheckHyphens, VerifyDnsLength and UseSTD3ASCIIRules are off.
/// See https://url.spec.whatwg.org/#concept-domain-to-ascii and https://www.unicode.org/reports/tr46/#Processing.
enum DomainToASCII {
    /// The maximum length of a name: Punycode takes quadratic time in the length of a label, and no real name is near
    /// this limit.
    static let maximalLength = 4096

    /// Converts a percent-decoded domain.
    ///
    /// - Parameter domain: UTF-8, not all ASCII.
    /// - Returns: The domain in ASCII; empty if UTS 46 removes every character.
    /// - Throws: ``WebURL/ParseError/invalidDomain`` if UTS 46 doesn't map it, or ``WebURL/ParseError/tooLong``.
    static func convert(_ domain: [UInt8]) throws(WebURL.ParseError) -> [UInt8] {
        guard domain.count <= maximalLength else { throw .tooLong }
        guard let text = String(validating: domain, as: UTF8.self) else { throw .invalidDomain }
        let mapped = try IDNAMapping.map(text.unicodeScalars)
        var labels: [Label] = []
        for scalars in mapped.split(separator: ".", omittingEmptySubsequences: false) {
            labels.append(try Label(scalars))
        }
        if labels.contains(where: { BidiRule.isRightToLeft($0.scalars) }) {
            guard labels.allSatisfy({ BidiRule.permits($0.scalars) }) else { throw .invalidDomain }
        }
        return Array(labels.map(\.ascii).joined(separator: [UInt8(ascii: ".")]))
    }

    private struct Label {
        /// The label as displayed, with Punycode decoded.
        var scalars: ArraySlice<Unicode.Scalar>
        var ascii: [UInt8]

        /// Checks a mapped label by UTS 46 §4.1 and encodes it.
        init(_ mapped: ArraySlice<Unicode.Scalar>) throws(WebURL.ParseError) {
            let prefix = Array("xn--".utf8)
            if mapped.starts(with: "xn--".unicodeScalars) {
                guard mapped.allSatisfy(\.isASCII) else { throw .invalidDomain }
                ascii = mapped.map { UInt8(truncatingIfNeeded: $0.value) }
                guard let decoded = Punycode.decode(ascii.dropFirst(prefix.count)),
                    !decoded.allSatisfy(\.isASCII), !decoded.contains("."),
                    try IDNAMapping.map(decoded) == decoded
                else { throw .invalidDomain }
                scalars = decoded[...]
            } else if mapped.allSatisfy(\.isASCII) {
                scalars = mapped
                ascii = mapped.map { UInt8(truncatingIfNeeded: $0.value) }
                return
            } else {
                scalars = mapped
                guard let code = Punycode.encode(mapped) else { throw .invalidDomain }
                ascii = prefix + code
            }
            guard let first = scalars.first, !first.isMark, JoinerRule.permits(scalars) else { throw .invalidDomain }
        }
    }
}

extension Unicode.Scalar {
    /// True if it combines with the character before it (general category M).
    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
