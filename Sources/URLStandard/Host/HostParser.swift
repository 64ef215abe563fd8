/// The standard's host parser; see https://url.spec.whatwg.org/#host-parsing.
enum HostParser {
    /// The serialised host.
    ///
    /// - Parameters:
    ///   - input: The text between `//` and port or path, not empty for special schemes.
    ///   - isSpecial: Whether the scheme is special, so that the host is a domain or an address.
    /// - Returns: The host as it is serialised.
    /// - Throws: The standard's failures.
    static func parse(_ input: ArraySlice<UInt8>, isSpecial: Bool) throws(WebURL.ParseError) -> [UInt8] {
        if input.first == UInt8(ascii: "[") {
            guard input.last == UInt8(ascii: "]"), let address = IPv6Address(input.dropFirst().dropLast()) else {
                throw .invalidIPv6
            }
            return address.serialized
        }
        guard isSpecial else { return try opaque(input) }
        let domain = try DomainToASCII.convert(PercentDecoding.decode(input))
        guard !domain.isEmpty else { throw .invalidDomain }
        guard !domain.contains(where: isForbiddenInDomain) else { throw .forbiddenHostCharacter }
        guard IPv4Address.endsInNumber(domain) else { return domain }
        guard let address = IPv4Address.parse(domain) else { throw .invalidIPv4 }
        return address.serialized
    }

    private static func opaque(_ input: ArraySlice<UInt8>) throws(WebURL.ParseError) -> [UInt8] {
        guard !input.contains(where: isForbidden) else { throw .forbiddenHostCharacter }
        var result: [UInt8] = []
        for byte in input { PercentEncodeSet.c0Control.append(byte, to: &result) }
        return result
    }

    static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00, 0x09, 0x0A, 0x0D, UInt8(ascii: " "), UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["),
            UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "|"):
            true
        default: false
        }
    }

    private static func isForbiddenInDomain(_ byte: UInt8) -> Bool {
        byte <= 0x1F || byte == 0x7F || byte == UInt8(ascii: "%") || isForbidden(byte)
    }
}
