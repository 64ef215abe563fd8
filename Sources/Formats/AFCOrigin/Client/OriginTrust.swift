internal import NIOSSL

/// The authorities that a client trusts over TLS.
package struct OriginTrust: Sendable {
    /// The error for a file without valid certificates.
    package struct Unreadable: Error {
        /// The error of the TLS library.
        package let cause: any Error
    }

    private var configuration = TLSConfiguration.makeClientConfiguration()

    /// Creates a value that trusts the system's authorities.
    package init() {}

    /// Creates a value that trusts the system's authorities, and additional ones.
    ///
    /// - Parameters:
    ///   - file: A PEM file of certificates, or nil for none.
    ///   - verifies: False to accept any certificate; anyone on the network path can then alter responses.
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

    /// True if certificates are verified.
    var verifies: Bool { configuration.certificateVerification != .none }

    /// Returns the TLS context for connections; reads the system's authorities.
    ///
    /// - Parameters:
    ///   - usesHTTP2: True to offer HTTP/2.
    ///   - checksHosts: True if TLS checks that the certificate names the host; otherwise the caller must check it.
    /// - Returns: The context.
    /// - Throws: An error of the TLS library.
    func context(usesHTTP2: Bool, checksHosts: Bool) throws -> NIOSSLContext {
        var configuration = configuration
        if verifies, !checksHosts { configuration.certificateVerification = .noHostnameVerification }
        configuration.applicationProtocols = usesHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}
