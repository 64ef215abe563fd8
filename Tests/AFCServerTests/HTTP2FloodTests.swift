import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import AFCServer

/// What HTTP/2 is misused for; frames by hand (RFC 9113 §4.1), without TLS.
@Suite(.timeLimit(.minutes(10)))
struct HTTP2FloodTests {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case windowUpdate = 8
        case continuation = 9
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(.settings, 0, 0, [])

    static func frame(_ kind: Kind, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind.rawValue, flags]
            + (0..<4).reversed().map { UInt8(stream >> (8 * $0) & 0xFF) } + payload
    }

    /// GET / of docs.example by the static table of RFC 7541.
    static let request: [UInt8] = [0x82, 0x86, 0x84, 0x41, 12] + Array("docs.example".utf8)

    /// Sends bytes, and says whether the server ended the connection.
    static func isEnded(_ bytes: [UInt8], responder: ScriptedResponder = .making { _ in .text("x") }) async throws
        -> Bool
    {
        try await withServer(
            responder: responder,
            configure: { $0.limits.assumesHTTP2 = true }
        ) { port, _ async throws in
            let isEnded = try await RawClient.run(port: port) { client throws in
                try? client.send(bytes: preface + bytes)
                // A connection that lives answers a ping, whose acknowledgement has flag 1.
                try? client.send(bytes: frame(.ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]))
                var all: [UInt8] = []
                let pong = frame(.ping, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8])
                while let more = try? client.receive(), !more.isEmpty {
                    all += more
                    if all.count < 1_000_000, contains(all, pong) { return false }
                }
                return true
            }
            // Others are served all the same.
            let other = try await RawClient.run(port: port) { client throws in
                try client.send(bytes: preface + frame(.headers, 5, 1, request))
                var all: [UInt8] = []
                while let more = try? client.receive(), !more.isEmpty {
                    all += more
                    if contains(all, frame(.data, 1, 1, [0x78])) { return true }
                }
                return false
            }
            #expect(other)
            return isEnded
        }
    }

    static func contains(_ all: [UInt8], _ part: [UInt8]) -> Bool {
        guard all.count >= part.count else { return false }
        return (0...(all.count - part.count)).contains { all[$0..<$0 + part.count].elementsEqual(part) }
    }

    @Test func `consecutive requests are fine`() async throws {
        let requests = (0..<50).flatMap { Self.frame(.headers, 5, UInt32($0 * 2 + 1), Self.request) }
        #expect(try await !Self.isEnded(requests))
    }

    /// Fields after those of ``request``, as literals that don't go into the table (RFC 7541 §6.2.2).
    static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    @Test(
        arguments: [
            ("a name in capitals", request + literal("X-A", "1")),
            ("a field of the connection", request + literal("connection", "x")),
            ("an unknown pseudo-field", request + literal(":x", "1")),
            ("no path", [0x82, 0x86, 0x41, 1, 0x61]),
            ("two paths", request + [0x84]), ("a pseudo-field behind a field", request + literal("a", "b") + [0x84]),
            ("two lengths", request + literal("content-length", "1") + literal("content-length", "2")),
            ("a length without a body", request + literal("content-length", "5")),
        ] as [(String, [UInt8])]
    )
    func `a malformed request ends its own stream only`(_ name: String, _ head: [UInt8]) async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let responder = ScriptedResponder.making { _ in
            ask.yield()
            for await _ in released { break }
            return .text("x")
        }
        try await withServer(responder: responder, configure: { $0.limits.assumesHTTP2 = true }) {
            port,
            _ async throws in
            let client = try RawClient(port: port)
            try client.send(bytes: Self.preface + Self.frame(.headers, 5, 1, Self.request))
            for await _ in asked { break }
            // One answer is on its way when the malformed request comes.
            let isAnswered = try await RawClient.pool.runIfActive { () throws -> Bool in
                try client.send(bytes: Self.frame(.headers, 5, 3, head))
                var all: [UInt8] = []
                var isReset = false
                while let more = try? client.receive(), !more.isEmpty {
                    all += more
                    // RST_STREAM of stream 3, whatever its code.
                    if !isReset, Self.contains(all, [0, 0, 4, 3, 0, 0, 0, 0, 3]) {
                        isReset = true
                        release.yield()
                    }
                    if Self.contains(all, Self.frame(.data, 1, 1, [0x78])) { return isReset }
                }
                return false
            }
            #expect(isAnswered, "\(name)")
        }
    }

    @Test func `a connection error sends GOAWAY`() async throws {
        try await withServer(
            responder: ScriptedResponder.making { _ in .text("x") },
            configure: { $0.limits.assumesHTTP2 = true }
        ) { port, _ async throws in
            let all = try await RawClient.run(port: port) { client throws in
                // DATA on a stream that never began (RFC 9113 §5.1).
                try client.send(bytes: Self.preface + Self.frame(.data, 1, 1, [0x78]))
                var all: [UInt8] = []
                while let more = try? client.receive(), !more.isEmpty { all += more }
                return all
            }
            #expect(Self.contains(all, [7, 0, 0, 0, 0, 0]), "GOAWAY, and then the end")
        }
    }

    @Test func `streams that are reset as soon as they begin end the connection, and nothing of it stays in memory`()
        async throws
    {
        // Of /index.html, by the same table.
        let request: [UInt8] = [0x82, 0x86, 0x85] + Self.request.dropFirst(3)
        var flood: [UInt8] = []
        for number in 0..<2000 {
            flood += Self.frame(.headers, 5, UInt32(number * 2 + 1), request)
            flood += Self.frame(.reset, 0, UInt32(number * 2 + 1), [0, 0, 0, 8])
        }
        /// Something that the server holds as long as it has connections.
        final class Held: Sendable {}
        func isEnded() async throws -> (Bool, () -> Held?) {
            let held = Held()
            let responder = ScriptedResponder.making { [held] request in
                _ = held
                if request.target == "/" { return .text("x") }
                // Until it is cancelled: no answer is ready before its stream is reset.
                try await Task.sleep(for: .seconds(86_400))
                return .text("x")
            }
            return (try await Self.isEnded(flood, responder: responder), { [weak held] in held })
        }
        for _ in 0..<5 {
            let (isEnded, held) = try await isEnded()
            #expect(isEnded)
            try await waitUntil("the connection is released", patience: .seconds(60)) { held() == nil }
        }
    }

    @Test func `an endless head ends the connection`() async throws {
        let flood =
            Self.frame(.headers, 1, 1, Self.request)
            + (0..<2000).flatMap { _ in Self.frame(.continuation, 0, 1, [0x40, 1, 0x78, 1, 0x79]) }
        #expect(try await Self.isEnded(flood))
    }

    @Test func `a head that is small on the wire and large in memory is refused`() async throws {
        // One field of 4,000 bytes goes into the table, and is then named 4,000 times: 16 MB.
        let field: [UInt8] = [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4000)
        let bomb = Self.request + field + [UInt8](repeating: 0xBE, count: 4000)
        #expect(try await Self.isEnded(Self.frame(.headers, 5, 1, bomb)))
    }

    @Test(arguments: [Kind.ping, .settings])
    func `a flood of control frames ends the connection`(_ kind: Kind) async throws {
        let payload: [UInt8] = kind == .ping ? [0, 0, 0, 0, 0, 0, 0, 0] : []
        let flood = (0..<20_000).flatMap { _ in Self.frame(kind, 0, 0, payload) }
        #expect(try await Self.isEnded(flood))
    }

    @Test func `a window that never opens doesn't hold a stream forever`() async throws {
        let big = ScriptedResponder.making { _ in .text(String(repeating: "x", count: 1_000_000)) }
        try await withServer(
            responder: big,
            configure: {
                $0.limits.assumesHTTP2 = true
                $0.limits.stallTimeout = .milliseconds(400)
            }
        ) { port, _ async throws in
            let isReset = try await RawClient.run(port: port) { client throws in
                try client.send(bytes: Self.preface + Self.frame(.headers, 5, 1, Self.request))
                var all: [UInt8] = []
                while let more = try? client.receive(), !more.isEmpty {
                    all += more
                    // RST_STREAM of stream 1, whatever its code.
                    if Self.contains(Array(all.suffix(200)), [0, 0, 4, 3, 0, 0, 0, 0, 1]) { return true }
                }
                return false
            }
            #expect(isReset)
        }
    }

    @Test func `a request whose body is unwanted gets its whole answer, and then the end of its stream`() async throws {
        let big = ScriptedResponder.making { _ in .text(String(repeating: "x", count: 200_000)) }
        try await withServer(responder: big, configure: { $0.limits.assumesHTTP2 = true }) { port, _ async throws in
            let all = try await RawClient.run(port: port) { client throws in
                // The fields don't end the stream, so a body follows; windows of 1 MB are open for the answer.
                let windows = [0, 1].flatMap { Self.frame(.windowUpdate, 0, $0, [0, 0x10, 0, 0]) }
                try client.send(bytes: Self.preface + Self.frame(.headers, 4, 1, Self.request) + windows)
                var all: [UInt8] = []
                while let more = try? client.receive(), !more.isEmpty {
                    all += more
                    if Self.contains(Array(all.suffix(13)), [0, 0, 4, 3, 0, 0, 0, 0, 1]) { break }
                }
                return all
            }
            // RST_STREAM with NO_ERROR, so that no client discards the answer (RFC 9113 §8.1).
            #expect(all.suffix(4).elementsEqual([0, 0, 0, 0]))
            #expect(all.count { $0 == 0x78 } >= 200_000)
        }
    }

    @Test func `an answer waits for the windows of its stream and of the connection`() async throws {
        let big = ScriptedResponder.making { _ in .text(String(repeating: "x", count: 200_000)) }
        try await withServer(responder: big, configure: { $0.limits.assumesHTTP2 = true }) { port, _ async throws in
            let counts = try await RawClient.run(port: port) { client throws in
                try client.send(bytes: Self.preface + Self.frame(.headers, 5, 1, Self.request))
                var (all, counts): ([UInt8], [Int]) = ([], [])
                /// Receives until the client has some bytes of the body.
                func receive(_ count: Int) throws {
                    while all.count(where: { $0 == 0x78 }) < count {
                        let more = try client.receive()
                        if more.isEmpty { break }
                        all += more
                    }
                    counts.append(all.count { $0 == 0x78 })
                }
                try receive(65_535)
                // The stream's window alone changes nothing; with the connection's, 1,000 bytes more come.
                try client.send(bytes: Self.frame(.windowUpdate, 0, 1, [0, 0x10, 0, 0]))
                try client.send(bytes: Self.frame(.windowUpdate, 0, 0, [0, 0, 0x03, 0xE8]))
                try receive(66_535)
                try client.send(bytes: Self.frame(.windowUpdate, 0, 0, [0, 0x10, 0, 0]))
                try receive(200_000)
                return counts
            }
            #expect(counts == [65_535, 66_535, 200_000])
        }
    }
}
