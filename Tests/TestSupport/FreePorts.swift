#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Neighbouring ports of this machine's loopback address that nobody uses.
public enum FreePorts {
    /// Returns free ports, which lie below those that the system gives to clients.
    ///
    /// - Parameter count: The number of ports.
    /// - Returns: The ports.
    /// - Throws: ``TakenPort/NoPort`` if there are none.
    public static func range(_ count: Int) throws -> ClosedRange<UInt16> {
        // Two test processes at once begin at different places.
        var first = 10_240 + Int(getpid()) * 37 % 10_000
        for _ in 0..<500 {
            if (first..<first + count).allSatisfy(isFree) { return UInt16(first)...UInt16(first + count - 1) }
            first += count
        }
        throw TakenPort.NoPort()
    }

    private static func isFree(_ port: Int) -> Bool {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map { bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), length) == 0 } ?? false
        }
    }
}
