#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A port of 127.0.0.1 on which nobody listens, and which nobody else gets while this lives.
public final class DeadPort: Sendable {
    /// The system has no port left, or none to give.
    public struct Unavailable: Error {
        /// What the system says.
        public var code: Int32
    }

    /// `http://127.0.0.1:PORT`.
    public let base: String
    private let handle: Int32

    /// Takes a port.
    ///
    /// - Throws: ``Unavailable``.
    public init() throws {
        #if canImport(Glibc)
        handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        handle = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let handle = handle
        // Bound without SO_REUSEADDR, so that no other socket is given the port, and never listening.
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(handle, address, size) == 0 ? getsockname(handle, address, &size) : -1
            }
        }
        base = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        guard result == 0 else {
            let code = errno
            close(handle)
            throw Unavailable(code: code)
        }
    }

    deinit { close(handle) }
}
