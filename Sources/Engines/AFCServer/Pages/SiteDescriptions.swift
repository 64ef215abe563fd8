internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCSearch
internal import AFCURL
internal import HTTPTypes
internal import Synchronization

/// What the start pages of packaged sites say of them, for a home page without a search, read again when the packages
/// change.
final class SiteDescriptions: Sendable {
    private let store: any OfflineAnswering
    private let known = Mutex<(changes: UInt64, sites: [WebURL: StoredSite])?>(nil)

    init(_ store: any OfflineAnswering) { self.store = store }

    /// Returns the descriptions of sites; blocks.
    ///
    /// - Parameters:
    ///   - starts: The start page of each site.
    ///   - changes: The cache's number of changes; nil if there is none, so that nothing is kept.
    ///   - now: The current time.
    /// - Returns: A description for each start page that is in a package.
    /// - Throws: An error if the cache can't be read.
    func all(_ starts: some Sequence<WebURL>, changes: UInt64?, now: Timestamp) throws -> [WebURL: StoredSite] {
        if let kept = known.withLock({ $0 }), kept.changes == changes { return kept.sites }
        let packages = Dictionary(try store.packages().map { ($0.name, $0) }) { one, _ in one }
        var budget = StoredSite.iconBudget
        var sites: [WebURL: StoredSite] = [:]
        for start in starts {
            guard let name = answer(start, now)?.package, let package = packages[name] else { continue }
            let date = package.created ?? package.loaded
            sites[start] = StoredSite(start, package: name, date: date, budget: &budget) { response($0, now) }
        }
        if let changes { known.withLock { [sites] in $0 = (changes, sites) } }
        return sites
    }

    private func response(_ url: WebURL, _ now: Timestamp) -> StoredSite.Response? {
        guard let answer = answer(url, now), let body = answer.body,
            answer.resolution.fields[.contentEncoding] == nil
        else { return nil }
        let (status, fields) = (answer.resolution.status.code, answer.resolution.fields)
        return StoredSite.Response(status: status, fields: fields, size: body.size) { try? body.contents(upTo: $0) }
    }

    /// Returns the packaged answer for a URL; a received one may be private.
    private func answer(_ url: WebURL, _ now: Timestamp) -> CacheAnswer? {
        let request = OfflineRequest(method: .get, url: url)
        let answer = try? store.respond(to: request, now: now, policy: OfflinePolicy(expired: .always))
        return answer.flatMap { $0.package == nil ? nil : $0 }
    }
}
