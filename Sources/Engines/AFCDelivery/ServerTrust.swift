public import AFCCredentials
public import AFCOrigin

/// The servers that packages may be downloaded from.
public struct ServerTrust: Sendable {
    /// The way to the servers.
    public var access = OriginAccess()
    /// True to allow plain http, where anyone on the network path can alter a package.
    public var allowsPlainHTTP = false
    /// The credentials of the user, each for one origin; the target of a redirect gets them only if they are for its
    /// origin.
    public var credentials: [OriginCredential] = []

    /// Creates the trust in the system's certificates.
    public init() {}
}
