import AFCPlatform
package import NIOCore
internal import NIOSSL

/// Closes connections with RST, so that the peer doesn't take what it received for complete (RFC 9293 §3.10.5).
package enum ConnectionReset {
    /// Resets a connection: unsent bytes are dropped, and TLS sends no close_notify.
    ///
    /// - Parameter channel: The connection; if it isn't TCP, it is closed.
    package static func reset(_ channel: any Channel) {
        guard channel.eventLoop.inEventLoop else { return channel.eventLoop.execute { reset(channel) } }
        guard let socket = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        // If the option can't be set, the connection is closed all the same.
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in close(channel) }
    }

    private static func close(_ channel: any Channel) {
        let operations = channel.pipeline.syncOperations
        if let tls = try? operations.context(handlerType: NIOSSLHandler.self) {
            // Closing from here towards the socket bypasses TLS itself.
            tls.close(promise: nil)
        } else {
            channel.close(promise: nil)
        }
    }
}
