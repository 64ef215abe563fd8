public import AFCCache
public import AFCCaching
public import AFCHTTP
public import AFCURL

/// What the server needs of a store.
///
/// The calls block for as long as a look-up takes; the server makes them off the cooperative pool.
public protocol ServedCache: Sendable {
    /// Answers a request from the store alone.
    ///
    /// - Parameters:
    ///   - request: GET or HEAD, a URL and the request's fields.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    /// - Returns: The answer; a miss is one too.
    /// - Throws: Where the store can't be read.
    func answer(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) throws -> CacheAnswer

    /// The installed packages, sorted by name.
    ///
    /// - Returns: The packages.
    /// - Throws: Where the store can't be read.
    func installedPackages() throws -> [InstalledPackage]

    /// What the store has, by origin, sorted by host.
    ///
    /// - Returns: The origins.
    /// - Throws: Where the store can't be read.
    func originSummaries() throws -> [OriginSummary]

    /// The names of the packages that brought something from a host, sorted; for the page that tells of a miss.
    ///
    /// - Parameter host: The host as a URL serialises it.
    /// - Returns: The names.
    /// - Throws: Where the store can't be read.
    func packageNames(host: String) throws -> [String]

    /// Where a reader would begin at a host; for the page that tells of a miss.
    ///
    /// - Parameter host: The host as a URL serialises it.
    /// - Returns: The page; nil where the store has none.
    /// - Throws: Where the store can't be read.
    func startPage(host: String) throws -> WebURL?

    /// Stored resources whose URLs are like one that isn't stored, the likeliest first; for the page that tells of a miss.
    ///
    /// - Parameter url: The URL that isn't stored.
    /// - Returns: A few.
    /// - Throws: Where the store can't be read.
    func nearMatches(of url: WebURL) throws -> [WebURL]

    /// Reads the number that moves with each change, so that answers may be repeated until it does; nil where there is none.
    var changeReader: ChangeReader? { get }

    /// What is another after each change for sure; asked once a second.
    ///
    /// - Returns: A number.
    /// - Throws: Where the store can't be read.
    func changeMark() throws -> UInt64
}

extension ServedCache {
    /// Nothing tells of changes, so that each request is looked up.
    public var changeReader: ChangeReader? { nil }

    /// Nothing ever changes.
    public func changeMark() throws -> UInt64 { 0 }

    /// What ``originSummaries()`` says of the host.
    public func startPage(host: String) throws -> WebURL? {
        try originSummaries().first { $0.host == host && $0.start != nil }?.start
    }

    /// None are looked for.
    public func nearMatches(of url: WebURL) throws -> [WebURL] { [] }
}

extension OfflineCache: ServedCache {
    /// What ``respond(to:now:policy:)`` gives.
    public func answer(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) throws -> CacheAnswer {
        try respond(to: request, now: now, policy: policy)
    }

    /// What ``packages()`` gives.
    public func installedPackages() throws -> [InstalledPackage] { try packages() }

    /// What ``origins()`` gives.
    public func originSummaries() throws -> [OriginSummary] { try origins() }

    /// What ``OfflineCache/OfflineCache/packages(withHost:)`` gives.
    public func packageNames(host: String) throws -> [String] {
        try packages(withHost: host)
    }

    /// At most five, found by their URLs.
    public func nearMatches(of url: WebURL) throws -> [WebURL] {
        var found: [WebURL] = []
        for near in NearURLs.of(url) where found.count < 5 {
            if try contains(near) { found.append(near) }
        }
        return found
    }

    /// What ``OfflineCache/OfflineCache/changeReader`` gives.
    public var changeReader: ChangeReader? { openChangeReader() }
}
