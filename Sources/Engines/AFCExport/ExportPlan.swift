internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
package import AFCURL
internal import HTTPTypes

/// The files that an export consists of: for each resource with a body a path, and where redirects lead.
package struct ExportPlan {
    /// The folder of the export's own files.
    package static let ownFolder = "_afcache"
    /// The origin that stands for the folder.
    static let origin = "http://export.invalid/"

    /// The paths of resources, by URL.
    private var paths: [String: String] = [:]
    /// The targets of redirects, by URL.
    private var redirects: [String: WebURL] = [:]
    /// The types of resources for which none is stated, as in old packages, by URL.
    private var unstated: [String: MediaType] = [:]
    /// The most redirects in a row that are followed.
    private static let redirectLimit = 20

    /// Makes the plan; of several packages with a URL, the first counts.
    ///
    /// - Throws: `PackageError` if a body is damaged whose beginning tells its type.
    package init(_ packages: [PackageReader]) throws {
        for package in packages {
            for resource in package.index.resources where Self.isUnstated(resource) {
                let text = resource.url.description
                unstated[text] =
                    try unstated[text] ?? MediaType(suffixOf: resource.url.path)
                    ?? MediaType(ofUnstated: package.beginning(of: resource, limit: MediaType.decidingBytes))
            }
        }
        let resources = packages.lazy.flatMap { package in
            package.index.resources.lazy.filter { Self.isExported($0, of: package) }
        }
        let unstated = unstated
        var names = FileNames(
            resources.map { (url: $0.url, essence: Self.type(of: $0, unstated)?.essence) },
            reserved: [Self.ownFolder, "index.html"]
        )
        for resource in resources where paths[resource.url.description] == nil {
            paths[resource.url.description] = names.next(
                resource.url,
                type(of: resource)?.essence,
                digest: resource.record?.sha256
            )
        }
        for package in packages {
            for resource in package.index.resources where resource.member == nil {
                let text = resource.url.description
                guard paths[text] == nil, redirects[text] == nil,
                    let location = resource.record?.fields[.location],
                    let target = try? WebURL(location, base: resource.url)
                else { continue }
                redirects[text] = target
            }
        }
    }

    /// Returns the path of a resource, if it has a file and is the first with its URL.
    func path(of resource: PackageIndex.Resource) -> String? { paths[resource.url.description] }

    /// Returns the path of the file that a reference to a URL means: of the resource itself, of that in another spelling,
    /// or of the one to which redirects lead; nil if no package has it.
    package func path(to url: WebURL) -> String? {
        var url = url
        for _ in 0...Self.redirectLimit {
            if let path = exact(url) { return path }
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

    private func exact(_ url: WebURL) -> String? {
        let text = url.description
        return paths[text] ?? EquivalentSpelling.normal(text).flatMap { paths[$0] }
    }

    /// Returns the URL that stands for a path in the folder.
    static func url(of path: String) -> WebURL? { try? WebURL(origin + address(of: path)) }

    /// Returns a path as a relative address, in which only letters beyond ASCII need an escape.
    static func address(of path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            if byte >= 0x80 {
                text += "%" + String(byte, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    /// Returns the media type of a resource; nil if a record states none.
    func type(of resource: PackageIndex.Resource) -> MediaType? { Self.type(of: resource, unstated) }

    private static func type(of resource: PackageIndex.Resource, _ unstated: [String: MediaType]) -> MediaType? {
        if isUnstated(resource) { return unstated[resource.url.description] }
        return (resource.entry?.mediaType ?? resource.record?.fields[.contentType]).flatMap { MediaType($0) }
    }

    private static func isUnstated(_ resource: PackageIndex.Resource) -> Bool {
        resource.record == nil && resource.entry?.mediaType == nil && resource.member != nil
    }

    /// Returns true for a resource that becomes a file; the page for missing URLs has a URL that the site doesn't have.
    private static func isExported(_ resource: PackageIndex.Resource, of package: PackageReader) -> Bool {
        resource.member != nil && package.index.fallback?.missing != resource.url
    }
}
