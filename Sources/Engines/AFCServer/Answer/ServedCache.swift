public import AFCCache
public import AFCCaching
public import AFCHTTP
public import AFCURL

/// The cache as the server sees it.
///
/// Each call blocks for as long as a look-up takes; the server makes these calls off the cooperative pool.
public protocol ServedCache: Sendable {
    /// Answers a request from the cache alone.
    ///
    /// - Parameters:
    ///   - request: GET or HEAD, a URL and the request's fields.
    ///   - now: The time at which freshness is judged.
    ///   - policy: The policy for responses that are no longer fresh.
    /// - Returns: The answer; a miss is one too.
    /// - Throws: An error if the cache can't be read.
    func answer(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) throws -> CacheAnswer

    /// Answers a request as ``answer(_:now:policy:)`` does, but only if that takes no wait for a disk.
    ///
    /// The server makes this call on its event loops.
    ///
    /// - Parameters:
    ///   - request: GET or HEAD, a URL and the request's fields.
    ///   - now: The time at which freshness is judged.
    ///   - policy: The policy for responses that are no longer fresh.
    /// - Returns: The answer; nil if answering would wait or fails.
    func answerAtOnce(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) -> CacheAnswer?

    /// Answers a request for a URL for which nothing is stored from a response whose query or slash differs, or from
    /// the fallback of a package.
    ///
    /// - Parameters:
    ///   - request: GET or HEAD, a URL and the request's fields.
    ///   - now: The time at which freshness is judged.
    ///   - policy: The policy for responses that are no longer fresh.
    ///   - matching: The differences in the query that the response may have.
    /// - Returns: The answer; nil if there is none.
    /// - Throws: An error if the cache can't be read.
    func matchedAnswer(
        _ request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        matching: QueryMatching
    ) throws -> CacheAnswer?

    /// Returns the installed packages, sorted by name.
    ///
    /// - Returns: The packages.
    /// - Throws: An error if the cache can't be read.
    func installedPackages() throws -> [InstalledPackage]

    /// Summarizes the cache's contents by origin, sorted by host.
    ///
    /// - Returns: The origins.
    /// - Throws: An error if the cache can't be read.
    func originSummaries() throws -> [OriginSummary]

    /// Returns the names of the packages with resources from a host, sorted; for the page shown on a miss.
    ///
    /// - Parameter host: The host as a URL serializes it.
    /// - Returns: The names.
    /// - Throws: An error if the cache can't be read.
    func packageNames(host: String) throws -> [String]

    /// Returns the names of the packages with resources from an origin, which may share what no origin forbids.
    ///
    /// - Parameter origin: Scheme, host and port, as in a URL.
    /// - Returns: The names; none if the cache doesn't know.
    /// - Throws: An error if the cache can't be read.
    func packageNames(origin: String) throws -> [String]

    /// Returns the origins that have a resource in one package with an origin, sorted, the origin itself too.
    ///
    /// - Parameter origin: Scheme, host and port, as in a URL.
    /// - Returns: The origins; none if the cache doesn't know.
    /// - Throws: An error if the cache can't be read.
    func origins(beside origin: String) throws -> [String]

    /// Returns a host's start page; for the page shown on a miss.
    ///
    /// - Parameter host: The host as a URL serializes it.
    /// - Returns: The page; nil if the cache has none.
    /// - Throws: An error if the cache can't be read.
    func startPage(host: String) throws -> WebURL?

    /// Returns stored URLs similar to one that isn't stored, the likeliest first; for the page shown on a miss.
    ///
    /// - Parameter url: The URL that isn't stored.
    /// - Returns: A few URLs.
    /// - Throws: An error if the cache can't be read.
    func nearMatches(of url: WebURL) throws -> [WebURL]

    /// Returns true if the cache may have resources whose URLs begin with one; whoever doesn't know returns true.
    ///
    /// - Parameter url: The beginning.
    /// - Returns: False if it certainly has none.
    /// - Throws: An error if the cache can't be read.
    func mayHaveResources(beginningWith url: WebURL) throws -> Bool

    /// A reader of the cache's change number, by which repeated answers are known to be current; nil if there is none.
    var changeReader: ChangeReader? { get }

    /// Returns a value that reliably differs after each change; called once a second.
    ///
    /// - Returns: The value.
    /// - Throws: An error if the cache can't be read.
    func changeMark() throws -> UInt64
}

extension ServedCache {
    /// Returns nil.
    public func answerAtOnce(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) -> CacheAnswer? { nil }

