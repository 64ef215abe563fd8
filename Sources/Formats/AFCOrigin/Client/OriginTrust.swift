internal import NIOSSL

/// Whom a client trusts over TLS.
package struct OriginTrust: Sendable {
    /// A file of certificates that isn't one.
    package struct Unreadable: Error {
        /// What the TLS library says.
        package let cause: any Error
    }

    private var configuration = TLSConfiguration.makeClientConfiguration()

    /// Trusts the system's authorities.
    package init() {}

    /// Trusts the system's authorities, and others besides.
    ///
    /// - Parameters:
    ///   - file: A file of certificates in PEM, or nil for none.
    ///   - verifies: Whether servers must prove who they are.
    /// - Throws: ``Unreadable``.
    package init(file: String?, verifies: Bool = true) throws(Unreadable) {
        if !verifies { configuration.certificateVerification = .none }
        guard let file else { return }
        do {
            configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
        } catch {
            throw Unreadable(cause: error)
        }
    }

    /// Whether servers must prove who they are.
    var verifies: Bool { configuration.certificateVerification != .none }

    /// What connections are made with; reads the system's authorities.
    ///
    /// - Parameters:
    ///   - usesHTTP2: Whether HTTP/2 is offered.
    ///   - checksHosts: Whether a certificate must be for the host; otherwise that is for the caller to check.
    /// - Returns: The context.
    /// - Throws: What the TLS library says.
    func context(usesHTTP2: Bool, checksHosts: Bool) throws -> NIOSSLContext {
        var configuration = configuration
        if verifies, !checksHosts { configuration.certificateVerification = .noHostnameVerification }
        configuration.applicationProtocols = usesHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}
