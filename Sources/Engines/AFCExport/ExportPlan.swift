internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
package import AFCURL
internal import HTTPTypes

/// The resources that an export consists of, each with a number, and where redirects lead.
package struct ExportPlan {
    /// A resource with a body.
    struct Item {
        /// The place of its package in the list.
        var package: Int
        /// The place of the resource in its package.
        var resource: Int
        /// True for HTML and XHTML.
        var isPage = false
    }

    /// The resources, by number; of several with a URL, the first package's.
    private(set) var items: [Item] = []
    /// The numbers of resources, by URL.
    private var numbers: [String: Int] = [:]
    /// The targets of redirects, by URL.
    private(set) var redirects: [String: WebURL] = [:]
    /// The fragments of the targets that have one, by URL.
    private var fragments: [String: String] = [:]
    /// The types of resources for which none is stated, or any, by URL.
    private var unstated: [String: MediaType] = [:]
    /// The most redirects in a row that are followed.
    private static let redirectLimit = 20

    /// Makes the plan; of several packages with a URL, the first counts.
    ///
    /// - Throws: `PackageError` if a body is damaged whose beginning tells its type.
    package init(_ packages: [PackageReader]) throws {
        for (place, package) in packages.enumerated() {
            for (index, resource) in package.index.resources.enumerated() where Self.isExported(resource, of: package) {
                let text = resource.url.description
                guard numbers.updateValue(numbers[text] ?? items.count, forKey: text) == nil else { continue }
                if Self.isUnstated(Self.stated(resource)) {
                    unstated[text] = try Self.guess(resource.url.path, resource.record?.fields) {
                        try package.beginning(of: resource, limit: MediaType.decidingBytes)
                    }
                }
                items.append(Item(package: place, resource: index, isPage: type(of: resource)?.isPage == true))
            }
        }
        for package in packages {
            for resource in package.index.resources where resource.member == nil {
                let text = resource.url.description
                guard numbers[text] == nil, redirects[text] == nil, let location = resource.record?.fields[.location],
                    let (target, fragment) = try? WebURL.parseWithFragment(location, base: resource.url)
                else { continue }
                redirects[text] = target
                fragments[text] = fragment
            }
        }
    }

    /// Returns the number of the resource that a reference to a URL means: of the URL itself, of another spelling, or of the
    /// one to which redirects lead; nil if no package has it.
    package func number(of url: WebURL) -> Int? {
        var url = url
        for _ in 0...Self.redirectLimit {
            if let number = exact(url) { return number }
            if let next = redirects[url.description] {
                url = next
                continue
            }
            // A server answers such a path with a redirect, and leaves out a query that makes no difference.
            let pages = Set(SlashMatch.spellings(of: url).compactMap { exact($0.url) })
            if pages.count == 1 { return pages.first }
            guard url.query != nil, let bare = try? WebURL(url.path, base: url) else { return nil }
            url = bare
        }
        return nil
    }

    /// Returns the fragment to which redirects lead; it counts instead of that of the reference (RFC 9110 §10.2.2).
    ///
    /// - Parameter url: The URL of a reference, without a fragment.
    /// - Returns: The fragment without its `#`; nil if no redirect has one.
    func fragment(of url: WebURL) -> String? {
        guard !fragments.isEmpty else { return nil }
        var (url, fragment) = (url, String?.none)
        for _ in 0...Self.redirectLimit {
            guard exact(url) == nil, let next = redirects[url.description] else { break }
            (url, fragment) = (next, fragments[url.description] ?? fragment)
        }
        return fragment
    }

    private func exact(_ url: WebURL) -> Int? {
        let text = url.description
        return numbers[text] ?? EquivalentSpelling.normal(text).flatMap { numbers[$0] }
    }

    /// Returns the media type of a resource; nil if none is known.
    func type(of resource: PackageIndex.Resource) -> MediaType? {
        let stated = Self.stated(resource)
        guard Self.isUnstated(stated) else { return stated }
        return unstated[resource.url.description] ?? stated
    }

    private static func stated(_ resource: PackageIndex.Resource) -> MediaType? {
        (resource.entry?.mediaType ?? resource.record?.fields[.contentType]).flatMap { MediaType($0) }
    }

    private static func isUnstated(_ type: MediaType?) -> Bool {
        type == nil || type?.essence == "application/octet-stream"
    }

    /// Returns the type of a body for which none is stated, or `application/octet-stream`, as a server of packages tells it
    /// (docs/reference/serve.md): by its name, or without a suffix by its beginning.
    ///
    /// - Parameters:
    ///   - path: The path of its URL.
    ///   - fields: The fields of its response; nil if the package has no record of it, as old ones. Then the beginning counts
    ///     whatever the name.
    ///   - beginning: Returns the beginning of the body.
    /// - Returns: The type; nil if the stated one applies.
    /// - Throws: Any error that `beginning` throws.
    static func guess(_ path: String, _ fields: HTTPFields?, _ beginning: () throws -> [UInt8]) rethrows -> MediaType? {
        if let type = MediaType(suffixOf: path) { return type }
        if let fields {
            let isOpen = fields[.xContentTypeOptions]?.lowercased() != "nosniff" && fields[.contentEncoding] == nil
            // A name with a suffix that isn't known is that of a file to download.
            let name = path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
            guard isOpen, !name.contains(UInt8(ascii: ".")) else { return nil }
        }
        return MediaType(ofUnstated: try beginning())
    }

    /// Returns true for a resource that becomes a file; the page for missing URLs has a URL that the site doesn't have.
    private static func isExported(_ resource: PackageIndex.Resource, of package: PackageReader) -> Bool {
        resource.member != nil && package.index.fallback?.missing != resource.url
    }
}
