internal import AFCPlatform

/// An address, or a block of addresses that begin with the same bits (RFC 4632 §3.1, RFC 4291 §2.3).
public struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]
    private let bits: Int

    /// Creates a range from `192.0.2.1`, `192.0.2.0/24`, `2001:db8::1` or `2001:db8::/32`.
    ///
    /// - Parameter text: The address or block; anything else gives nil, and so do set bits beyond the prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = Self.bytes(String(first), isMapped: false) else { return nil }
        var bits = bytes.count * 8
        if parts.count > 1 {
            guard parts[1].utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(parts[1]),
                (0...bits).contains(number)
            else { return nil }
            bits = number
        }
        guard bytes == Self.prefix(bytes, bits) else { return nil }
        (self.bytes, self.bits) = (bytes, bits)
    }

    /// Returns true if the range contains an address.
    ///
    /// - Parameter address: The address; an IPv4 address may be mapped to IPv6, as sockets for both give it.
    /// - Returns: True if it contains the address.
    func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(address, isMapped: true), other.count == bytes.count else { return false }
        return Self.prefix(other, bits) == bytes
    }

    /// Returns the 4 or 16 bytes of an address; nil if it isn't one.
    private static func bytes(_ text: String, isMapped: Bool) -> [UInt8]? {
        // A link-local address may name its interface.
        let text = String(text.prefix { $0 != "%" })
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 { return four }
        var sixteen = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        return isMapped && sixteen.starts(with: mapped) ? Array(sixteen.suffix(4)) : sixteen
    }

    private static func prefix(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(bits - index * 8, 0), 8)
            return kept == 0 ? 0 : byte & (0xFF << UInt8(8 - kept))
        }
    }
}
