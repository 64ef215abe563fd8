internal import AFCOrigin
public import AFCURL
public import HTTPTypes

/// A transport that sends all requests to one origin, with the hosts of their URLs in the Host field.
///
/// A gateway uses it whose origin makes its responses for the host that a client asked for.
public struct FixedOriginTransport: TunnelTransport {
    private let transport: any TunnelTransport
    private let origin: WebURL

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - transport: The transport that sends the requests.
    ///   - origin: The URL of the origin, of which only scheme, host and port are used.
    public init(_ transport: any TunnelTransport, origin: WebURL) {
        self.transport = transport
        self.origin = origin
    }

    /// Sends a request to the origin, and waits for the head of the final response.
    public func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        try await transport.send(try redirected(request), interim: interim)
    }

    /// Sends a request to switch to another protocol.
    public func upgrade(_ request: TransportRequest) async throws(TransportFailure) -> UpgradeAnswer {
        try await transport.upgrade(try redirected(request))
    }

    /// Connects to a host for CONNECT, as the other transport does.
    public func tunnel(host: String, port: UInt16) async throws(TransportFailure) -> OriginTunnel {
        try await transport.tunnel(host: host, port: port)
    }

    /// Closes the connections of the other transport.
    public func shutDown() async { await transport.shutDown() }

    private func redirected(_ request: TransportRequest) throws(TransportFailure) -> TransportRequest {
        guard request.url.origin != origin.origin else { return request }
        guard let url = try? WebURL(origin.origin + request.url.requestTarget) else {
            throw TransportFailure(.refused, "'\(request.url)' has no form for the origin")
        }
        var redirected = request
        redirected.fields[.host] = request.url.authority
        redirected.url = url
        return redirected
    }
}
