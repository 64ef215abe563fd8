internal import AFCOrigin
public import HTTPTypes
public import NIOCore

/// A connection to an origin that carries bytes in both directions and is no longer HTTP.
public struct OriginTunnel: Sendable {
    let exchange: OriginExchange
    /// The bytes from the origin; they can be read once.
    public let inbound: ByteStream

    /// Carries bytes between a client and the origin until both have ended, or one connection breaks.
    ///
    /// - Parameters:
    ///   - client: The bytes from the client.
    ///   - send: Sends to the client, and returns when there is room for more.
    ///   - finish: Closes the side towards the client.
    /// - Throws: An error if a connection breaks. The origin's connection is then reset, and the caller must reset the
    ///   client's, so that neither takes what it received for complete.
    public func join(
        _ client: ByteStream,
        send: @escaping @Sendable (ByteBuffer) async throws -> Void,
        finish: @escaping @Sendable () -> Void
    ) async throws {
        let (exchange, inbound) = (exchange, inbound)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await bytes in client {
                        // If the origin accepts no more, its earlier bytes can still be read, followed by an error.
                        do { try await exchange.send(bytes) } catch { return }
                    }
                    // Some sequences end without an error when they are cancelled.
                    try Task.checkCancellation()
                    await exchange.finish()
                }
                group.addTask {
                    for try await bytes in inbound { try await send(bytes) }
                    try Task.checkCancellation()
                    finish()
                }
                // Before throwing, 'waitForAll' would wait for the other direction, which may never end.
                while try await group.next() != nil {}
            }
        } catch {
            ConnectionReset.reset(exchange.channel)
            throw error
        }
        exchange.close()
    }
}

/// An origin's answer to a request to switch to another protocol (RFC 9110 §7.8).
public enum UpgradeAnswer: Sendable {
    /// The switch: the fields of the 101, and the connection.
    case switched(HTTPFields, OriginTunnel)
    /// An ordinary response: the origin doesn't switch.
    case response(TransportResponse)
}

/// A transport that can hand over whole connections, which proxies need.
public protocol TunnelTransport: OriginTransport {
    /// Connects to a host for CONNECT (RFC 9110 §9.3.6).
    ///
    /// - Parameters:
    ///   - host: The host as a URL serializes it.
    ///   - port: The port.
    /// - Returns: The connection.
    /// - Throws: ``TransportFailure`` if there is none.
    func tunnel(host: String, port: UInt16) async throws(TransportFailure) -> OriginTunnel

    /// Sends a request to switch to another protocol.
    ///
    /// - Parameter request: The request, with Upgrade and without a body; Connection is added.
    /// - Returns: The origin's answer.
    /// - Throws: ``TransportFailure`` if there is no answer.
    func upgrade(_ request: TransportRequest) async throws(TransportFailure) -> UpgradeAnswer
}
