internal import AFCCache
internal import AFCCaching
internal import AFCDiscovery
package import AFCHTTP
internal import AFCText
package import AFCURL
package import HTTPTypes

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
    /// What the origin says about the use of the start page, such as `ai-train=n`; empty if nothing.
    package let usage: String

    /// The most bytes of one icon, and of all icons of a page together.
    private static let iconLimit = 24 << 10
    package static let iconBudget = 512 << 10

    /// A response that describes a site.
    package struct Response {
        let status: Int
        let fields: HTTPFields
        let size: Int64
        let body: (_ limit: Int) -> [UInt8]?

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - fields: The fields.
        ///   - size: The size of the body, in bytes.
        ///   - body: Returns the body, or the first bytes of a longer one; nil if it can't be read.
        package init(
            status: Int,
            fields: HTTPFields,
            size: Int64,
            body: @escaping (_ limit: Int) -> [UInt8]?
        ) {
            (self.status, self.fields, self.size, self.body) = (status, fields, size, body)
        }
    }

    init(_ start: WebURL, _ generation: CurrentGeneration, budget: inout Int) {
        self.init(start, package: generation.package, date: generation.date, budget: &budget) { url in
            guard let found = try? generation.resource(url) else { return nil }
            return Response(status: found.status, fields: found.fields, size: found.size) {
                try? generation.body(of: found, limit: $0)
            }
        }
    }

    /// Reads the description of a site.
    ///
    /// - Parameters:
    ///   - start: The start page.
    ///   - package: The name of the package with the start page.
    ///   - date: The time when the package was made.
    ///   - budget: The most bytes of the icon, from which its size is taken.
    ///   - response: Returns the response that the package has for a URL; nil if it has none.
    package init(
        _ start: WebURL,
        package: String,
        date: Timestamp,
        budget: inout Int,
        response: (WebURL) -> Response?
    ) {
        (self.start, self.package, self.date) = (start, package, date)
        var limits = PageText.Limits()
        limits.text = 64 << 10
        let found = response(start)
        usage = found.map { StatedUsage($0.fields).combined.known.text } ?? ""
        let page = found.flatMap {
            SearchedPage(status: $0.status, fields: $0.fields, limits: limits, body: $0.body)
        }
        title = page?.text.title ?? ""
        language = page?.text.language
        var addresses: [WebURL] = []
        if let icon = page?.text.icon {
            let base = page?.text.base.flatMap { try? WebURL($0, base: start) } ?? start
            if let url = try? WebURL(icon, base: base) { addresses.append(url) }
        }
        if let url = try? WebURL("/favicon.ico", base: start) { addresses.append(url) }
        var icon: String?
        for url in addresses where icon == nil {
            if let found = response(url) { icon = Self.icon(found, limit: budget) }
        }
        self.icon = icon
        budget -= icon?.utf8.count ?? 0
    }

    /// Returns an icon as a `data:` URL, with the type that its bytes have; nil if it isn't a small image.
    private static func icon(_ response: Response, limit: Int) -> String? {
        guard response.status == 200, response.size <= iconLimit, let bytes = response.body(iconLimit),
            bytes.count * 4 / 3 < limit, let type = imageType(bytes, stated: response.fields[.contentType] ?? "")
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
