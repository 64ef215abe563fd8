import Foundation

/// Sockets of this process, as the system sees them.
enum Sockets {
    struct Failure: Error { var number: Int32 }

    /// A socket that listens at a free port of 127.0.0.1.
    static func listening() throws -> Int32 {
        #if canImport(Darwin)
        let handle = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, listen(handle, 10) == 0 else { throw Failure(number: errno) }
        return handle
    }

    /// The port that a call such as `getsockname` gives.
    static func port(_ name: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name($0, &size) }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// The socket of this process whose peer has a port, or nil.
    static func end(of port: UInt16) -> Int32? {
        (0..<4096).first { handle in self.port { getpeername(handle, $0, $1) } == port }
    }

    /// Whether TCP sends what is written without waiting for more.
    static func isWithoutDelay(_ handle: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(handle, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size) == 0 && value != 0
    }
}
