import AFCPlatform
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The handler in front of the parser, which acts only where the next byte certainly begins a request.
///
/// It answers heads that equal, byte for byte, heads that were parsed and answered before. Since it doesn't interpret
/// the head, it can't disagree with the parser about the meaning. The only question is whether the next byte begins a
/// request, and the parser's own events answer that.
///
/// It also admits methods that the parser doesn't know (RFC 9110 §9.1): the parser gets a method that it knows instead,
/// and ``parsed(_:)`` restores the original in the parsed head. Everything else goes to the parser unchanged.
final class HTTP1Entrance: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The bytes within which a method must end.
    private static let methodLimit = 64

    /// The connection; nil once the pipeline is gone.
    private var connection: HTTP1Connection?
    private let repeatsAnswers: Bool
    /// True if the next byte certainly begins a request.
    private var isAtBoundary = true
    /// The head that the parser is reading, if every parser reads it as exactly one head.
    private var bytesOfHead: ByteBuffer?
    /// The method of the head that the parser is reading, if the parser doesn't know it.
    private var unknownMethod: String?

    init(_ connection: HTTP1Connection, repeatsAnswers: Bool) {
        self.connection = connection
        self.repeatsAnswers = repeatsAnswers
    }

    func handlerRemoved(context: ChannelHandlerContext) { connection = nil }

    // MARK: Events of the parser

    /// Notes that the parser has read a head.
    ///
    /// - Parameter head: The head, in which the original method is restored.
    /// - Returns: Its bytes, if they are known.
    func parsed(_ head: inout HTTPRequestHead) -> ByteBuffer? {
        isAtBoundary = false
        if let method = unknownMethod {
            unknownMethod = nil
            head.method = .RAW(value: method)
        }
        return bytesOfHead
    }

    /// Notes that the next byte begins a request.
    func requestEnded() { isAtBoundary = true }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard let connection else { return context.fireChannelRead(data) }
        while repeatsAnswers, isAtBoundary, connection.isFree, let length = Self.headLength(buffer) {
            let answer = buffer.withUnsafeReadableBytes { bytes in
                connection.remembered(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            }
            if let answer {
                connection.sendAgain(answer)
                buffer.moveReaderIndex(forwardBy: length)
                continue
            }
            guard let head = buffer.readSlice(length: length) else { break }
            bytesOfHead = Self.isOneHead(head) ? head : nil
            pass(head, to: connection, context)
            bytesOfHead = nil
        }
        if buffer.readableBytes > 0 { pass(buffer, to: connection, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // At the end of its input, the parser drops the bytes behind a request that may hand the connection over.
        if case ChannelEvent.inputClosed? = event as? ChannelEvent, let connection, connection.mayLeave {
            connection.inputClosed()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func pass(_ bytes: ByteBuffer, to connection: HTTP1Connection, _ context: ChannelHandlerContext) {
        var buffer = bytes
        if isAtBoundary, connection.isIdle, let method = Self.unknownMethod(buffer) {
            unknownMethod = method
            buffer.moveReaderIndex(forwardBy: method.utf8.count)
            var replaced = context.channel.allocator.buffer(capacity: buffer.readableBytes + 8)
            // The parser's behavior doesn't depend on this method.
            replaced.writeStaticString("PATCH")
            replaced.writeBuffer(&buffer)
            buffer = replaced
        }
        let endsHead = buffer.readableBytesView.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A])
        context.fireChannelRead(wrapInboundOut(buffer))
        // After a body, or in the middle of a head, only the parser knows where a request begins.
        if !endsHead { isAtBoundary = false }
    }

    /// Returns the method at the start of a request, if it is valid but the parser would refuse it.
    private static func unknownMethod(_ buffer: ByteBuffer) -> String? {
        let view = buffer.readableBytesView
        guard !view.starts(with: "GET ".utf8), let end = view.prefix(methodLimit).firstIndex(of: 0x20) else {
            return nil
        }
        let method = String(decoding: view[..<end], as: UTF8.self)
        guard HTTPRequest.Method(rawValue: method) != nil, method != "PRI", method != "M-SEARCH" else { return nil }
        if case .RAW = HTTPMethod(rawValue: method) { return method }
        return nil
    }

    /// Returns true if every parser reads the bytes up to the first empty line as one head: all lines end with CR LF.
    ///
    /// A parser that accepts a lone LF as a line end could see two requests here, so such heads don't count as one.
    private static func isOneHead(_ head: ByteBuffer) -> Bool {
        var before: UInt8 = 0
        for byte in head.readableBytesView {
            if (byte == 0x0A) != (before == 0x0D) { return false }
            before = byte
        }
        return !head.readableBytesView.starts(with: [0x0D])
    }

    /// Returns the length of the bytes up to and including the first empty line.
    private static func headLength(_ buffer: ByteBuffer) -> Int? {
        buffer.withUnsafeReadableBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let limit = min(bytes.count, HotTable.headLimit)
            var place = 0
            while place + 4 <= limit, let found = memchr(start + place, 0x0D, limit - place - 3) {
                place = UnsafeRawPointer(found) - start
                if bytes[place + 1] == 0x0A, bytes[place + 2] == 0x0D, bytes[place + 3] == 0x0A { return place + 4 }
                place += 1
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension HTTP1Entrance: Sendable {}
