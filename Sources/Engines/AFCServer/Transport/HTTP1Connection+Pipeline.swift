internal import NIOCore
internal import NIOHTTP1

extension HTTP1Connection {
    /// Makes a channel a connection of HTTP/1.
    ///
    /// - Parameters:
    ///   - channel: The channel, whose bytes are those of HTTP.
    ///   - service: What connections share.
    ///   - state: What those of this loop share.
    ///   - connection: What is known of it already.
    /// - Throws: Where the channel is closed already.
    static func add(
        to channel: any Channel,
        service: Serving,
        state: LoopState,
        connection: ConnectionContext
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = service.limits.fieldBytes
        limits.maxHeaderListSize = service.limits.headBytes
        limits.maxHeaderFieldCount = service.limits.fieldCount
        let handler = HTTP1Connection(service: service, state: state, connection: connection)
        let parser = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        let decoder = ByteToMessageHandler(parser)
        handler.decoder = decoder
        let pipeline = channel.pipeline.syncOperations
        if state.hot.isEnabled { try pipeline.addHandler(HotPath(handler)) }
        try pipeline.addHandlers([MethodPath(handler), decoder, handler])
    }
}
