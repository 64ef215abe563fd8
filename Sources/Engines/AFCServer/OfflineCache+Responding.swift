public import AFCCache
public import AFCCaching
public import AFCHTTP
public import AFCURL

extension StoredBody: ReadableBody {}

extension OfflineCache: OfflineResponding {
    /// What ``respond(to:now:policy:)`` gives.
    public func answer(_ request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) throws -> StoreAnswer {
        let response = try respond(to: request, now: now, policy: policy)
        return StoreAnswer(resolution: response.resolution, body: response.body)
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
