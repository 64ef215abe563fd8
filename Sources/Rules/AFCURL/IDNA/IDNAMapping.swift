#if InternationalDomains
internal import CLibidn2
#endif

/// UTS 46 mapping and normalization (NFC), done by libidn2.
///
/// libidn2 offers these only for whole names, together with rules that the URL Standard doesn't have: label lengths,
/// hyphens, and in nontransitional mode those of IDNA 2008, which excludes symbols. It is therefore called in
/// transitional mode, which doesn't apply the rules of IDNA 2008, for one base character and its marks at a time.
/// Ideographs before and after them keep hyphens and marks away from the ends. The four characters that transitional
/// mode would change are never passed to it, and neither are those in ``IDNAException``.
enum IDNAMapping {
    /// An ideograph that is never mapped and never combines.
    private static let guardian: Unicode.Scalar = "\u{4E00}"

    /// Returns the mapped and normalized text.
    ///
    /// - Throws: ``WebURL/ParseError/invalidDomain`` if it contains a character that UTS 46 disallows.
    static func map(_ text: some Sequence<Unicode.Scalar>) throws(WebURL.ParseError) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var cluster = Cluster()
        for scalar in text {
            for (scalar, isKept) in IDNAException.mapped(scalar) {
                if isKept {
                    try cluster.flush(into: &result)
                    cluster.base = scalar
                } else if isExtender(scalar) {
                    cluster.rest.append(scalar)
                } else {
                    try cluster.flush(into: &result)
                    if scalar == "." { result.append(scalar) } else { cluster.rest = [scalar] }
                }
            }
        }
        try cluster.flush(into: &result)
        return result
    }

    /// A character with the characters that may combine with it.
    private struct Cluster {
        /// The first character, if it maps to itself.
        var base: Unicode.Scalar?
        var rest: [Unicode.Scalar] = []

        mutating func flush(into result: inout [Unicode.Scalar]) throws(WebURL.ParseError) {
            if let base { result.append(base) }
            if rest.count == 1, let only = rest.first, only.isASCII {
                result.append(Unicode.Scalar(lowercased(UInt8(truncatingIfNeeded: only.value))))
            } else if !rest.isEmpty {
                result.append(contentsOf: try IDNAMapping.normalize(rest))
            }
            base = nil
            rest.removeAll()
        }
    }

    private static func normalize(_ cluster: [Unicode.Scalar]) throws(WebURL.ParseError) -> ArraySlice<Unicode.Scalar> {
        guard !cluster.contains("\0") else { throw .forbiddenHostCharacter }
        #if InternationalDomains
        var text = String.UnicodeScalarView([guardian])
        text.append(contentsOf: cluster)
        text.append(guardian)
        var input = Array(String(text).utf8)
        input.append(0)
        let flags = Int32(IDN2_TRANSITIONAL.rawValue | IDN2_NFC_INPUT.rawValue | IDN2_NO_ALABEL_ROUNDTRIP.rawValue)
        var output: UnsafeMutablePointer<UInt8>?
        defer { idn2_free(output) }
        guard idn2_lookup_u8(input, &output, flags) == IDN2_OK.rawValue, let output else { throw .invalidDomain }
        let code = String(cString: output).utf8
        guard code.starts(with: "xn--".utf8), let decoded = Punycode.decode(code.dropFirst(4)), decoded.count >= 2,
            decoded.first == guardian, decoded.last == guardian
        else { throw .invalidDomain }
        return decoded.dropFirst().dropLast()
        #else
        throw .unsupportedDomain
        #endif
    }

    /// Returns true if a character may combine with the previous one after mapping.
    ///
    /// These are marks, characters that are removed between marks, and the vowels and final consonants of Hangul.
    private static func isExtender(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        switch scalar.value {
        case 0x1160...0x11FF, 0xFF9E...0xFF9F: return true
        case 0x3133, 0x3135...0x3136, 0x313A...0x313F, 0x314F...0x318E: return true
        case 0xFFA0, 0xFFA3, 0xFFA5...0xFFA6, 0xFFAA...0xFFAF, 0xFFC2...0xFFDC: return true
        default: return scalar.isMark || scalar.properties.generalCategory == .format
        }
    }
}
