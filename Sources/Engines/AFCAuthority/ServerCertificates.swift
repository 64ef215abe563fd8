public import AFCHTTP
public import AFCText
import Synchronization

/// The certificates of hosts that were asked for, in memory only; the least recently used ones go first.
///
/// All of them share one private key, which lives and ends with this value. That costs no safety: the same process holds
/// all of them and the authority's key, too, so whoever could read one key could read all; no client trusts a leaf
/// because of its key, only because of the name in it; and a new host costs one signature instead of a key pair and a
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
            // A look at all of them, but only after a signature, which costs more.
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

    /// Begins without any.
    ///
    /// - Parameters:
    ///   - authority: Who signs.
    ///   - capacity: How many are kept.
    public init(authority: CertificateAuthority, capacity: Int = 1024) {
        precondition(capacity > 0, "\(capacity) certificates can't be kept")
        self.authority = authority
        self.capacity = capacity
    }

    /// How many are kept now.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The certificate for a host, made where there is none or where it has used up two thirds of its time.
    ///
    /// - Parameters:
    ///   - host: The host, as it stands in CONNECT or in the client's greeting (RFC 6066 §3).
    ///   - now: The present time.
    /// - Returns: A certificate that holds now.
    /// - Throws: ``AuthorityError``, also for a host of bad form.
    public func certificate(for host: some StringProtocol, at now: Timestamp) throws(AuthorityError)
        -> HostCertificate
    {
        try certificate(for: try CertifiedHost(host), at: now)
    }

    /// The certificate for a host, made where there is none or where it has used up two thirds of its time.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - now: The present time.
    /// - Returns: A certificate that holds now.
    /// - Throws: ``AuthorityError``.
    public func certificate(for host: CertifiedHost, at now: Timestamp) throws(AuthorityError) -> HostCertificate {
        if let kept = state.withLock({ $0.use(host, if: { isGood($0, at: now) }) }) { return kept }
        // Signed outside of the lock, so that hosts don't wait for each other; of two for the same host the first stays.
        let made = try authority.issue(for: host, key: key, at: now)
        return state.withLock { state in
            if let other = state.use(host, if: { isGood($0, at: now) }) { return other }
            state.add(made, capacity: capacity)
            return made
        }
    }

    private func isGood(_ leaf: HostCertificate, at now: Timestamp) -> Bool {
        guard leaf.notBefore <= now, now <= leaf.notAfter else { return false }
        // Near the authority's own end a new one would end no later.
        return leaf.notAfter - now >= CertificateAuthority.leafSeconds / 3
            || leaf.notAfter == authority.certificate.notAfter
    }
}
