import AFCPlatform
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Stands before the parser where the next byte begins a request for sure, and does two things that the parser can't.
///
/// It answers heads that are, byte for byte, ones that were parsed and answered before. Since nothing of them is understood here,
/// there is nothing that this and the parser could understand differently: the only question is whether the next byte begins a
/// request, and that is asked of the parser's own events.
///
/// And it lets methods through that the parser doesn't know (RFC 9110 §9.1): the parser reads a method of its own in their place, and
/// ``parsed(_:)`` puts the right one into the head that comes out. All else goes to the parser unchanged.
final class HTTP1Entrance: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The bytes among which a method must end.
    private static let methodLimit = 64

    /// Nil once the pipeline is gone.
    private var connection: HTTP1Connection?
    private let repeatsAnswers: Bool
    /// Whether the next byte begins a request for sure.
    private var isAtBoundary = true
    /// The head that the parser is being given, where it is one for each parser.
    private var bytesOfHead: ByteBuffer?
    /// The method of the head that the parser is being given, where the parser doesn't know it.
    private var unknownMethod: String?

    init(_ connection: HTTP1Connection, repeatsAnswers: Bool) {
        self.connection = connection
        self.repeatsAnswers = repeatsAnswers
    }

    func handlerRemoved(context: ChannelHandlerContext) { connection = nil }

    // MARK: What the parser says

    /// A head has come out of the parser.
    ///
    /// - Parameter head: The head, which gets the method that was sent.
    /// - Returns: Its bytes, where they are known.
    func parsed(_ head: inout HTTPRequestHead) -> ByteBuffer? {
        isAtBoundary = false
        if let method = unknownMethod {
            unknownMethod = nil
            head.method = .RAW(value: method)
        }
        return bytesOfHead
    }

    /// The next byte begins a request.
    func requestEnded() { isAtBoundary = true }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard let connection else { return context.fireChannelRead(data) }
        while repeatsAnswers, isAtBoundary, connection.isFree, let length = Self.headLength(buffer) {
            let entry = buffer.withUnsafeReadableBytes { bytes in
                connection.remembered(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            }
            if let entry {
                connection.sendAgain(entry)
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

    private func pass(_ bytes: ByteBuffer, to connection: HTTP1Connection, _ context: ChannelHandlerContext) {
        var buffer = bytes
        if isAtBoundary, connection.isIdle, let method = Self.unknownMethod(buffer) {
            unknownMethod = method
            buffer.moveReaderIndex(forwardBy: method.utf8.count)
            var replaced = context.channel.allocator.buffer(capacity: buffer.readableBytes + 8)
            // Nothing that the parser does depends on this method.
            replaced.writeStaticString("PATCH")
            replaced.writeBuffer(&buffer)
            buffer = replaced
        }
        let endsHead = buffer.readableBytesView.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A])
        context.fireChannelRead(wrapInboundOut(buffer))
        // After a body, or in the middle of a head, only the parser knows where a request begins.
        if !endsHead { isAtBoundary = false }
    }

    /// The method at the beginning of a request, where it is a valid one that the parser would refuse.
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

    /// Whether bytes up to the first empty line are one head for each parser: no line ends otherwise than with CR LF.
    ///
    /// A parser that takes a lone LF for a line's end could see two requests here, which must not count as one.
    private static func isOneHead(_ head: ByteBuffer) -> Bool {
        var before: UInt8 = 0
        for byte in head.readableBytesView {
            if (byte == 0x0A) != (before == 0x0D) { return false }
            before = byte
        }
        return !head.readableBytesView.starts(with: [0x0D])
    }

    /// The bytes up to the first empty line, with it.
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
