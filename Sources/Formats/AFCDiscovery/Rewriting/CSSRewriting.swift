/// Replaces the addresses in CSS.
enum CSSRewriting {
    /// Returns the edits of a style sheet, or of declarations.
    static func edits(
        in text: ScanBuffer,
        _ range: Range<Int>,
        _ form: CSSReferences.Form,
        precedesBase: Bool,
        _ addresses: inout AddressRewriting
    ) -> [Edit] {
        var edits: [Edit] = []
        CSSReferences.forEach(in: text, range, form) { found in
            var reference = Reference(
                found.address,
                .requisite,
                found.loads,
                attribute: found.notation.rawValue,
                at: found.start
            )
            reference.resolution = form == .styleSheet ? found.notation.resolution : .utf8Address
            reference.precedesBase = precedesBase
            if let address = addresses.replacement(of: reference) {
                edits.append(Edit(range: found.range, text: escaped(address, in: text, found.range)))
            }
            return true
        }
        return edits
    }

    /// Escapes an address for the string or the `url()` that has it (CSS Syntax §4.3.5, §4.3.6).
    private static func escaped(_ address: String, in text: ScanBuffer, _ range: Range<Int>) -> [UInt8] {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0
        let isString = before == UInt8(ascii: "\"") || before == UInt8(ascii: "'")
        let special = isString ? [before, UInt8(ascii: "\\")] : Array("\"'()\\".utf8)
        return address.utf8.flatMap { special.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
}
