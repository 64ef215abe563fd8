import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCServer
import AFCURL
import AFCZip
import HTTPTypes

/// The page that a navigation to a URL gets for which nothing is stored.
struct OfferedPage {
    /// The URL of the page.
    var url: String
    /// The kind of the fallback; nil if the navigation is redirected to the page.
    var fallback: FallbackRules.Kind?
}

/// The response for a URL, read from a package's file.
struct PackagedBody {
    private let reader: PackageReader
    private let resource: PackageIndex.Resource?
    /// The URL of the resource, if it isn't the one that was asked for, and the reason why it answers.
    let matched: (url: String, reason: MatchReason)?
    /// The status with which the site said that it doesn't have the URL, if nothing else was found.
    let absent: Int?
    /// The value of Location, if the answer is a redirect to the resource.
    let location: String?
    /// The kind of the fallback, if the resource is one.
    let fallback: FallbackRules.Kind?
    /// The page that a navigation would get, if nothing was found.
    let offered: OfferedPage?

    /// The other URLs whose response may be taken.
    struct Choice {
        /// The differences that they may have.
        var matching: QueryMatching
        /// True to take a redirect, or the package's fallback.
        var isNavigation: Bool
    }

    /// Opens a package and looks up the URL.
    ///
    /// - Throws: `PackageError` if the package can't be loaded, or isn't signed as the policy requires.
    init(
        _ url: WebURL,
        in package: String,
        _ choice: Choice,
        _ password: Password?,
        _ policy: TrustPolicy,
        checksSignature: Bool
    ) throws {
        reader = try PackageReader(path: package, password: password)
        try reader.requireLoadable()
        if checksSignature { _ = try reader.verifySignature(policy: policy) }
        let exact = try Self.resource(for: url, in: reader.index)
        let match = exact == nil ? QueryMatch.find(url, in: reader.index, by: choice.matching) : nil
        let found = exact ?? match?.resource
        let isFound = found != nil || choice.matching == .exact
        absent = isFound ? nil : reader.index.absent?.status(of: url.description)
        let page =
            found == nil && choice.matching != .exact ? Self.page(for: url, in: reader.index, choice.matching) : nil
        guard let page, choice.isNavigation else {
            resource = found
            matched = match.map { ($0.resource.url.description, $0.reason) }
            (fallback, location) = (nil, nil)
            offered = page.map { OfferedPage(url: $0.resource.url.description, fallback: $0.reason.fallbackKind) }
            return
        }
        resource = page.resource
        matched = (page.resource.url.description, page.reason)
        fallback = page.reason.fallbackKind
        location = page.location
        offered = nil
    }

    /// Returns the page that a navigation to a URL gets that the package doesn't have, as a cache finds it.
    private static func page(
        for url: WebURL,
        in index: PackageIndex,
        _ matching: QueryMatching
    ) -> (resource: PackageIndex.Resource, reason: MatchReason, location: String?)? {
        if let page = SlashMatch.find(url, in: index, by: matching) { return (page.resource, .slash, page.location) }
        return fallback(for: url, in: index).map { ($0.resource, $0.kind.reason, nil) }
    }

    /// Returns the package's page for navigations to a URL that it doesn't have, as a cache finds it.
    private static func fallback(
        for url: WebURL,
        in index: PackageIndex
    ) -> (resource: PackageIndex.Resource, kind: FallbackRules.Kind)? {
        guard let page = index.fallback?.page(for: url), let resource = index.resource(for: page.url),
            !CacheControl(resource.record?.fields ?? HTTPFields()).isPrivate
        else { return nil }
        return (resource, page.kind)
    }

    /// Returns the resource of a URL or of an equivalent spelling, as a cache finds it (RFC 3986 §6.2.2).
    private static func resource(for url: WebURL, in index: PackageIndex) throws -> PackageIndex.Resource? {
        if let resource = index.resource(for: url) { return resource }
        let normal = EquivalentSpelling.normal(url.description) ?? url.description
        if normal != url.description, let resource = index.resource(for: try WebURL(normal)) { return resource }
        return index.resources.first { EquivalentSpelling.normal($0.url.description) == normal }
    }

    /// Returns the URL of the package that was probably meant, if one is similar.
    func near(_ url: WebURL) throws -> WebURL? {
        try NearURLs.found(for: url, includesFolders: false) { reader.index.resource(for: $0) != nil }.first
            ?? MisspeltURL.meant(by: url, among: reader.index.resources.lazy.map(\.url))
            ?? MisspeltURL.withStoredHost(url, among: reader.index.resources.lazy.compactMap(\.url.host)) {
                reader.index.resource(for: $0) != nil
            }
    }

    /// Decides as a cache would after loading the package.
    func resolve(now: Timestamp, policy: OfflinePolicy) -> Resolution {
        let stored = [resource].compactMap(\.self).map { resource in
            let date = reader.date(orElse: now)
            return StoredResponse(
                status: fallback == .missing ? 404 : resource.record?.status ?? 200,
                fields: PackageIndex.responseFields(of: resource, packageDate: date),
                size: resource.member.map { reader.archive.members[$0].uncompressedSize } ?? 0,
                received: resource.record?.fetched ?? date,
                sha256: resource.record?.sha256,
                requestFields: resource.requestFields
            )
        }
        let resolution = OfflineDecision.decide(CacheRequest(), stored: stored, now: now, policy: policy).resolution
        return matched.map { resolution.matched($0.url, by: $0.reason, location: location) } ?? resolution
    }

    /// Reads the body piece by piece.
    ///
    /// - Throws: `PackageError` if the body is damaged, and any error that `take` throws.
    func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let resource { try reader.readBody(of: resource, take) }
    }
}
