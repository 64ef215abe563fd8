import AFCCaching
import AFCHTTP
import AFCText
import AFCURL

/// The freshness of a stored response in words.
struct FreshnessWords {
    let url: WebURL
    let resolution: Resolution
    let now: Timestamp

    /// True if the response is served after its origin's time limit for it.
    ///
    /// A response that states no freshness can't expire.
    var isExpired: Bool {
        guard resolution.verdict == .stale, let freshness = resolution.freshness else { return false }
        return freshness.isStated || freshness.needsValidation
    }

    /// The sentence about the response, without a remedy.
    var sentence: String {
        let subject = PrintableText.quoted(url.description)
        guard let freshness = resolution.freshness else { return "\(subject) has no stored response" }
        let state = state(freshness)
        guard resolution.verdict == .originForbidsStale, !freshness.needsValidation else {
            return "\(subject) \(state)"
        }
        return "\(subject) \(state), and its origin forbids serving it then"
    }

    private func state(_ freshness: Freshness) -> String {
        if freshness.needsValidation { return "must be validated by its origin before each use" }
        if freshness.isFresh { return "is fresh until \((now + freshness.ttl).iso8601)" }
        if freshness.isStated { return "expired at \((now + freshness.ttl).iso8601)" }
        return freshness.isHeuristic
            ? "doesn't state how long it is fresh, and may have changed, judging by its Last-Modified"
            : "doesn't state how long it is fresh"
    }
}
