public import AFCCaching
public import AFCHTTP
public import AFCURL

/// Stored responses that answer requests without a network: those of a cache, or of mounted packages.
///
/// Each call blocks for as long as a look-up takes, except for ``LookUp/urlAtOnce``.
public protocol OfflineAnswering: Sendable {
    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time for which freshness is determined.
    ///   - policy: The rules for responses that are no longer fresh.
    ///   - lookUp: The responses that may answer.
    /// - Returns: The answer, which may be a refusal; for ``LookUp/url`` never nil.
    /// - Throws: ``CacheError`` if the index or the body can't be read.
    func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: LookUp
    ) throws(CacheError) -> CacheAnswer?

    /// Returns the installed packages, sorted by name.
    ///
    /// - Throws: ``CacheError`` if they can't be read.
    func packages() throws(CacheError) -> [InstalledPackage]

    /// Returns the contents by origin, sorted by host.
    ///
    /// - Throws: ``CacheError`` if they can't be read.
    func origins() throws(CacheError) -> [OriginSummary]

    /// Returns the names of the packages that contain something from a host, sorted.
    ///
    /// - Parameter host: The host as serialized in a URL.
    /// - Returns: The names.
    /// - Throws: ``CacheError`` if they can't be read.
    func packages(withHost host: String) throws(CacheError) -> [String]

    /// Returns the names of the packages that contain something from an origin, sorted.
    ///
    /// - Parameter origin: Scheme, host and port, as ``OriginSummary/origin``.
    /// - Returns: The names.
    /// - Throws: ``CacheError`` if they can't be read.
    func packages(withOrigin origin: String) throws(CacheError) -> [String]

    /// Returns the origins that have something in one package with an origin, sorted, the origin itself too.
    ///
    /// - Parameter origin: Scheme, host and port, as ``OriginSummary/origin``.
    /// - Returns: The origins; none if no package has the origin.
    /// - Throws: ``CacheError`` if they can't be read.
    func origins(beside origin: String) throws(CacheError) -> [String]

    /// Returns the resources in the order of their URLs, one page at a time.
    ///
    /// A URL that is in several packages occurs once, as it would be served.
    ///
    /// - Parameters:
    ///   - after: The last URL of the previous page, or nil for the first page.
    ///   - limit: The maximum number of resources to return.
    /// - Returns: The resources of the page.
    /// - Throws: ``CacheError`` if they can't be read.
    func resources(after: WebURL?, limit: Int) throws(CacheError) -> [ResourceSummary]

    /// Returns true if there is a response for a URL.
    ///
    /// This doesn't count as a use of it.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: True if there is one.
    /// - Throws: ``CacheError`` if the responses can't be read.
    func contains(_ url: WebURL) throws(CacheError) -> Bool

    /// Opens a reader for the number that increases with each change by any process; nil if there is none.
    ///
    /// The number is a hint: a writer that is killed at the wrong moment doesn't update it. ``changeMark()`` is
    /// reliable.
    func openChangeReader() -> ChangeReader?

    /// Returns a number that differs after each change.
    ///
    /// - Throws: ``CacheError`` if it can't be read.
    func changeMark() throws(CacheError) -> UInt64

    /// Checks that what was opened is still there, at the cost of a few calls to the system; it may lag a second.
    ///
    /// - Throws: ``CacheError`` if the cache's folder was removed or can't be read, or a mounted package was changed.
    func requireServable() throws(CacheError)
}

/// The responses that may answer a request.
public enum LookUp: Sendable {
    /// Those that are stored for the URL.
    case url
    /// The same, but only if that takes no wait for a disk: there is no answer if it would wait, or fails. The body of
    /// an answer may still have to be read from the disk.
    case urlAtOnce
    /// For a URL for which nothing is stored: a packaged response whose query differs, or, for a navigation, a redirect
    /// to the page whose path differs only in a slash, or a package's fallback. There is no answer if no stored URL
    /// fits, or more than one; docs/reference/matching.md has the rules.
    case matching(QueryMatching)
}

extension OfflineAnswering {
    /// Answers a request, if need be with a response that only matches it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time for which freshness is determined.
    ///   - policy: The rules for responses that are no longer fresh.
    ///   - matching: The differences to the request that a response may have if nothing is stored for the URL.
    /// - Returns: The answer, which may be a refusal.
    /// - Throws: ``CacheError`` if the index or the body can't be read.
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy = OfflinePolicy(),
        matching: QueryMatching = .exact
    ) throws(CacheError) -> CacheAnswer {
        guard let answer = try respond(to: request, now: now, policy: policy, .url) else {
            preconditionFailure("a look-up by URL has an answer")
        }
        guard answer.isUnknown, matching != .exact else { return answer }
        return try respond(to: request, now: now, policy: policy, .matching(matching)) ?? answer
    }
}
