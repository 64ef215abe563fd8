/// Replaces the addresses in CSS.
enum CSSRewriting {
    /// Returns the edits of a style sheet.
    static func edits(in text: ScanBuffer, _ addresses: inout AddressRewriting) -> [Edit] {
        var edits: [Edit] = []
        CSSReferences.forEach(in: text, 0..<text.count) { found in
            let name = found.notation.rawValue
            var reference = Reference(found.address, .requisite, found.loads, attribute: name, at: found.start)
            reference.resolution = found.notation.resolution
            if let address = addresses.replacement(of: reference) {
                edits.append(Edit(range: found.range, text: escaped(address, in: text, found.range)))
            }
            return true
        }
        return edits
    }

    /// Escapes an address for the string or the `url()` that has it (CSS Syntax §4.3.5, §4.3.6).
    static func escaped(_ address: String, in text: ScanBuffer, _ range: Range<Int>) -> [UInt8] {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0
        let isString = before == UInt8(ascii: "\"") || before == UInt8(ascii: "'")
        let special = isString ? [before, UInt8(ascii: "\\")] : Array("\"'()\\".utf8)
        return address.utf8.flatMap { special.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
}
