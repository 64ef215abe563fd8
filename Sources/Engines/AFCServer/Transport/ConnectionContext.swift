internal import NIOCore

/// The properties that all requests of one connection share.
struct ConnectionContext: Sendable {
    /// The hosts and the port that mean the server.
    var server = ServerIdentity(port: 0)
    /// The client's address.
    var remoteAddress: String?
    /// True if the connection uses TLS.
    var isSecure = false
    /// The name that the client sent in the TLS handshake.
    var serverName: String?
    /// The authority of the CONNECT request whose tunnel this is.
    var tunnelled: Authority?

    /// The key that distinguishes requests whose bytes are equal.
    var key: Key {
        Key(server: server, isSecure: isSecure, serverName: serverName, tunnelled: tunnelled)
    }

    /// The properties besides the request on which an answer may depend.
    struct Key: Hashable, Sendable {
        var server: ServerIdentity
        var isSecure: Bool
        var serverName: String?
        var tunnelled: Authority?
    }
}
