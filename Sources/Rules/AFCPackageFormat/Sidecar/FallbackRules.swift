internal import AFCText
public import AFCURL

/// A package's fallbacks, in `.afcache/fallback.json`: its pages for navigations to URLs that it doesn't have.
///
/// docs/reference/format.md specifies the member, and docs/reference/matching.md says when it counts.
public struct FallbackRules: Equatable, Sendable {
    /// The reason why the member can't be used.
    public struct Malformation: Error, Equatable, Sendable {
        /// A sentence without a full stop.
        public var reason: String
    }

    /// The kinds of fallbacks.
    public enum Kind: String, Sendable, CaseIterable {
        /// The page of an application, whose script shows what the URL means; sent as it is stored.
        case application
        /// The page that says that there is none, sent with status 404.
        case missing
    }

    /// The fallback for a URL.
    public struct Page: Equatable, Sendable {
        /// The URL of the page.
        public let url: WebURL
        /// The kind of the fallback.
        public let kind: Kind
    }

    /// The paths, below the base, that a crawl invents to find the site's page for missing URLs; it is stored at the first.
    package static let inventedPaths = ["afcache-missing-page", "afcache-missing/page.html"]

    /// Returns true for a URL that only a crawl requests, to find the site's page for missing URLs.
    ///
    /// Such a URL is no resource of the site.
    package static func isInvented(_ url: WebURL) -> Bool {
        url.query == nil && inventedPaths.contains { url.path.hasSuffix("/" + $0) }
    }

    /// The URL that all URLs begin with to which the fallbacks apply; its path ends in a slash.
    public let base: WebURL
    /// The page of the application; nil if there is none.
    public let application: WebURL?
    /// The page that is sent with status 404; nil if there is none.
    public let missing: WebURL?

    /// Creates fallbacks.
    ///
    /// - Parameters:
    ///   - base: The URL that all URLs begin with to which they apply.
    ///   - application: The page of the application, or nil.
    ///   - missing: The page that is sent with status 404, or nil.
    /// - Throws: ``Malformation`` if there is no page, or a URL can't be used.
    public init(base: WebURL, application: WebURL?, missing: WebURL?) throws(Malformation) {
        guard base.host != nil, !base.hasOpaquePath, base.path.utf8.last == UInt8(ascii: "/"), base.query == nil,
            !base.hasCredentials
        else {
            throw Malformation(reason: "'base' must have a host, a path that ends in '/', and no query or credentials")
        }
        guard application != nil || missing != nil else {
            throw Malformation(reason: "the member must name a page, as 'application' or 'missing'")
        }
        (self.base, self.application, self.missing) = (base, application, missing)
        for page in pages where !covers(page.url) || page.url.hasCredentials {
            throw Malformation(reason: "'\(page.kind.rawValue)' must be a URL below the base")
        }
    }

    /// Reads the member.
    ///
    /// Unknown keys are ignored, as everywhere in the sidecar.
    ///
    /// - Parameter bytes: The contents of the member.
    /// - Throws: ``Malformation`` if it isn't as documented.
    public init(_ bytes: [UInt8]) throws(Malformation) {
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw Malformation(reason: "the fallbacks are not JSON at byte \(error.offset)")
        }
        guard case .object = json, let base = try Self.url("base", in: json) else {
            throw Malformation(reason: "the member must be a JSON object with 'base', a URL")
        }
        try self.init(
            base: base,
            application: try Self.url(Kind.application.rawValue, in: json),
            missing: try Self.url(Kind.missing.rawValue, in: json)
        )
    }

    /// The text of the member: one key per line.
    public var bytes: [UInt8] {
        let lines = ([("base", base)] + pages.map { ($0.kind.rawValue, $0.url) }).map { key, url in
            "\n  \"\(key)\": " + JSONValue.string(url.description).serialized
        }
        return Array("{\(lines.joined(separator: ","))\n}\n".utf8)
    }

    /// All pages.
    public var pages: [Page] {
        [application.map { Page(url: $0, kind: .application) }, missing.map { Page(url: $0, kind: .missing) }]
            .compactMap(\.self)
    }

    /// Returns the fallback for a URL that the package doesn't have.
    ///
    /// An application's pages have names without an extension: for a URL whose last path segment contains a dot, its
    /// page isn't sent, since a missing file is more likely.
    ///
    /// - Parameter url: The URL of a navigation.
    /// - Returns: The page; nil if there is none for this URL.
    public func page(for url: WebURL) -> Page? {
        guard covers(url) else { return nil }
        let segment = url.path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
        if let application, !segment.contains(UInt8(ascii: ".")) { return Page(url: application, kind: .application) }
        return missing.map { Page(url: $0, kind: .missing) }
    }

    private func covers(_ url: WebURL) -> Bool {
        url.scheme == base.scheme && url.host == base.host && url.effectivePort == base.effectivePort
            && url.path.utf8.starts(with: base.path.utf8)
    }

    private static func url(_ key: String, in json: JSONValue) throws(Malformation) -> WebURL? {
        guard let value = json[key] else { return nil }
        guard let text = value.string, let url = try? WebURL(text) else {
            throw Malformation(reason: "'\(key)' is not an absolute URL")
        }
        return url
    }
}
