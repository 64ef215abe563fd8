import Foundation

/// Bytes over a plain socket, exactly as they are given.
enum Raw {
    struct Failure: Error { var message: String }

    /// Sends bytes, closes that side, and takes all that comes.
    static func exchange(_ port: UInt16, _ text: String) async throws -> String {
        try await Blocking.run { try exchange(port, bytes: Array(text.utf8)) }
    }

    private static func exchange(_ port: UInt16, bytes: [UInt8]) throws -> String {
        #if canImport(Darwin)
        let handle = socket(AF_INET, SOCK_STREAM, 0)
        #else
        // Programs that other tests start must not keep the connection open.
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        defer { close(handle) }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(message: "connect: \(errno)") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // The server may have refused what came so far, and closed.
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        shutdown(handle, Int32(SHUT_WR))
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(handle, &buffer, buffer.count, 0)
            if count == 0 || count < 0 && errno == ECONNRESET { return String(decoding: all, as: UTF8.self) }
            guard count > 0 else {
                throw Failure(message: "receive: \(errno) after \(String(decoding: all, as: UTF8.self))")
            }
            all += buffer.prefix(count)
        }
    }

    /// The status codes in a sequence of responses.
    static func statuses(_ text: String) -> [Int] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }
}
