package import AFCCaching
internal import AFCHTTP
package import AFCPackageFormat
package import AFCURL
internal import HTTPTypes

/// A packaged response that answers a request for another URL.
package struct MatchedCandidate: Sendable {
    /// The response.
    package let candidate: StoredCandidate
    /// The URL under which it is stored.
    package let url: WebURL
    let reason: MatchReason
    /// The value of Location, if the answer is a redirect to the URL.
    var location: String?

    /// Returns an answer from this response, with a Cache-Status that names its URL and the reason.
    package func marked(_ resolution: Resolution) -> Resolution {
        resolution.matched(url.description, by: reason, location: location)
    }
}

/// A search among the packaged URLs that have the path of a request.
///
/// It costs one look-up in the index of each package with the host, and reads at most 65 entries.
struct PathSearch {
    /// A packaged response, and the reason why it answers.
    struct Match {
        var found: Snapshot.Found
        var reason: MatchReason
    }

    /// The URL without its query, as it is spelled and in the normal form.
    private let bases: [String]
    private let host: String
    private let path: String
    private let query: String?
    private let usesRules: Bool

    /// Prepares a search; nil if a request must get exactly what it asks for.
    init?(_ request: OfflineRequest, by matching: QueryMatching) {
        guard matching != .exact, request.method == .get || request.method == .head,
            request.fields[.authorization] == nil
        else { return nil }
        let url = request.url
        let base = String(url.description.prefix { $0 != "?" })
        bases = [base, EquivalentSpelling.normal(base)].compactMap(\.self)
        (host, path, query) = (url.host ?? "", url.path, url.query)
        usesRules = matching == .loose
    }

    /// Finds the one response that the request means.
    func find(in snapshot: Snapshot) throws(CacheError) -> Match? {
        for base in bases {
            guard let urls = try urls(of: base, in: snapshot) else { return nil }
            guard !urls.isEmpty else { continue }
            let stored = urls.map(\.stored)
            guard let match = QueryMatch.find(path: path, query: query, among: stored),
                let key = ResourceKey(stored: urls[match.index].url), let found = try snapshot.find(key)
            else { return nil }
            return Match(found: found, reason: match.reason)
        }
        return nil
    }

    private struct StoredURL {
        var url: String
        var stored: QueryMatch.Stored
    }

    /// Returns the URLs of a path, each one once; nil if there are too many.
    ///
    /// Entries that were evicted are among them: they tell how the path is used.
    private func urls(of base: String, in snapshot: Snapshot) throws(CacheError) -> [StoredURL]? {
        guard let plain = ResourceKey(stored: base) else { return [] }
        var urls: [StoredURL] = []
        var known: [String: Int] = [:]
        var rest = QueryMatch.storedLimit + 1
        for package in snapshot.packages(withHost: host) {
            let index = try package.files.index()
            var resources = try index.resources(beginningWith: base + "?", limit: rest)
            if let resource = try index.find(plain) { resources.append(resource) }
            rest -= resources.count
            guard rest > 0 else { return nil }
            guard !resources.isEmpty else { continue }
            let rule = usesRules ? try package.files.matchRules()?.rule(for: path) : nil
            for resource in resources {
                if let place = known[resource.url] {
                    // The package that is tried first counts, and its rule if it has one.
                    if urls[place].stored.rule == nil { urls[place].stored.rule = rule }
                    continue
                }
                known[resource.url] = urls.count
                let stored = QueryMatch.Stored(
                    query: Self.query(of: resource.url),
                    status: resource.status,
                    mediaType: resource.fields[.contentType],
                    digest: resource.digest,
                    rule: rule,
                    variance: SearchVariance(resource.fields)
                )
                urls.append(StoredURL(url: resource.url, stored: stored))
            }
        }
        return urls
    }

    private static func query(of url: String) -> String? {
        url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
    }
}

extension QueryMatch {
    /// Finds the resource of a package that a request means although its query differs, as a cache with only this
    /// package finds it.
    ///
    /// - Parameters:
    ///   - url: The URL of the request, which the package doesn't have.
    ///   - index: The package.
    ///   - matching: The differences in the query that the resource may have.
    /// - Returns: The resource and the reason; nil if none fits, or more than one.
    package static func find(
        _ url: WebURL,
        in index: PackageIndex,
        by matching: QueryMatching
    ) -> (resource: PackageIndex.Resource, reason: MatchReason)? {
        guard matching != .exact else { return nil }
        let base = String(url.description.prefix { $0 != "?" })
        let rule = matching == .loose ? index.matchRules?.rule(for: url.path) : nil
        for base in [base, EquivalentSpelling.normal(base)].compactMap(\.self) {
            let found = index.resources.filter { resource in
                let text = resource.url.description
                return text == base || text.utf8.starts(with: (base + "?").utf8)
            }
            guard !found.isEmpty else { continue }
            let stored = found.map { resource in
                Stored(
                    query: resource.url.query,
                    status: resource.record?.status ?? 200,
                    mediaType: resource.entry?.mediaType ?? resource.record?.fields[.contentType],
                    digest: Array((resource.record?.sha256 ?? "").utf8),
                    rule: rule,
                    variance: resource.record.flatMap { SearchVariance($0.fields) }
                )
            }
            guard let match = find(path: url.path, query: url.query, among: stored),
                !CacheControl(found[match.index].record?.fields ?? HTTPFields()).isPrivate
            else { return nil }
            return (found[match.index], match.reason)
        }
        return nil
    }
}
