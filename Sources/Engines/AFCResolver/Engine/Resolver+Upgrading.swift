internal import AFCCaching
internal import HTTPTypes

extension Resolver {
    /// Sends a request that asks for another protocol, past the cache (RFC 9110 §7.8).
    ///
    /// - Parameter request: The request, with Upgrade.
    /// - Returns: What the origin says; nil where there is no transport for it.
    /// - Throws: ``TransportFailure`` where it says nothing.
    public func upgrade(_ request: ResolverRequest) async throws(TransportFailure) -> UpgradeAnswer? {
        guard let transport = transport as? any TunnelTransport, configuration.rules.connectivity == .online else {
            return nil
        }
        var fields = request.fields.withoutConnectionFields
        fields[fields: .upgrade] = request.fields[fields: .upgrade]
        if let pseudonym = configuration.pseudonym { fields.append(HTTPField(name: .via, value: "1.1 \(pseudonym)")) }
        return try await transport.upgrade(TransportRequest(method: request.method, url: request.url, fields: fields))
    }
}
