public import HTTPCaching
public import URLStandard

extension OfflineCache {
    /// The stored responses for a URL, the most recent first (RFC 9111 §4).
    ///
    /// That is the package's entry, with what later validations brought, and every received variant. They are sorted by
    /// Date, or by when they were received where that is earlier; priority and pinning of packages don't count here.
    ///
    /// - Parameter url: The resource.
    /// - Returns: The responses; none where there are none.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func candidates(for url: WebURL) throws(CacheError) -> [StoredCandidate] {
        throw CacheError(.inputOutput, subject: path, message: "not built yet")
    }

    /// Opens the body of a candidate; blocks.
    ///
    /// - Parameter candidate: What ``candidates(for:)`` or ``ReceivedBody/finish()`` gave.
    /// - Returns: The body, whole for as long as it is held; it is empty where the response has none.
    /// - Throws: ``CacheError`` where the body is gone or isn't what was stored; ask for the candidates again.
    public func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody {
        throw CacheError(.inputOutput, subject: path, message: "not built yet")
    }

    /// Remembers that a response was used, for displacement; costs no write.
    ///
    /// - Parameters:
    ///   - candidate: The response.
    ///   - now: The present time.
    public func markUsed(_ candidate: StoredCandidate, at now: Timestamp) {}
}
