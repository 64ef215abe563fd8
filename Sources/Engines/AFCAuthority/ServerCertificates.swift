public import AFCHTTP
public import AFCText
internal import Crypto
import Synchronization

/// A cache of host certificates, in memory only, which evicts the least recently used ones.
///
/// All certificates share one private key, which exists as long as this value. That doesn't weaken security: the
/// process holds all of them and the authority's key as well, so a reader of one key could read all; and clients trust
/// a leaf for the name in it, not for its key. In return, a new host costs one signature instead of a key pair and a
/// signature.
public final class ServerCertificates: Sendable {
    private struct State {
        var entries: [CertifiedHost: (certificate: HostCertificate, used: UInt64)] = [:]
        var clock: UInt64 = 0

        mutating func use(_ host: CertifiedHost, if isGood: (HostCertificate) -> Bool) -> HostCertificate? {
            guard let entry = entries[host], isGood(entry.certificate) else { return nil }
            clock += 1
            entries[host]?.used = clock
            return entry.certificate
        }

        mutating func add(_ certificate: HostCertificate, capacity: Int) {
            clock += 1
            entries[certificate.host] = (certificate, clock)
            // Checks all entries, but only after a signature, which costs more.
            guard entries.count > capacity, let oldest = entries.min(by: { $0.value.used < $1.value.used }) else {
                return
            }
            entries[oldest.key] = nil
        }
    }

    private let authority: CertificateAuthority
    private let key = ServerKey()
    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - authority: The authority that signs.
    ///   - capacity: The most certificates that are kept.
    public init(authority: CertificateAuthority, capacity: Int = 1024) {
        precondition(capacity > 0, "\(capacity) certificates can't be kept")
        self.authority = authority
        self.capacity = capacity
    }

    /// The SHA-256 of the key that all certificates share, as SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), in base64: the
    /// form in which Chromium's options name a key.
    public var keyFingerprint: String {
        Base64.encode(Array(SHA256.hash(data: key.key.publicKey.derRepresentation)))
    }

    /// The number of certificates kept.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Returns the certificate for a host, and makes one if there is none or if less than a third of its time is left.
    ///
    /// - Parameters:
    ///   - host: The host, as in CONNECT or in the client's hello (RFC 6066 §3).
    ///   - now: The current time.
    /// - Returns: A certificate that is valid now.
    /// - Throws: ``AuthorityError``, also for a malformed host.
    public func certificate(for host: some StringProtocol, at now: Timestamp) throws(AuthorityError)
        -> HostCertificate
    {
        try certificate(for: try CertifiedHost(host), at: now)
    }

    /// Returns the certificate for a host, and makes one if there is none or if less than a third of its time is left.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - now: The current time.
    /// - Returns: A certificate that is valid now.
    /// - Throws: ``AuthorityError``.
    public func certificate(for host: CertifiedHost, at now: Timestamp) throws(AuthorityError) -> HostCertificate {
        if let kept = state.withLock({ $0.use(host, if: { isGood($0, at: now) }) }) { return kept }
        // Signed outside the lock, so that hosts don't wait for each other; of two for the same host the first one
        // stays.
        let made = try authority.issue(for: host, key: key, at: now)
        return state.withLock { state in
            if let other = state.use(host, if: { isGood($0, at: now) }) { return other }
            state.add(made, capacity: capacity)
            return made
        }
    }

    private func isGood(_ leaf: HostCertificate, at now: Timestamp) -> Bool {
        guard leaf.notBefore <= now, now <= leaf.notAfter else { return false }
        // Near the authority's own end, a new certificate would expire no later.
        return leaf.notAfter - now >= CertificateAuthority.leafSeconds / 3
            || leaf.notAfter == authority.certificate.notAfter
    }
}
