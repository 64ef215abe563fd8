internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which addresses a proxy may be led to by whoever asks it (RFC 6890, RFC 4193, RFC 4291).
enum AddressRules {
    /// Whether an address is of the public network: not of this machine, its links, or somebody's own networks.
    static func isPublic(_ address: SocketAddress) -> Bool {
        guard let text = address.ipAddress else { return false }
        var bytes = [UInt8](repeating: 0, count: address.protocol == .inet6 ? 16 : 4)
        guard inet_pton(address.protocol == .inet6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return false }
        return isPublic(bytes)
    }

    /// Whether the bytes of an IPv4 or IPv6 address are of the public network.
    static func isPublic(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return isPublicIPv4(bytes) }
        // What embeds an IPv4 address leads there: mapped, compatible, NAT64 (RFC 6052), 6to4 (RFC 3056).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == bytes[11], bytes[10] == 0xFF || bytes[10] == 0 {
            return isPublicIPv4(Array(bytes.suffix(4)))
        }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]) { return isPublicIPv4(Array(bytes.suffix(4))) }
        if bytes.starts(with: [0x20, 0x02]) { return isPublicIPv4(Array(bytes[2..<6])) }
        // Only 2000::/3 is given out; Teredo and documentation are not for this.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
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

    /// The addresses of a host that may be asked.
    ///
    /// They are what is connected to, so that a name can't lead elsewhere between the look and the connection.
    ///
    /// - Throws: ``TransportFailure`` where there are none.
    static func publicAddresses(_ host: String, port: UInt16) async throws(TransportFailure) -> [SocketAddress] {
        // RFC 6761 §6.3: these names are this machine's, and nobody is asked for them.
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard name != "localhost", !name.hasSuffix(".localhost") else { throw privateHost(host) }
        let all: [SocketAddress]
        do {
            all = try await NIOThreadPool.singleton.runIfActive { try addresses(host, port: port) }
        } catch let failure as TransportFailure {
            throw failure
        } catch {
            throw .cancelled
        }
        let allowed = all.filter(isPublic)
        guard !allowed.isEmpty else { throw privateHost(host) }
        return allowed
    }

    private static func privateHost(_ host: String) -> TransportFailure {
        TransportFailure(.forbidden, "'\(host)' is in a private network, which this proxy doesn't lead to")
    }

    private static func addresses(_ host: String, port: UInt16) throws(TransportFailure) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else {
            throw TransportFailure(.unreachable, "there is no host '\(host)'")
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            switch entry.ai_family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { found.append(SocketAddress($0.pointee)) }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    found.append(SocketAddress($0.pointee))
                }
            default: break
            }
        }
        return found
    }
}
