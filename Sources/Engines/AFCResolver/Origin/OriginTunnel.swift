internal import AFCOrigin
public import HTTPTypes
public import NIOCore

/// A connection to an origin that carries bytes in both directions and is no longer HTTP.
public struct OriginTunnel: Sendable {
    let exchange: OriginExchange
    /// What the origin sends; may be read once.
    public let inbound: ByteStream

    /// Carries bytes between a client and the origin until both have ended, or one breaks off.
    ///
    /// - Parameters:
    ///   - client: What the client sends.
    ///   - send: Sends to the client, and returns when there is room for more.
    ///   - finish: Closes the side towards the client.
    /// - Throws: Where one of the two breaks off. The origin's connection is reset then, and the caller is to reset the
    ///   client's, since neither must take what it has for all of it.
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
                        // Where the origin takes no more, what it sent before can still be read, and an error follows.
                        do { try await exchange.send(bytes) } catch { return }
                    }
                    // Some sequences just end where they are cancelled.
                    try Task.checkCancellation()
                    await exchange.finish()
                }
                group.addTask {
                    for try await bytes in inbound { try await send(bytes) }
                    try Task.checkCancellation()
                    finish()
                }
                // 'waitForAll' would wait for the other direction, which may never end, before it throws.
                while try await group.next() != nil {}
            }
        } catch {
            ConnectionReset.reset(exchange.channel)
            throw error
        }
        exchange.close()
    }
}

/// What an origin makes of a request to go on with another protocol (RFC 9110 §7.8).
public enum UpgradeAnswer: Sendable {
    /// It goes on: the fields of its 101, and the connection.
    case switched(HTTPFields, OriginTunnel)
    /// It answers as if nothing had been asked.
    case response(TransportResponse)
}

/// A transport that can give whole connections away, as proxies need it.
public protocol TunnelTransport: OriginTransport {
    /// Connects to a host for CONNECT (RFC 9110 §9.3.6).
    ///
    /// - Parameters:
    ///   - host: The host as a URL has it.
    ///   - port: The port.
    /// - Returns: The connection.
    /// - Throws: ``TransportFailure`` where there is none.
    func tunnel(host: String, port: UInt16) async throws(TransportFailure) -> OriginTunnel

    /// Sends a request that asks for another protocol.
    ///
    /// - Parameter request: The request, with Upgrade and without a body; Connection is added.
    /// - Returns: What the origin says.
    /// - Throws: ``TransportFailure`` where it says nothing.
    func upgrade(_ request: TransportRequest) async throws(TransportFailure) -> UpgradeAnswer
}
