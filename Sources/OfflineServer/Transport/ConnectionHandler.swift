internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// One connection: reads requests, asks the answerer, sends what it says.
///
/// Hummingbird's own channel is not used, because it hides what this server needs: the authority of an absolute-form
/// target and the request's version are lost in it, and its application overwrites Date.
struct ConnectionHandler: ServerChildChannel {
    /// A connection with NIO's HTTP/1.1 on it.
    struct Value: ServerChildChannelValue {
        var http: NIOAsyncChannel<HTTPServerRequestPart, ResponsePart>
        var channel: any Channel { http.channel }
    }

    /// Answers requests.
    var answerer: Answerer
    /// What bounds a connection.
    var limits: OfflineServer.Configuration.Limits
    /// The hosts that mean this server beyond the loopback names.
    var boundHosts: [String]
    /// Told of each answer when it has gone out, or has failed to.
    var onAnswer: (@Sendable (AccessRecord) -> Void)?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var decoder = NIOHTTPDecoderLimitConfiguration()
            decoder.maxHeaderFieldSize = limits.fieldBytes
            decoder.maxHeaderListSize = limits.headBytes
            decoder.maxHeaderFieldCount = limits.fieldCount
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: decoder
            )
            try pipeline.addHandler(
                ConnectionTimeouts(idle: limits.idleTimeout, stall: limits.stallTimeout, linger: limits.lingerTimeout)
            )
            return Value(
                http: try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            )
        }
    }

    func handle(value: Value, logger: Logger) async {
        let channel = value.channel
        let local = channel.localAddress
        let server = ServerIdentity(
            port: local?.port.flatMap { UInt16(exactly: $0) } ?? 0,
            bound: boundHosts + (local?.ipAddress.map { [$0] } ?? [])
        )
        do {
            try await withTaskCancellationHandler {
                try await value.http.executeThenClose { inbound, outbound in
                    var isOpen = true
                    for try await part in inbound {
                        // After the last answer, the rest of a body that nobody wants.
                        guard isOpen, case .head(let head) = part else { continue }
                        // A body means nothing to GET, and where it ends is what smuggling is about.
                        isOpen = head.isKeepAlive && !head.hasBody && head.method != .CONNECT
                        try await exchange(head, outbound, server: server, staysOpen: isOpen, logger: logger)
                        // Not a close: that would drop what isn't sent yet. The timeouts see to it that this ends.
                        if !isOpen { outbound.finish() }
                    }
                    outbound.finish()
                    try await channel.closeFuture.get()
                }
            } onCancel: {
                channel.close(promise: nil)
            }
        } catch {
            logger.debug("connection ended", metadata: ["error": "\(error)"])
        }
    }

    private func exchange(
        _ head: HTTPRequestHead,
        _ outbound: NIOAsyncChannelOutboundWriter<ResponsePart>,
        server: ServerIdentity,
        staysOpen: Bool,
        logger: Logger
    ) async throws {
        let request = RequestHead(head)
        let (answer, first) = try await NIOThreadPool.singleton.runIfActive {
            () -> (Answer, ByteBuffer?) in
            do {
                var answer = try answerer.answer(request, server: server)
                let first = try answer.body.next()
                return (answer, first)
            } catch {
                logger.error("cannot answer", metadata: ["target": "\(head.uri)", "error": "\(error)"])
                var answer = Answer(storeFailureAt: answerer.now(), isHead: request.isHead)
                let first = try answer.body.next()
                return (answer, first)
            }
        }
        var record = AccessRecord(method: request.method, target: request.target, answer: answer)
        defer { onAnswer?(record) }
        var fields = HTTPHeaders()
        for field in answer.fields { fields.add(name: field.name.rawName, value: field.value) }
        if !staysOpen {
            fields.replaceOrAdd(name: "Connection", value: "close")
        } else if head.version.isBefore11 {
            fields.replaceOrAdd(name: "Connection", value: "keep-alive")
        }
        let status = HTTPResponseStatus(
            statusCode: answer.status.code,
            reasonPhrase: answer.status.reasonPhrase
        )
        let responseHead = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        guard let first else {
            try await outbound.write(contentsOf: [.head(responseHead), .end(nil)])
            record.isComplete = true
            return
        }
        record.bytes += Int64(first.readableBytes)
        if answer.body.isFinished {
            try await outbound.write(contentsOf: [.head(responseHead), .body(first), .end(nil)])
            record.isComplete = true
            return
        }
        try await outbound.write(contentsOf: [.head(responseHead), .body(first)])
        var body = answer.body
        while true {
            let step = body
            let (rest, chunk) = try await NIOThreadPool.singleton.runIfActive { () -> (BodyStream, ByteBuffer?) in
                var rest = step
                let chunk = try rest.next()
                return (rest, chunk)
            }
            body = rest
            guard let chunk else { break }
            record.bytes += Int64(chunk.readableBytes)
            try await outbound.write(.body(chunk))
        }
        try await outbound.write(.end(nil))
        record.isComplete = true
    }
}

extension RequestHead {
    init(_ head: HTTPRequestHead) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            method: head.method.rawValue,
            target: head.uri,
            hosts: head.headers["host"],
            fields: fields,
            needsHost: !head.version.isBefore11
        )
    }
}

extension HTTPVersion {
    /// Whether persistence has to be said, and Host needn't be.
    fileprivate var isBefore11: Bool { (major, minor) < (1, 1) }
}

extension HTTPRequestHead {
    /// Whether a body follows (RFC 9112 §6.3).
    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }
}
