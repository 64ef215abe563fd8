#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A port of this machine that is bound for as long as the value lives, so that no other test's server gets it.
public final class TakenPort {
    /// The port; nobody listens there.
    public let port: Int
    private let descriptor: Int32

    /// Binds a port.
    ///
    /// - Throws: Where there is none.
    public init() throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, length) = (descriptor, size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &size) == 0
        }
        guard isBound else { throw NoPort() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// No port could be bound.
    public struct NoPort: Error {}

    deinit { close(descriptor) }
}
