public import AFCURL

/// A summary of redirect chains, with links that could point directly to their target.
public struct RedirectSummary: Sendable, Equatable {
    /// A link whose target has moved permanently.
    public struct Advice: Sendable, Equatable {
        /// The URL of the link.
        public var url: WebURL
        /// The redirect's status.
        public var status: Int
        /// The redirect's target.
        public var target: WebURL
        /// The first page with the link, or nil for a seed.
        public var referrer: WebURL?
    }

    /// The number of permanent redirects, that is 301 or 308.
    public private(set) var permanent = 0
    /// The number of chains of two or more redirects.
    public private(set) var chains = 0
    /// The length of the longest chain.
    public private(set) var longestChain = 0
    /// The first permanent redirects that start a chain.
    public private(set) var advice: [Advice] = []
    /// The first URLs that start URLs redirect to and whose path is that of a login form.
    package private(set) var logins: [WebURL] = []
    /// The number of redirects that led to each URL without an outcome yet.
    private var pending: [WebURL: Int] = [:]

    /// The largest number of listed links.
    public static let adviceLimit = 100
    private static let pendingLimit = 10_000

    mutating func note(_ url: WebURL, status: Int, to target: WebURL, referrer: WebURL?) {
        let before = pending.removeValue(forKey: url) ?? 0
        let length = before + 1
        if length == 2 { chains += 1 }
        longestChain = max(longestChain, length)
        if pending.count < Self.pendingLimit { pending[target] = length }
        if referrer == nil, target.path != url.path, Self.isLogin(target), logins.count < Self.adviceLimit {
            logins.append(target)
        }
        guard status == 301 || status == 308 else { return }
        permanent += 1
        guard before == 0, advice.count < Self.adviceLimit else { return }
        advice.append(Advice(url: url, status: status, target: target, referrer: referrer))
    }

    /// Returns true if a path has a part that most sites give to their login form.
    private static func isLogin(_ url: WebURL) -> Bool {
        url.path.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { word in
            ["login", "logon", "signin", "sso", "auth", "authorize", "saml", "oauth2", "wp-login"].contains(
                String(word)
            )
        } || url.path.lowercased().contains("sign-in") || url.path.lowercased().contains("sign_in")
    }

    mutating func noteEnd(_ url: WebURL) {
        if !pending.isEmpty { pending[url] = nil }
    }
}
