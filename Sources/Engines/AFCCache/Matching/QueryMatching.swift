/// The differences in the query that a stored response may have to a request; docs/matching.md describes them.
public enum QueryMatching: String, Sendable, CaseIterable {
    /// None: only the URL itself, or an equivalent spelling, is found.
    case exact
    /// Parameters that never change a static resource, and a query that the whole path doesn't use.
    case query
    /// Those, and what the rules of the packages allow.
    case loose
}

/// The reason why a stored response answers a request for a URL with another query.
package enum QueryMatchReason: String, Sendable, CaseIterable {
    /// The parameters that make a difference are the same.
    case equal = "query-equal"
    /// They are the same by a rule of the package.
    case rule = "query-rule"
    /// The stored resource has no query, and neither has any other one of its path.
    case ignored = "query-ignored"
}
