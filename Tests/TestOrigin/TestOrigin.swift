import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A small HTTP/1.1 origin on 127.0.0.1 that answers from a table and counts what it is asked.
///
/// It writes what the table says, also where that is no proper HTTP, and leaves out nothing but what the table leaves out.
public final class TestOrigin: Sendable {
    /// What one route answers.
    public struct Answer: Sendable {
        /// The status.
        public var status: Int
        /// The fields; Content-Length is added where it is missing and the answer doesn't close.
        public var fields: [(name: String, value: String)]
        /// The body.
        public var body: [UInt8]
        /// Whether the connection ends after the body.
        public var closes: Bool
        /// Whether the fields are written in ISO 8859-1 over HTTP/1.1, else in UTF-8.
        public var isLatin1 = false
        /// Whether the connection ends instead of an answer.
        public var isReset = false
        /// How long the answer waits.
        public var delay: Duration = .zero
        /// How the answer ends over HTTP/2.
        public var end: End = .whole
        /// What gives the rest of the body over HTTP/1.1, until the connection ends; nil where there is none.
        public var feed: Feed?

        /// How an answer ends over HTTP/2.
        public enum End: Sendable {
            /// As it should.
            case whole
            /// RST_STREAM with REFUSED_STREAM instead of an answer.
            case refused
            /// GOAWAY with no stream processed, instead of an answer.
            case goAway
            /// RST_STREAM after that many bytes of the body.
            case cut(after: Int)
            /// END_STREAM after that many bytes of the body.
            case early(after: Int)
        }

        /// Creates an answer.
        public init(
            _ status: Int = 200,
            _ fields: [(name: String, value: String)] = [],
            body: [UInt8] = [],
            closes: Bool = false,
            delay: Duration = .zero
        ) {
            self.status = status
            self.fields = fields
            self.body = body
            self.closes = closes
            self.delay = delay
        }

        /// A page.
        public static func html(_ text: String) -> Answer {
            Answer(200, [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
        }

        /// A text of some type.
        public static func text(_ text: String, type: String = "text/plain") -> Answer {
            Answer(200, [("Content-Type", type)], body: Array(text.utf8))
        }

        /// A redirect.
        public static func redirect(_ location: String, status: Int = 301) -> Answer {
            Answer(status, [("Location", location)])
        }

        /// The end of the connection instead of an answer.
        public static var reset: Answer {
            var answer = Answer()
            answer.isReset = true
            return answer
        }
    }

    /// A request that came.
    public struct Request: Sendable, Equatable {
        /// The method.
        public var method: String
        /// The target as it stood in the request line.
        public var target: String
        /// The fields' lines; over HTTP/2 pseudo-header fields are among them.
        public var fields: [String]
        /// `HTTP/1.1` or `HTTP/2`.
        public var version = "HTTP/1.1"
        /// The body; empty over HTTP/2.
        public var bytes: [UInt8] = []
        /// The body as a text.
        public var body: String { String(decoding: bytes, as: UTF8.self) }

        /// Returns the value of a field.
        public func value(_ name: String) -> String? {
            fields.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).drop { $0 == " " } }.map(String.init)
        }
    }

    /// `http://127.0.0.1:PORT`, or `https://HOST:PORT` of a secure origin.
    public let base: String
    /// The port.
    public let port: Int
    private let state: NIOLockedValueBox<State>

    struct State: Sendable {
        var routes: [String: [Answer]]
        var files: [String: ChangeableFile] = [:]
        var buckets: [String: TestBucket] = [:]
        var requests: [Request] = []
        var connections = 0
        var running = 0
        var mostRunning = 0

        /// Takes note of a request, and finds its answer.
        mutating func answer(_ request: Request) -> Answer {
            let earlier = requests.count { $0.target == request.target }
            requests.append(request)
            running += 1
            mostRunning = max(mostRunning, running)
            if let answer = files[request.target]?.answer(request) { return answer }
            let bucket = request.target.dropFirst().prefix { $0 != "/" && $0 != "?" }
            if let answer = buckets[String(bucket)]?.answer(request, String(request.target.dropFirst(bucket.count + 1)))
            {
                return answer
            }
            let answers = routes[request.target] ?? routes["*"] ?? []
            return answers.isEmpty ? Answer(404) : answers[min(earlier, answers.count - 1)]
        }
    }

    init(base: String, port: Int, state: NIOLockedValueBox<State>) {
        self.base = base
        self.port = port
        self.state = state
    }

    /// How many connections came so far, with or without a request.
    public var connections: Int { state.withLockedValue { $0.connections } }

