internal import AFCOrigin
internal import NIOCore

extension AddressRules {
    /// The addresses of a host that may be asked.
    ///
    /// They are what is connected to, so that a name can't lead elsewhere between the look and the connection.
    ///
    /// - Throws: ``TransportFailure`` where there are none.
    static func publicAddresses(_ host: String, port: UInt16) async throws(TransportFailure) -> [SocketAddress] {
        // RFC 6761 §6.3: these names are this machine's, and nobody is asked for them.
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard name != "localhost", !name.hasSuffix(".localhost") else { throw privateHost(host) }
        let all: [SocketAddress]
        do {
            all = try await NameLookup.system.addresses(of: host, port: port)
        } catch is NameLookup.Failure {
            throw TransportFailure(.unreachable, "there is no host '\(host)'")
        } catch {
            throw .cancelled
        }
        let allowed = all.filter(isPublic)
        guard !allowed.isEmpty else { throw privateHost(host) }
        return allowed
    }

    private static func privateHost(_ host: String) -> TransportFailure {
        TransportFailure(.forbidden, "'\(host)' is in a private network, to which this proxy doesn't connect")
    }
}
