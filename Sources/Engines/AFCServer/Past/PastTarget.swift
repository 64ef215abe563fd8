internal import AFCHTTP
internal import AFCURL

/// What a target below `/.afcache/` asks of the versions of a resource; docs/reference/time-travel.md.
enum PastTarget: Equatable, Sendable {
    /// `/.afcache/at/2026-10-01/http://docs.example/`: the version of a moment. Without one, that which the request asks
    /// for by Accept-Datetime, or else the current one.
    case resource(Moment?, [WebURL])
    /// `/.afcache/timemap/http://docs.example/`: the list of versions.
    case versions([WebURL])
    /// `/.afcache/compare/2026-09-01/2026-10-01/http://docs.example/`: two versions side by side.
    case comparison(Moment, Moment, [WebURL])

    private static let at = "/.afcache/at/"
    private static let timemap = "/.afcache/timemap/"
    private static let compare = "/.afcache/compare/"

    /// Returns true if a target is one of these.
    static func isNamed(by target: String) -> Bool {
        [at, timemap, compare].contains { target.hasPrefix($0) }
    }

    /// Parses a target; nil for another one.
    ///
    /// - Throws: `RequestTarget.Fault` if it names no URL.
    init?(_ target: String) throws(RequestTarget.Fault) {
        if target.hasPrefix(Self.at) {
            let rest = target.dropFirst(Self.at.count)
            let (moment, url) = Self.split(rest)
            // A mistyped time is no host.
            let isTime = rest.prefix { $0 != "/" }.utf8.allSatisfy { "0123456789-:TZ".utf8.contains($0) }
            guard moment != nil || !isTime else { throw .malformedTarget }
            self = .resource(moment, try Self.urls(moment == nil ? rest : url))
        } else if target.hasPrefix(Self.timemap) {
            self = .versions(try Self.urls(target.dropFirst(Self.timemap.count)))
        } else if target.hasPrefix(Self.compare) {
            let (old, rest) = Self.split(target.dropFirst(Self.compare.count))
            let (new, url) = Self.split(rest)
            guard let old, let new else { throw .malformedTarget }
            self = .comparison(old, new, try Self.urls(url))
        } else {
            return nil
        }
    }

    /// Splits a target at the slash after a moment.
    private static func split(_ target: Substring) -> (Moment?, Substring) {
        let segment = target.prefix { $0 != "/" }
        return (Moment(segment), target[segment.endIndex...].dropFirst())
    }

    /// Returns the URLs that a text may mean: a URL, also one whose slashes a server in front has merged, or a host and a
    /// path.
    private static func urls(_ text: Substring) throws(RequestTarget.Fault) -> [WebURL] {
        for scheme in ["http", "https", RequestTarget.folderScheme] where text.hasPrefix(scheme + ":/") {
            let rest = text.dropFirst(scheme.count + 2)
            guard let url = try? WebURL("\(scheme)://" + (rest.hasPrefix("/") ? rest.dropFirst() : rest)) else {
                throw .malformedTarget
            }
            return [url.removingCredentials]
        }
        let host = text.prefix { $0 != "/" && $0 != "?" }
        guard let authority = Authority(host) else { throw .malformedTarget }
        let rest = text[host.endIndex...]
        return try RequestTarget.candidates(
            [authority],
            rest.hasPrefix("/") ? String(rest) : "/" + rest,
            withFolders: true
        )
    }

    // MARK: Paths

    /// Returns the path of a resource's version.
    static func link(to url: WebURL, at moment: Moment) -> String { "\(at)\(moment)/\(url)" }

    /// Returns the path at which Accept-Datetime chooses a resource's version (RFC 7089 §2.2.3).
    static func gate(of url: WebURL) -> String { "\(at)\(url)" }

    /// Returns the path of the list of a resource's versions.
    static func list(of url: WebURL) -> String { "\(timemap)\(url)" }

    /// Returns the path of two versions side by side.
    static func comparison(of url: WebURL, _ old: Moment, _ new: Moment) -> String { "\(compare)\(old)/\(new)/\(url)" }
}
