/// The cache's knowledge of statuses.
enum StatusRules {
    /// Returns true if freshness may be estimated for the status (RFC 9110 §15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns true if this cache knows the caching rules of the status, as must-understand requires (RFC 9111
    /// §5.2.2.3): the final statuses of RFC 9110 §15.
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}
