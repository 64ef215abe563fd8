#if InternationalDomains
internal import CLibidn2
#endif

/// The rule for the place of zero-width joiners (RFC 5892 appendices A.1 and A.2).
enum JoinerRule {
    private static let nonJoiner: Unicode.Scalar = "\u{200C}"
    private static let joiner: Unicode.Scalar = "\u{200D}"
    /// The combining class of viramas.
    private static let virama = 9

    /// Returns true if each joiner follows a virama, and each non-joiner follows one or is between letters that would
    /// join.
    static func permits(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        for index in label.indices where label[index] == joiner || label[index] == nonJoiner {
            guard index > label.startIndex else { return false }
            if label[index - 1].properties.canonicalCombiningClass.rawValue == virama { continue }
            guard label[index] == nonJoiner, isBetweenJoiningLetters(label, index) else { return false }
        }
        return true
    }

    /// Asks libidn2, which knows the joining types, about the two letters, the joiner, and the marks between them.
    private static func isBetweenJoiningLetters(_ label: ArraySlice<Unicode.Scalar>, _ index: Int) -> Bool {
        #if InternationalDomains
        guard let first = label[..<index].lastIndex(where: { !$0.isMark }),
            let last = label[(index + 1)...].firstIndex(where: { !$0.isMark })
        else { return false }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: label[first...last])
        let input = Array(String(text).utf8) + [0]
        var output: UnsafeMutablePointer<UInt8>?
        defer { idn2_free(output) }
        return idn2_lookup_u8(input, &output, Int32(IDN2_NONTRANSITIONAL.rawValue)) == IDN2_OK.rawValue
        #else
        return false
        #endif
    }
}
