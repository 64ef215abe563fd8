import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import AFCServer

/// Streams beyond the limit, and the end of a connection, whose streams are all answered (RFC 9113 §5.1.2 and §6.8).
@Suite(.timeLimit(.minutes(10)))
struct HTTP2EndTests {
    /// A frame as it came.
    struct Frame: Equatable {
        var kind: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]

        /// The last stream and the code of a GOAWAY.
        var goAway: [UInt32]? {
            guard kind == 7, payload.count >= 8 else { return nil }
            return [0, 4].map { start in payload[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        }
    }

    /// A client that sends frames and reads one after the other.
    final class Client {
        private let socket: RawClient
        private var input: [UInt8] = []

        init(port: UInt16, receiveBuffer: Int32? = nil) throws {
            socket = try RawClient(port: port, receiveBuffer: receiveBuffer)
            try socket.send(bytes: HTTP2FloodTests.preface)
        }

        /// Opens the windows of the connection and of its streams for 16 MiB.
        func openWindows() throws {
            try send(HTTP2FloodTests.frame(.settings, 0, 0, [0, 4, 1, 0, 0, 0]))
            try send(HTTP2FloodTests.frame(.windowUpdate, 0, 0, [1, 0, 0, 0]))
        }

        func shutdownWrite() { socket.shutdownWrite() }

        func send(_ bytes: [UInt8]) throws { try socket.send(bytes: bytes) }

        /// Sends GETs of docs.example.
        func get(_ streams: some Sequence<UInt32>) throws {
            try send(streams.flatMap { HTTP2FloodTests.frame(.headers, 5, $0, HTTP2FloodTests.request) })
        }

        /// The next frame; nil at the end.
        func next() throws -> Frame? {
            func has(_ count: Int) throws -> Bool {
                while input.count < count {
                    guard let more = try? socket.receive(), !more.isEmpty else { return false }
                    input += more
                }
                return true
            }
            guard try has(9) else { return nil }
            let length = input[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard try has(9 + length) else { return nil }
            let stream = input[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
            let payload = Array(input[9..<9 + length])
            defer { input.removeFirst(9 + length) }
            return Frame(kind: input[3], flags: input[4], stream: stream, payload: payload)
        }

        /// The next frame that fulfills a condition; fails at the end.
        func first(where isWanted: (Frame) -> Bool) throws -> Frame {
            while let frame = try next() { if isWanted(frame) { return frame } }
            throw RawClient.Failure(message: "the connection ended")
        }

        /// All frames up to the end.
        func rest() throws -> [Frame] {
            var frames: [Frame] = []
            while let frame = try next() { frames.append(frame) }
            return frames
        }
    }

    static let acknowledgement = HTTP2FloodTests.frame(.settings, 1, 0, [])

    /// Runs a server whose answers wait until they are released.
    static func serve(
        _ body: @escaping @Sendable (UInt16, _ release: @escaping @Sendable () -> Void, ServiceGroup) throws -> Void
    ) async throws {
        let gate = Gate()
        let responder = ScriptedResponder.making { _ in
            await gate.wait()
            return .text("x")
        }
        try await withServer(responder: responder, configure: { $0.limits.assumesHTTP2 = true }) {
            port,
            group async throws in
            try await RawClient.pool.runIfActive { try body(port, { gate.open() }, group) }
        }
    }

    /// Something that is closed until it is opened once.
    final class Gate: Sendable {
        private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

        func open() {
            let waiting = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a stream too many is refused, and the others are answered`(isAcknowledged: Bool) async throws {
        try await Self.serve { port, release, _ in
            let client = try Client(port: port)
            // The limit is announced, and holds for clients that don't know it yet.
            let settings = try client.first { $0.kind == 4 && $0.flags == 0 }
            #expect(HTTP2FloodTests.contains(settings.payload, [0, 3, 0, 0, 0, 100]))
            if isAcknowledged { try client.send(Self.acknowledgement) }
            try client.get((0..<103).map { UInt32(2 * $0 + 1) })
            for stream in [201, 203, 205] as [UInt32] {
                // RST_STREAM with REFUSED_STREAM.
                let reset = try client.first { $0.kind == 3 }
                #expect(reset == Frame(kind: 3, flags: 0, stream: stream, payload: [0, 0, 0, 7]))
            }
            if !isAcknowledged { try client.send(Self.acknowledgement) }
            release()
            var answered: Set<UInt32> = []
            while answered.count < 100 {
                answered.insert(try client.first { $0.kind == 0 && $0.flags == 1 }.stream)
            }
            #expect(answered == Set((0..<100).map { 2 * $0 + 1 }))
            // The refused requests may be repeated on the same connection.
            try client.get([207])
            #expect(try client.first { $0.kind == 0 && $0.flags == 1 }.stream == 207)
        }
    }

    @Test func `a client that is refused again and again is disconnected`() async throws {
        try await Self.serve { port, release, _ in
            let client = try Client(port: port)
            try? client.get((0..<1200).map { UInt32(2 * $0 + 1) })
            let rest = try client.rest()
            // GOAWAY with ENHANCE_YOUR_CALM, and the last stream that was answered.
            #expect(rest.contains { $0.goAway == [199, 11] })
            release()
        }
    }

    @Test(arguments: [[], [1]] as [[UInt32]])
    func `a shutdown answers the requests that were on their way, and names the last one`(
        running: [UInt32]
    ) async throws {
        try await Self.serve { port, release, group in
            let client = try Client(port: port)
            try client.send(Self.acknowledgement)
            try client.get(running)
            // The connection is ready.
            try client.send(HTTP2FloodTests.frame(.ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]))
            _ = try client.first { $0.kind == 6 && $0.flags == 1 }
            Task { await group.triggerGracefulShutdown() }
            #expect(try client.first { $0.kind == 7 }.goAway == [0x7FFF_FFFF, 0], "no request is refused yet")
            let ping = try client.first { $0.kind == 6 && $0.flags == 0 }
            // This one crossed the announcement.
            try client.get([3])
            try client.send(HTTP2FloodTests.frame(.ping, 1, 0, ping.payload))
            #expect(try client.first { $0.kind == 7 }.goAway == [3, 0])
            // This one isn't answered, as the client knows.
            try client.get([5])
            release()
            let answered = Set(try client.rest().filter { $0.kind == 0 && $0.flags == 1 }.map(\.stream))
            #expect(answered == Set(running + [3]))
        }
    }

    @Test func `an error names the last stream that is answered`() async throws {
        try await Self.serve { port, release, _ in
            release()
            let client = try Client(port: port)
            try client.get([1])
            _ = try client.first { $0.kind == 0 && $0.flags == 1 }
            // DATA on a stream that never began (RFC 9113 §5.1).
            try client.send(HTTP2FloodTests.frame(.data, 1, 5, [0x78]))
            #expect(try client.rest().compactMap(\.goAway).last == [1, 1])
        }
    }
}