    /// Every request so far, in the order of arrival.
    public var requests: [Request] { state.withLockedValue { $0.requests } }
    /// The targets asked for so far, in the order of arrival.
    public var targets: [String] { requests.map(\.target) }
    /// How many requests were under way at once at most.
    public var mostRunning: Int { state.withLockedValue { $0.mostRunning } }
    /// How often a target was asked for.
    public func count(of target: String) -> Int { requests.count { $0.target == target } }
    /// Replaces the answers of a route.
    public func set(_ target: String, _ answers: Answer...) { state.withLockedValue { $0.routes[target] = answers } }
    /// Keeps a file at a target.
    public func keep(_ target: String, _ file: ChangeableFile) { state.withLockedValue { $0.files[target] = file } }
    /// Keeps a bucket below its name.
    public func keep(bucket: String, _ new: TestBucket) { state.withLockedValue { $0.buckets[bucket] = new } }
    /// Changes a bucket, and returns it.
    @discardableResult
    public func change(bucket: String, _ body: (inout TestBucket) -> Void = { _ in }) -> TestBucket {
        state.withLockedValue { state in
            body(&state.buckets[bucket, default: TestBucket()])
            return state.buckets[bucket, default: TestBucket()]
        }
    }
    /// The file at a target.
    public func file(_ target: String) -> ChangeableFile? { state.withLockedValue { $0.files[target] } }

    /// Runs an origin while the body runs.
    ///
    /// - Parameters:
    ///   - routes: What each target is answered: its n-th request the n-th answer, later ones the last. Unknown targets are
    ///     answered 404.
    ///   - body: Runs while the origin does.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the origin can't listen.
    public static func withOrigin<Result>(
        _ routes: [String: [Answer]],
        _ body: (TestOrigin) async throws -> Result
    ) async throws -> Result {
        let state = NIOLockedValueBox(State(routes: routes))
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    state.withLockedValue { $0.connections += 1 }
                    try channel.pipeline.syncOperations.addHandler(Connection(state: state))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port ?? 0
        let origin = TestOrigin(base: "http://127.0.0.1:\(port)", port: port, state: state)
        do {
            let result = try await body(origin)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }
}

/// The rest of an answer's body, which a test gives when it wants to.
public final class Feed: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isClosed = false
    }

    private let state = NIOLockedValueBox(State())

    /// Creates a feed.
    public init() {}

    /// How many answers have come to the place where the feed goes on.
    public var count: Int { state.withLockedValue { $0.channels.count } }
    /// Whether the client has ended a connection.
    public var isClosed: Bool { state.withLockedValue { $0.isClosed } }

    /// Sends bytes to the client that asked last.
    public func send(_ bytes: [UInt8]) {
        let channel = state.withLockedValue { $0.channels.last }
        channel?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Ends the connection, and with it a body without a length.
    public func end() {
        let channel = state.withLockedValue { $0.channels.last }
        channel?.close(promise: nil)
    }

    func attach(_ channel: any Channel) {
        state.withLockedValue { $0.channels.append(channel) }
        channel.closeFuture.whenComplete { _ in self.state.withLockedValue { $0.isClosed = true } }
    }
}

/// One connection: reads heads, writes answers.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: NIOLockedValueBox<TestOrigin.State>
    private var bytes: [UInt8] = []

    init(state: NIOLockedValueBox<TestOrigin.State>) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        // A TLS record is no head of a request; servers answer it with 400.
        if bytes.first == 0x16 {
            let refusal = ByteBuffer(string: "HTTP/1.1 400 Test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(refusal), promise: nil)
            return context.close(promise: nil)
        }
        while let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            let lines = head.split(separator: "\r\n").map(String.init)
            let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.split(separator: ":")[1].filter { $0 != " " }) }
            guard bytes.count - end.upperBound >= length ?? 0 else { return }
            let body = Array(bytes[end.upperBound...].prefix(length ?? 0))
            bytes.removeFirst(end.upperBound + body.count)
            answer(lines, body, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ lines: [String], _ body: [UInt8], _ context: ChannelHandlerContext) {
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        guard words.count == 3 else { return context.close(promise: nil) }
        var request = TestOrigin.Request(method: words[0], target: words[1], fields: Array(lines.dropFirst()))
        request.bytes = body
        let answer = state.withLockedValue { $0.answer(request) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(answer.delay)) {
            let (connection, context) = bound.value
            connection.write(answer, context)
        }
    }

    private func write(_ answer: TestOrigin.Answer, _ context: ChannelHandlerContext) {
        state.withLockedValue { $0.running -= 1 }
        guard !answer.isReset else { return context.close(promise: nil) }
        var head = "HTTP/1.1 \(answer.status) Test\r\n"
        for (name, value) in answer.fields { head += "\(name): \(value)\r\n" }
        let names = answer.fields.map { $0.name.lowercased() }
        if !names.contains("content-length"), !names.contains("transfer-encoding"), !answer.closes, answer.feed == nil {
            head += "Content-Length: \(answer.body.count)\r\n"
        }
        if answer.closes { head += "Connection: close\r\n" }
        head += "\r\n"
        let scalars = head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        var buffer = context.channel.allocator.buffer(bytes: answer.isLatin1 ? scalars : Array(head.utf8))
        buffer.writeBytes(answer.body)
        let promise = context.eventLoop.makePromise(of: Void.self)
        if let feed = answer.feed {
            context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
            feed.attach(context.channel)
            return
        }
        if answer.closes {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            promise.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    }
}
