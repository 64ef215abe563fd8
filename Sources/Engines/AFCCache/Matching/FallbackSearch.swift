package import AFCCaching
internal import AFCHTTP
package import AFCPackageFormat
internal import AFCURL
internal import HTTPTypes

/// A search for the fallback of a package, for a navigation to a URL for which nothing is stored.
///
/// It costs a few comparisons for each package with the host, and one look-up in the index of those that have a fallback
/// for the URL.
struct FallbackSearch {
    /// A fallback, and its kind.
    struct Match {
        var found: Snapshot.Found
        var kind: FallbackRules.Kind
    }

    private let request: OfflineRequest

    /// Prepares a search; nil if a request isn't a navigation, or must get exactly what it asks for.
    init?(_ request: OfflineRequest, by matching: QueryMatching) {
        guard matching != .exact, request.isPlainNavigation else { return nil }
        self.request = request
    }

    /// Finds the fallback with the longest base; of equal ones, that of the package that a look-up tries first.
    func find(in snapshot: Snapshot) throws(CacheError) -> Match? {
        var best: (match: Match, length: Int)?
        for package in snapshot.packages(withHost: request.url.host ?? "") {
            guard let rules = try package.files.fallback(), let page = rules.page(for: request.url) else { continue }
            let length = rules.base.path.utf8.count
            if let best, best.length >= length { continue }
            // What the package doesn't have, or no longer, is no fallback; another package's page isn't one either.
            let key = ResourceKey(page.url)
            guard let resource = try package.find(key), resource.status == 200, resource.member != nil else { continue }
            let found = Snapshot.Found(key: key, resource: resource, package: package)
            best = (Match(found: found, kind: page.kind), length)
        }
        return best?.match
    }
}

extension OfflineRequest {
    /// True for a request that any reader may make.
    var isPlain: Bool { (method == .get || method == .head) && fields[.authorization] == nil }

    /// True for a navigation that any reader may make.
    var isPlainNavigation: Bool { isPlain && fields.isNavigation }
}

extension FallbackRules.Kind {
    /// The reason in Cache-Status.
    package var reason: MatchReason { self == .application ? .application : .missing }
}

extension MatchReason {
    /// The kind of the fallback; nil for another reason.
    package var fallbackKind: FallbackRules.Kind? { FallbackRules.Kind.allCases.first { $0.reason == self } }
}

extension Resolution {
    /// Returns an answer made from the response of another URL, with a Cache-Status that says so.
    ///
    /// An answer for navigations only has a Vary, or a cache would use it for parts of pages, too.
    ///
    /// - Parameters:
    ///   - url: The URL of the stored response.
    ///   - reason: The reason why it answers.
    ///   - location: The value of Location, if the answer is a redirect to the URL; nil if it is the response itself.
    /// - Returns: The answer.
    package func matched(_ url: String, by reason: MatchReason, location: String? = nil) -> Resolution {
        var answer = matched(key: url, way: reason.rawValue)
        if let location, answer.verdict == .fresh || answer.verdict == .stale {
            answer.status = .permanentRedirect
            answer.body = .none
            // Browsers would store a permanent redirect for good, but another package may have the URL itself.
            let own: HTTPFields = [.location: location, .cacheControl: "no-store", .contentLength: "0"]
            answer.fields = HTTPFields(answer.fields.filter { $0.name == .cacheStatus || $0.name == .date } + own)
        }
        if reason.dependsOnNavigation { answer.fields.append(HTTPField(name: .vary, value: "Sec-Fetch-Mode, Accept")) }
        return answer
    }
}
