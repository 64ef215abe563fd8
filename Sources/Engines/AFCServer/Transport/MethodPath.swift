internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Stands before the parser, and lets methods through that it doesn't know (RFC 9110 §9.1).
///
/// The parser reads a method of its own in their place, and the connection puts the right one into the head that comes out.
/// This is done only where the next byte begins a request for sure: the first one that is read at a time.
final class MethodPath: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The bytes among which a method must end.
    private static let limit = 64

    private let connection: HTTP1Connection

    init(_ connection: HTTP1Connection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if connection.isAtBoundary, connection.isIdle, let method = Self.unknownMethod(buffer) {
            connection.unknownMethod = method
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
        if !endsHead { connection.isAtBoundary = false }
    }

    /// The method at the beginning of a request, where it is a valid one that the parser would refuse.
    private static func unknownMethod(_ buffer: ByteBuffer) -> String? {
        let view = buffer.readableBytesView
        guard !view.starts(with: "GET ".utf8), let end = view.prefix(limit).firstIndex(of: 0x20) else { return nil }
        let method = String(decoding: view[..<end], as: UTF8.self)
        guard HTTPRequest.Method(rawValue: method) != nil, method != "PRI", method != "M-SEARCH" else { return nil }
        if case .RAW = HTTPMethod(rawValue: method) { return method }
        return nil
    }
}

@available(*, unavailable)
extension MethodPath: Sendable {}
