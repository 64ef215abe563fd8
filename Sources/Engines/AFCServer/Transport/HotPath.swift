internal import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Stands before the parser, and answers heads that are, byte for byte, ones that were parsed and answered before.
///
/// All else goes to the parser unchanged. Since nothing is understood here, there is nothing that this and the parser
/// could understand differently: the only question is whether the next byte begins a request, and that is asked of the
/// parser's own events.
final class HotPath: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: HTTP1Connection

    init(_ connection: HTTP1Connection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        while connection.isAtBoundary, connection.isIdle, connection.isWritable,
            let length = Self.headLength(buffer)
        {
            let entry = buffer.withUnsafeReadableBytes { bytes in
                connection.hotEntry(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            }
            if let entry, !connection.isQuiescing {
                connection.sendAgain(entry.answer, record: entry.record)
                buffer.moveReaderIndex(forwardBy: length)
                continue
            }
            guard let head = buffer.readSlice(length: length) else { break }
            connection.bytesOfHead = Self.isOneHead(head) ? head : nil
            context.fireChannelRead(wrapInboundOut(head))
            connection.bytesOfHead = nil
        }
        guard buffer.readableBytes > 0 else { return }
        let endsHead = buffer.readableBytesView.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A])
        context.fireChannelRead(wrapInboundOut(buffer))
        // After a body, or in the middle of a head, only the parser knows where a request begins.
        if !endsHead { connection.isAtBoundary = false }
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
extension HotPath: Sendable {}
