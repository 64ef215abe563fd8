import Foundation
import NIOPosix
import Testing

/// A client over a plain socket, which sends exactly what it is told to.
final class RawClient: Sendable {
    struct Failure: Error { var message: String }

    struct Reply: Sendable {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    /// Threads of its own: blocking those of the server would stop it.
    static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 8)
        pool.start()
        return pool
    }()

    private let handle: Int32

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        #if canImport(Darwin)
        handle = socket(AF_INET, SOCK_STREAM, 0)
        #else
        // Programs that other tests start must not keep the connection open.
        handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        if var size = receiveBuffer {
            setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
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
        guard result == 0 else {
            close(handle)
            throw Failure(message: "connect: \(errno)")
        }
    }

    deinit { close(handle) }

    /// The port of this side.
    var localPort: UInt16 { Sockets.port { getsockname(handle, $0, $1) } ?? 0 }

    func send(_ text: String) throws { try send(bytes: Array(text.utf8)) }

    func send(bytes: [UInt8]) throws {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(message: "send: \(errno)") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Sends until nothing was taken while the server did much else.
    ///
    /// - Parameters:
    ///   - limit: How many bytes are sent at most.
    ///   - doMuchElse: Returns when it is done.
    /// - Returns: How many bytes were taken.
    func sendWhileThereIsRoom(limit: Int, doMuchElse: () throws -> Void) rethrows -> Int {
        let block = [UInt8](repeating: 0x61, count: 65536)
        var sent = 0
        var isFull = false
        while sent < limit {
            let count = Foundation.send(
                handle,
                block,
                min(block.count, limit - sent),
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            )
            if count > 0 {
                sent += count
                isFull = false
            } else if isFull {
                break
            } else {
                try doMuchElse()
                isFull = true
            }
        }
        return sent
    }

    func shutdownWrite() { shutdown(handle, Int32(SHUT_WR)) }

    /// The next bytes; empty at the end.
    func receive(_ limit: Int = 65536) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(handle, &bytes, limit, 0)
        let number = errno
        // Tests that take an error for the connection's end must not take this one for it.
        if count < 0, number == EAGAIN { Issue.record("the server sent nothing for a minute") }
        guard count >= 0 else { throw Failure(message: "receive: \(number)") }
        return Array(bytes.prefix(count))
    }

    func receiveToEnd() throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try receive()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }

    /// One byte at a time: nothing of the next reply may be taken.
    func head() throws -> Reply {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            let next = try receive(1)
            guard !next.isEmpty else { throw Failure(message: "ended in '\(String(decoding: bytes, as: UTF8.self))'") }
            bytes += next
        }
        var lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")[...]
        let first = lines.removeFirst().split(separator: " ")
        guard first.count >= 2, first[0] == "HTTP/1.1", let status = Int(first[1]) else {
            throw Failure(message: "no status line: \(first)")
        }
        let fields = lines.filter { !$0.isEmpty }.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        return Reply(status: status, fields: fields, body: [])
    }

    func reply(hasBody: Bool = true) throws -> Reply {
        var reply = try head()
        let length = Int(reply["Content-Length"] ?? "0") ?? 0
        guard hasBody, reply.status != 304 else { return reply }
        while reply.body.count < length {
            let bytes = try receive(min(65536, length - reply.body.count))
            guard !bytes.isEmpty else { throw Failure(message: "body ended after \(reply.body.count) of \(length)") }
            reply.body += bytes
        }
        return reply
    }

    /// Connects and runs blocking code off the cooperative pool.
    static func run<Value: Sendable>(
        port: UInt16,
        receiveBuffer: Int32? = nil,
        _ body: @escaping @Sendable (RawClient) throws -> Value
    ) async throws -> Value {
        try await pool.runIfActive { try body(RawClient(port: port, receiveBuffer: receiveBuffer)) }
    }

    /// One request on a connection of its own.
    static func get(
        port: UInt16,
        _ target: String,
        host: String = "localhost",
        method: String = "GET",
        _ fields: String...
    ) async throws -> Reply {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + fields
        return try await run(port: port) { client throws in
            try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            return try client.reply(hasBody: method != "HEAD")
        }
    }
}
