internal import AFCURL
internal import HTTPTypes
internal import NIOCore

extension DirectTransport: TunnelTransport {
    /// Connects to a host for CONNECT (RFC 9110 §9.3.6).
    public func tunnel(host: String, port: UInt16) async throws(TransportFailure) -> OriginTunnel {
        // The key says http, since TLS within the tunnel is the client's own.
        let key = OriginKey(isSecure: false, host: host, port: port)
        let connection: OriginConnection
        do {
            connection = try await open(key, isPooled: false)
        } catch {
            throw TransportFailure(error)
        }
        return OriginTunnel(connection: connection, inbound: connection.beginRaw())
    }

    /// Sends a request that asks for another protocol.
    public func upgrade(_ request: TransportRequest) async throws(TransportFailure) -> UpgradeAnswer {
        guard let host = request.url.host, let port = request.url.effectivePort, request.url.isHTTP else {
            throw TransportFailure(.unreachable, "'\(request.url)' is no http or https URL")
        }
        var request = request
        request.body = nil
        request.fields[.connection] = "Upgrade"
        let key = OriginKey(isSecure: request.url.scheme == "https", host: host, port: port)
        let connection: OriginConnection
        do {
            connection = try await open(key, isPooled: false)
        } catch {
            throw TransportFailure(error)
        }
        let response = try await exchange(request, on: connection, mayUpgrade: true) { _, _ in }
        guard response.status == 101 else { return .response(response) }
        // RFC 9110 §7.8: a server switches to nothing that it wasn't asked for.
        let asked = Self.protocols(request.fields)
        guard Self.protocols(response.fields).isSubset(of: asked) else {
            connection.close()
            throw TransportFailure(.malformed, "the origin switches to a protocol that wasn't asked for")
        }
        return .switched(response.fields, OriginTunnel(connection: connection, inbound: response.body))
    }

    /// The protocols of an Upgrade field, in lower case.
    private static func protocols(_ fields: HTTPFields) -> Set<String> {
        Set(
            fields[values: .upgrade].flatMap { $0.split(separator: ",") }
                .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        )
    }
}
