internal import AFCCache
internal import AFCDiscovery
package import AFCHTTP
internal import AFCText
package import AFCURL
internal import HTTPTypes

/// A site in the cache, as its start page describes it.
package struct StoredSite: Sendable, Equatable {
    /// The start page.
    package let start: WebURL
    /// The title of the start page; empty if it has none.
    package let title: String
    /// The primary language of the start page, in lower case; nil if it is unknown.
    package let language: String?
    /// The icon as a `data:` URL; nil if there is none that is small enough.
    package let icon: String?
    /// The name of the package with the start page.
    package let package: String
    /// The time when the package was made.
    package let date: Timestamp

    /// The most bytes of one icon, and of all icons of a page together.
    private static let iconLimit = 24 << 10
    static let iconBudget = 512 << 10

    init(
        _ start: WebURL,
        _ resource: CurrentGeneration.Resource,
        _ generation: CurrentGeneration,
        _ index: SearchIndex?,
        budget: inout Int
    ) {
        self.start = start
        var limits = PageText.Limits()
        limits.text = 64 << 10
        let page = SearchedPage(resource, in: generation, limits: limits)
        title = page?.text.title ?? ""
        language = page?.text.language
        package = generation.package
        date = generation.date
        var addresses: [WebURL] = []
        if let icon = page?.text.icon {
            let base = page?.text.base.flatMap { try? WebURL($0, base: start) } ?? start
            if let url = try? WebURL(icon, base: base) { addresses.append(url) }
        }
        if let url = try? WebURL("/favicon.ico", base: start) { addresses.append(url) }
        icon = addresses.lazy.compactMap { [budget] in Self.icon($0, in: generation, limit: budget) }.first
        budget -= icon?.utf8.count ?? 0
    }

    /// Returns an icon as a `data:` URL, with the type that its bytes have; nil if it isn't a small image.
    private static func icon(_ url: WebURL, in generation: CurrentGeneration, limit: Int) -> String? {
        guard let resource = try? generation.resource(url), resource.status == 200, resource.size <= iconLimit,
            let bytes = try? generation.body(of: resource, limit: iconLimit), bytes.count * 4 / 3 < limit,
            let type = imageType(bytes, stated: resource.fields[.contentType] ?? "")
        else { return nil }
        return "data:\(type);base64,\(Base64.encode(bytes))"
    }

    /// Returns the type of an image by its first bytes; nil for anything else.
    ///
    /// An SVG image in an `img` element runs no scripts and loads nothing.
    static func imageType(_ bytes: [UInt8], stated: String) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if bytes.starts(with: [0, 0, 1, 0]) { return "image/x-icon" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        let isSVG = stated.lowercased().hasPrefix("image/svg+xml")
        return isSVG && bytes.prefix(4096).contains(UInt8(ascii: "<")) ? "image/svg+xml" : nil
    }
}
