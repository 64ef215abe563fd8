internal import AFCCaching
package import AFCURL

/// A search for a response at the path of a request without its doubled slashes, which scripts that join a folder and a
/// name write, and which servers of files ignore.
///
/// docs/reference/matching.md has the rules. It costs one look-up of a URL, and only for paths with `//`.
package struct DoubledSlash {
    private let merged: WebURL
    private let location: String

    /// Prepares a search; nil if a path has no doubled slash, or a request must get exactly what it asks for.
    init?(_ request: OfflineRequest, by matching: QueryMatching) {
        guard matching != .exact, request.isPlain, let spelling = Self.merged(request.url) else { return nil }
        (merged, location) = spelling
    }

    /// Finds the response, and the value of Location that leads to it.
    func find(in snapshot: Snapshot) throws(CacheError) -> SlashSearch.Match? {
        let key = ResourceKey(merged)
        var found = try snapshot.find(key)
        if found == nil { found = try snapshot.findEquivalent(key) }
        guard let found, found.resource.status == 200, !CacheControl(found.resource.fields).isPrivate else {
            return nil
        }
        return SlashSearch.Match(found: found, location: location)
    }

    /// Returns the URL without doubled slashes in its path, and a reference to it that is relative to the URL.
    package static func merged(_ url: WebURL) -> (url: WebURL, location: String)? {
        guard url.isHTTP, url.path.utf8.first == UInt8(ascii: "/") else { return nil }
        let segments = url.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard let doubled = segments.dropLast().firstIndex(of: "") else { return nil }
        let kept = segments.dropLast().filter { !$0.isEmpty } + [segments[segments.count - 1]]
        let query = url.query.map { "?\($0)" } ?? ""
        // Everything before the first empty segment stays.
        let rest = kept[doubled...].joined(separator: "/")
        let location = String(repeating: "../", count: segments.count - 1 - doubled) + rest + query
        guard let target = try? WebURL("/" + kept.joined(separator: "/") + query, base: url), target.host == url.host
        else { return nil }
        return (target, location)
    }
}
