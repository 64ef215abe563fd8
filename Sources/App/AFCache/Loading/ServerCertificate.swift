internal import AFCOrigin
internal import Crypto
public import Foundation

extension AFCache {
    /// The certificate of an https origin, for ``AFCache/AFCache/Configuration/acceptsServer``.
    public struct ServerCertificate: Sendable {
        /// The host, in the form in which URLs have it.
        public let host: String
        /// The port.
        public let port: Int
        /// The certificate, in DER.
        ///
        /// That is the server's own; those of its authorities, which have been verified, aren't known here.
        public let certificate: Data
        /// The certificate's public key with its algorithm (SubjectPublicKeyInfo), in DER.
        public let publicKey: Data

        /// The SHA-256 of the public key in Base64: a pin in the form of RFC 7469 §2.4, as most libraries have them.
        public var publicKeyPin: String { Data(SHA256.hash(data: publicKey)).base64EncodedString() }

        init(_ peer: PeerCertificate) {
            host = peer.host
            port = Int(peer.port)
            certificate = Data(peer.certificate)
            publicKey = Data(peer.publicKey)
        }
    }
}

extension AFCache.Configuration {
    /// The way to origins in the form of the modules below.
    var access: OriginAccess {
        var access = OriginAccess()
        access.trustRoots = certificates?.path
        access.verifiesCertificates = verifiesCertificates
        if let acceptsServer { access.accepts = { acceptsServer(AFCache.ServerCertificate($0)) } }
        return access
    }
}
