public import AFCURL

/// How redirects follow one another, and which links could lead to their target at once.
public struct RedirectSummary: Sendable, Equatable {
    /// A link whose target has moved for good.
    public struct Advice: Sendable, Equatable {
        /// What is linked to.
        public var url: WebURL
        /// The redirect's status.
        public var status: Int
        /// Where it leads.
        public var target: WebURL
        /// The first page with the link, or nil for a seed.
        public var referrer: WebURL?
    }

    /// How many redirects are permanent, that is 301 or 308.
    public private(set) var permanent = 0
    /// How many times two or more redirects followed one another.
    public private(set) var chains = 0
    /// The most redirects in a row.
    public private(set) var longestChain = 0
    /// The first permanent redirects that begin a chain.
    public private(set) var advice: [Advice] = []
    /// How many redirects led to a URL whose outcome isn't there yet.
    private var pending: [WebURL: Int] = [:]

    /// How many links are listed.
    public static let adviceLimit = 100
    private static let pendingLimit = 10_000

    mutating func note(_ url: WebURL, status: Int, to target: WebURL, referrer: WebURL?) {
        let before = pending.removeValue(forKey: url) ?? 0
        let length = before + 1
        if length == 2 { chains += 1 }
        longestChain = max(longestChain, length)
        if pending.count < Self.pendingLimit { pending[target] = length }
        guard status == 301 || status == 308 else { return }
        permanent += 1
        guard before == 0, advice.count < Self.adviceLimit else { return }
        advice.append(Advice(url: url, status: status, target: target, referrer: referrer))
    }

    mutating func noteEnd(_ url: WebURL) {
        if !pending.isEmpty { pending[url] = nil }
    }
}
