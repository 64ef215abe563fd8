/// Parses a `Refresh` header field or `meta http-equiv=refresh`; HTML §4.2.5.3, the "shared declarative refresh steps".
public enum RefreshDirective {
    /// Returns the address in a directive such as `5; url='next.html'`, or nil if it has none or is invalid.
    ///
    /// A directive without an address reloads the document itself.
    public static func address(in directive: some StringProtocol) -> String? {
        let bytes = Array(directive.utf8)
        return place(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Returns the place of the address in a directive.
    static func place(in bytes: [UInt8]) -> Range<Int>? {
        var index = 0
        func at(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        func skipSpace() { while at(index).isSpace { index += 1 } }

        skipSpace()
        let time = index
        while at(index).isDigit { index += 1 }
        guard index > time || at(index) == UInt8(ascii: ".") else { return nil }
        while at(index).isDigit || at(index) == UInt8(ascii: ".") { index += 1 }
        guard index < bytes.count else { return nil }
        let isSeparator = at(index) == UInt8(ascii: ";") || at(index) == UInt8(ascii: ",")
        guard isSeparator || at(index).isSpace else { return nil }
        skipSpace()
        if at(index) == UInt8(ascii: ";") || at(index) == UInt8(ascii: ",") { index += 1 }
        skipSpace()
        guard index < bytes.count else { return nil }

        let name = (0..<3).map { at(index + $0).lowercased }
        if name == Array("url".utf8) {
            var equals = index + 3
            while at(equals).isSpace { equals += 1 }
            if at(equals) == UInt8(ascii: "=") {
                index = equals + 1
                skipSpace()
            }
        }
        var rest = bytes[index...]
        if let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            rest = rest.dropFirst().prefix { $0 != quote }
        }
        return rest.indices
    }
}