    /// Returns nil.
    public func matchedAnswer(
        _ request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        matching: QueryMatching
    ) throws -> CacheAnswer? { nil }

    /// Returns none.
    public func packageNames(origin: String) throws -> [String] { [] }

    /// Returns none.
    public func origins(beside origin: String) throws -> [String] { [] }

    /// No change reader, so each request is looked up.
    public var changeReader: ChangeReader? { nil }

    /// Returns 0: the cache never changes.
    public func changeMark() throws -> UInt64 { 0 }

    /// Returns the start page that ``originSummaries()`` names for the host.
    public func startPage(host: String) throws -> WebURL? {
        try originSummaries().first { $0.host == host && $0.start != nil }?.start
    }

    /// Returns no URLs.
    public func nearMatches(of url: WebURL) throws -> [WebURL] { [] }

    /// Returns true.
    public func mayHaveResources(beginningWith url: WebURL) throws -> Bool { true }
}

extension ServedCache where Self: OfflineAnswering {
    /// Returns the answer of ``respond(to:now:policy:)``.
    public func answer(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) throws -> CacheAnswer {
        try respond(to: request, now: now, policy: policy)
    }

    /// Returns the answer of ``respondAtOnce(to:now:policy:)``.
    public func answerAtOnce(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) -> CacheAnswer? {
        respondAtOnce(to: request, now: now, policy: policy)
    }

    /// Returns the answer of ``matched(_:now:policy:matching:)``.
    public func matchedAnswer(
        _ request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        matching: QueryMatching
    ) throws -> CacheAnswer? { try matched(request, now: now, policy: policy, matching: matching) }
}

extension OfflineCache: ServedCache {
    /// Returns the packages of `packages()`.
    public func installedPackages() throws -> [InstalledPackage] { try packages() }

    /// Returns the origins of `origins()`.
    public func originSummaries() throws -> [OriginSummary] { try origins() }

    /// Returns the names of `OfflineCache/packages(withHost:)`.
    public func packageNames(host: String) throws -> [String] {
        try packages(withHost: host)
    }

    /// Returns the names of `OfflineCache/packages(withOrigin:)`.
    public func packageNames(origin: String) throws -> [String] { try packages(withOrigin: origin) }

    /// Returns at most five stored URLs similar to the given one.
    public func nearMatches(of url: WebURL) throws -> [WebURL] { try NearURLs.found(for: url, contains) }

    /// Looks for the first URL in order.
    public func mayHaveResources(beginningWith url: WebURL) throws -> Bool {
        if try contains(url) { return true }
        return try resources(after: url, limit: 1).first?.url.description.hasPrefix(url.description) ?? false
    }

    /// The reader of `OfflineCache/changeReader`.
    public var changeReader: ChangeReader? { openChangeReader() }
}

extension MountedPackages: ServedCache {
    /// Returns the mounted packages.
    public func installedPackages() throws -> [InstalledPackage] { packages }

    /// Returns the origins of the packages.
    public func originSummaries() throws -> [OriginSummary] { origins }

    /// Returns the names of the packages with a host.
    public func packageNames(host: String) throws -> [String] { packages(withHost: host) }

    /// Returns the names of `MountedPackages/packages(withOrigin:)`.
    public func packageNames(origin: String) throws -> [String] { packages(withOrigin: origin) }

    /// Returns at most five URLs of the packages similar to the given one.
    public func nearMatches(of url: WebURL) throws -> [WebURL] { try NearURLs.found(for: url, contains) }

    /// Looks for the first URL in order.
    public func mayHaveResources(beginningWith url: WebURL) throws -> Bool {
        if try contains(url) { return true }
        return try resources(after: url, limit: 1).first?.url.description.hasPrefix(url.description) ?? false
    }

    /// A reader of a number that doesn't change; `changeMark()` tells whether a package's file was changed.
    public var changeReader: ChangeReader? { openChangeReader() }
}

extension NearURLs {
    /// Returns at most five stored URLs similar to one.
    ///
    /// - Parameters:
    ///   - url: The URL that isn't stored.
    ///   - includesFolders: False to leave out the folders above.
    ///   - contains: Returns whether a URL is stored.
    /// - Returns: The URLs, the most likely first.
    /// - Throws: The errors of `contains`.
    package static func found(
        for url: WebURL,
        includesFolders: Bool = true,
        _ contains: (WebURL) throws -> Bool
    ) throws -> [WebURL] {
        var found: [WebURL] = []
        for near in of(url, includesFolders: includesFolders) where found.count < 5 {
            if try contains(near) { found.append(near) }
        }
        return found
    }
}
