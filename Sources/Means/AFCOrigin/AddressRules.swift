import AFCPlatform
public import NIOCore

/// The rules that distinguish addresses of the public network from others (RFC 6890, RFC 4193, RFC 4291).
///
/// Code that a name, a link or a client could lead to a private server checks the resolved addresses with them.
public enum AddressRules {
    /// Returns true if an address is public: not of this machine, its links, or a private network.
    ///
    /// - Parameter address: The address; one that isn't an Internet address is never public.
    /// - Returns: True if it is public.
    public static func isPublic(_ address: SocketAddress) -> Bool {
        bytes(of: address).map(isPublic) ?? false
    }

    /// Returns the bytes of an address in network order; nil unless it is an Internet address.
    static func bytes(of address: SocketAddress) -> [UInt8]? {
        guard let text = address.ipAddress else { return nil }
        var bytes = [UInt8](repeating: 0, count: address.protocol == .inet6 ? 16 : 4)
        return inet_pton(address.protocol == .inet6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }

    /// Returns true if the bytes of an IPv4 or IPv6 address are public.
    ///
    /// - Parameter bytes: The address's 4 or 16 bytes in network order.
    /// - Returns: True if it is public.
    public static func isPublic(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return isPublicIPv4(bytes) }
        // An embedded IPv4 address decides: mapped, compatible, NAT64 (RFC 6052), 6to4 (RFC 3056).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == bytes[11], bytes[10] == 0xFF || bytes[10] == 0 {
            return isPublicIPv4(Array(bytes.suffix(4)))
        }
        // Only 64:ff9b::/96 is global: 64:ff9b:1::/48 is local to each network (RFC 8215).
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return isPublicIPv4(Array(bytes.suffix(4)))
        }
        if bytes.starts(with: [0x20, 0x02]) { return isPublicIPv4(Array(bytes[2..<6])) }
        // Only 2000::/3 is allocated, and within it Teredo and documentation addresses are excluded.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        // RFC 4380, RFC 3849 and RFC 9637: 2001::/32, 2001:db8::/32 and 3fff::/20.
        if bytes.starts(with: [0x3F, 0xFF]), bytes[2] & 0xF0 == 0 { return false }
        return !bytes.starts(with: [0x20, 0x01, 0x00, 0x00]) && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
    }

    private static func isPublicIPv4(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return false }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): return false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): return false
        case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): return false
        default: return true
        }
    }
}
