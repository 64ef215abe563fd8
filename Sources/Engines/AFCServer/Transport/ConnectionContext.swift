internal import NIOCore

/// What all requests of one connection have in common.
struct ConnectionContext: Sendable {
    /// By what hosts and port the server is meant.
    var server = ServerIdentity(port: 0)
    /// The client's address.
    var remoteAddress: String?
    /// Whether the connection has TLS.
    var isSecure = false
    /// The name that the client asked for when TLS began.
    var serverName: String?
    /// The authority of the CONNECT whose tunnel this is.
    var tunnelled: Authority?

    /// What tells requests apart that are the same byte for byte.
    var key: Key {
        Key(server: server, isSecure: isSecure, serverName: serverName, tunnelled: tunnelled)
    }

    /// What an answer may depend on beside the request.
    struct Key: Hashable, Sendable {
        var server: ServerIdentity
        var isSecure: Bool
        var serverName: String?
        var tunnelled: Authority?
    }
}
