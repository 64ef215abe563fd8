internal import AFCCaching
package import AFCPackageFormat
package import AFCURL
internal import HTTPTypes

/// The other spellings of a page's path that web servers redirect to: with or without a slash, `.html` or `index.html`.
///
/// docs/reference/matching.md has the rules and their reasons.
package struct SlashMatch: Equatable, Sendable {
    /// The other URL, with the query of the request.
    package let url: WebURL
    /// The URL relative to that of the request, for Location.
    package let location: String

    /// Returns the spellings of a URL, in the order in which they are preferred; at most three.
    ///
    /// - Parameter url: The URL of a navigation for which nothing is stored.
    /// - Returns: The spellings.
    package static func spellings(of url: WebURL) -> [SlashMatch] {
        guard url.isHTTP else { return [] }
        let text = url.description
        let base = text.prefix { $0 != "?" }
        let query = text[base.endIndex...]
        guard let slash = base.lastIndex(of: "/") else { return [] }
        let folder = base[...slash]
        let name = base[base.index(after: slash)...]
        var spellings: [SlashMatch] = []
        func add(_ whole: String, _ location: String) {
            // A relative reference begins with a dot, so that a colon in a name begins no scheme.
            guard let url = try? WebURL(whole + query) else { return }
            spellings.append(SlashMatch(url: url, location: location + query))
        }
        switch name {
        case "":
            let parent = folder.dropLast()
            let last = parent[(parent.lastIndex(of: "/").map { parent.index(after: $0) } ?? parent.startIndex)...]
            if !last.isEmpty, url.path != "/" { add(String(parent), "../\(last)") }
            add("\(folder)\(index)", "./\(index)")
        case index: add(String(folder), "./")
        default:
            add("\(base)/", "./\(name)/")
            if name.hasSuffix(ending) {
                let short = name.dropLast(ending.count)
                if !short.isEmpty { add("\(folder)\(short)", "./\(short)") }
            } else {
                add("\(base)\(ending)", "./\(name)\(ending)")
            }
            add("\(base)/\(index)", "./\(name)/\(index)")
        }
        return spellings
    }

    private static let ending = ".html"
    private static let index = "index.html"

    /// Returns the index of the one page that a request means.
    ///
    /// - Parameter digests: The SHA-256 of each page that is stored under a spelling, in the order of preference; empty
    ///   for a page without one.
    /// - Returns: The index; nil if there is no page, or if there are several that differ.
    static func choice(among digests: [[UInt8]]) -> Int? {
        guard let first = digests.first else { return nil }
        // A folder and its index page are often both stored, and are one page.
        return digests.dropFirst().allSatisfy { !first.isEmpty && $0 == first } ? 0 : nil
    }
}

/// A search for the page that a navigation means whose path has another spelling.
///
/// It costs at most three times what the search for the URL itself and for other queries of its path costs.
struct SlashSearch {
    /// The page, and the value of Location.
    struct Match {
        var found: Snapshot.Found
        var location: String
    }

    private let request: OfflineRequest
    private let matching: QueryMatching

    /// Prepares a search; nil if a request isn't a navigation, or must get exactly what it asks for.
    init?(_ request: OfflineRequest, by matching: QueryMatching) {
        guard matching != .exact, request.isPlainNavigation else { return nil }
        (self.request, self.matching) = (request, matching)
    }

    /// Finds the one page that the request means.
    func find(in snapshot: Snapshot) throws(CacheError) -> Match? {
        guard !snapshot.packages(withHost: request.url.host ?? "").isEmpty else { return nil }
        var pages: [Match] = []
        for spelling in SlashMatch.spellings(of: request.url) {
            switch try page(at: spelling.url, in: snapshot) {
            case .none: continue
            case .evicted: return nil
            case .page(let found): pages.append(Match(found: found, location: spelling.location))
            }
        }
        return SlashMatch.choice(among: pages.map(\.found.resource.digest)).map { pages[$0] }
    }

    private enum Page {
        case none
        /// It was evicted, so it can't be the answer, and neither can another one.
        case evicted
        case page(Snapshot.Found)
    }

    private func page(at url: WebURL, in snapshot: Snapshot) throws(CacheError) -> Page {
        let key = ResourceKey(url)
        var found = try snapshot.find(key)
        if found == nil {
            for package in snapshot.packages(withHost: key.host) where try package.files.index().find(key) != nil {
                return .evicted
            }
            found = try snapshot.findEquivalent(key)
        }
        if found == nil {
            let asked = OfflineRequest(method: request.method, url: url, fields: request.fields)
            found = try PathSearch(asked, by: matching)?.find(in: snapshot)?.found
        }
        guard let found, found.resource.status == 200, QueryMatch.isPage(found.resource.fields[.contentType]),
            !CacheControl(found.resource.fields).isPrivate
        else { return .none }
        return .page(found)
    }
}

extension SlashMatch {
    /// Finds the page of a package that a navigation means whose path has another spelling, as a cache with only this
    /// package finds it.
    ///
    /// - Parameters:
    ///   - url: The URL of the navigation, which the package doesn't have.
    ///   - index: The package.
    ///   - matching: The differences in the query that the page may have.
    /// - Returns: The page and the value of Location; nil if none fits, or more than one.
    package static func find(
        _ url: WebURL,
        in index: PackageIndex,
        by matching: QueryMatching
    ) -> (resource: PackageIndex.Resource, location: String)? {
        guard matching != .exact else { return nil }
        var pages: [(resource: PackageIndex.Resource, location: String)] = []
        for spelling in spellings(of: url) {
            let text = spelling.url.description
            let normal = EquivalentSpelling.normal(text) ?? text
            let stored =
                index.resource(for: spelling.url)
                ?? index.resources.first {
                    (EquivalentSpelling.normal($0.url.description) ?? $0.url.description) == normal
                }
            guard let page = stored ?? QueryMatch.find(spelling.url, in: index, by: matching)?.resource,
                page.record?.status ?? 200 == 200,
                QueryMatch.isPage(page.entry?.mediaType ?? page.record?.fields[.contentType]),
                !CacheControl(page.record?.fields ?? HTTPFields()).isPrivate
            else { continue }
            pages.append((page, spelling.location))
        }
        return choice(among: pages.map { Array(($0.resource.record?.sha256 ?? "").utf8) }).map { pages[$0] }
    }
}
