/// The URL Standard's host parser; see https://url.spec.whatwg.org/#host-parsing.
enum HostParser {
    /// Parses a host and writes it in serialized form.
    ///
    /// - Parameters:
    ///   - input: The text between `//` and port or path, not empty for special schemes.
    ///   - isSpecial: Whether the scheme is special, so that the host is a domain or an address.
    ///   - output: The buffer to which the host is appended.
    /// - Throws: The failures that the standard defines.
    static func append(
        _ input: ArraySlice<UInt8>,
        isSpecial: Bool,
        to output: inout [UInt8]
    ) throws(WebURL.ParseError) {
        if input.first == UInt8(ascii: "[") {
            guard input.last == UInt8(ascii: "]") else { throw .unclosedIPv6 }
            guard let address = IPv6Address(input.dropFirst().dropLast()) else { throw .invalidIPv6 }
            output.append(contentsOf: address.serialized.utf8)
            return
        }
        guard isSpecial else {
            guard !input.contains(where: forbidden.contains) else { throw .forbiddenHostCharacter }
            PercentEncodeSet.c0Control.append(input, to: &output)
            return
        }
        let start = output.count
        try appendDomain(input, to: &output)
        guard IPv4Address.endsInNumber(output[start...]) else { return }
        let address = try IPv4Address(parsing: output[start...])
        output.removeSubrange(start...)
        output.append(contentsOf: address.serialized.utf8)
    }

    private static func appendDomain(_ input: ArraySlice<UInt8>, to output: inout [UInt8]) throws(WebURL.ParseError) {
        let isPlain = input.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") }
        let domain = try isPlain ? input : convertedDomain(input)
        for byte in domain {
            guard !forbiddenInDomain.contains(byte) else { throw .forbiddenHostCharacter }
            output.append(lowercased(byte))
        }
    }

    private static func convertedDomain(_ input: ArraySlice<UInt8>) throws(WebURL.ParseError) -> ArraySlice<UInt8> {
        let decoded = PercentDecoding.decode(input)
        // For ASCII names the standard requires only lower case, not even valid Punycode.
        if decoded.allSatisfy({ $0 < 0x80 }) { return decoded[...] }
        let domain = try DomainToASCII.convert(decoded)
        guard !domain.isEmpty else { throw .emptyDomain }
        return domain[...]
    }

    /// U+0000, tab, line ends, space, and `# / : < > ? @ [ \ ] ^ |`.
    private static let forbidden = ASCIISet(low: 0xD400_8009_0000_2601, high: 0x1000_0000_7800_0001)
    /// The same with all C0 controls, `%` and DEL.
    private static let forbiddenInDomain = ASCIISet(low: 0xD400_8029_FFFF_FFFF, high: 0x9000_0000_7800_0001)
}
