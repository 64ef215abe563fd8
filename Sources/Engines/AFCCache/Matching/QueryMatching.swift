/// The differences to a request that a stored response may have; docs/reference/matching.md describes them.
///
/// With all but ``exact``, a navigation for which nothing else is found is redirected to the page whose path differs only
/// in a slash, or gets the fallback of a package.
public enum QueryMatching: String, Sendable, CaseIterable {
    /// None: only the URL itself, or an equivalent spelling, is found.
    case exact
    /// Parameters that never change a static resource, and a query that the whole path doesn't use.
    case query
    /// Those, and what the rules of the packages allow.
    case loose
}

/// The reason why a stored response answers a request for another URL.
package enum MatchReason: String, Sendable, CaseIterable {
    /// The parameters that make a difference are the same.
    case equal = "query-equal"
    /// They are the same by a rule of the package.
    case rule = "query-rule"
    /// The stored response's No-Vary-Search says that they are equivalent.
    case variance = "no-vary-search"
    /// The stored resource has no query, and no other one of its path has another body.
    case ignored = "query-ignored"
    /// The page is stored under another spelling of its path, to which servers redirect.
    case slash = "slash-redirect"
    /// The package's application shows what the URL means.
    case application = "fallback-application"
    /// It is the package's page that says that there is none.
    case missing = "fallback-missing"
    /// The site doesn't have the URL, as the package's crawl found.
    case absent

    /// True if the response answers navigations only.
    package var isForNavigations: Bool { self == .slash || self == .application || self == .missing }

    /// True if another kind of request for the URL may get another answer.
    package var dependsOnNavigation: Bool { isForNavigations || self == .absent }
}
