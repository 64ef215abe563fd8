package import AFCCaching
internal import AFCFiles
package import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
package import AFCURL
internal import Crypto
package import HTTPTypes

/// The generation of a package that is served, as something that can be read from its first resource to its last.
///
/// It contains packaged responses only, never received ones.
package struct CurrentGeneration: Sendable {
    /// A resource of the generation.
    package struct Resource: Sendable {
        /// The place of the resource in the generation, in the order of URLs.
        package let number: Int
        /// The URL, in normal form.
        package let url: String
        /// The status of the response.
        package let status: Int
        /// The fields of the response.
        package let fields: HTTPFields
        /// The size of the body, in bytes.
        package let size: Int64
        /// The SHA-256 of the body: 32 bytes, or empty.
        package let digest: [UInt8]
        fileprivate let indexed: IndexedResource

        /// The response in the form that tells how fresh it is.
        package var response: StoredResponse { indexed.response }
        /// True if it has a body, even an empty one.
        package var hasBody: Bool { indexed.member != nil }
        /// The time when the response expires; nil if it doesn't say.
        package var expires: Timestamp? { indexed.expires }
        /// The time when the origin last changed the resource; nil if it didn't say.
        package var lastModified: Timestamp? { indexed.lastModified }
    }

    private let opened: OpenPackage

    init(_ opened: OpenPackage) { self.opened = opened }

    /// True if the package is read from its file, so that nothing can be kept with it.
    package var isMounted: Bool { opened.files.mounted != nil }
    /// The name of the package.
    package var package: String { opened.name }
    /// A name that no other generation has: that of its folder, or of the mounted package with its digest.
    package var folder: String { isMounted ? "\(opened.name) \(digest)" : opened.generation.folder }
    /// The SHA-256 of the generation's index, which differs as soon as any resource does.
    package var digest: String { opened.generation.indexDigest }
    /// The number of resources, including evicted ones.
    package var resources: Int { opened.generation.resources }
    /// The time when the package was made, or else loaded.
    package var date: Timestamp { opened.generation.created ?? opened.generation.loaded }
    /// The origins of its resources.
    package var origins: [String] { opened.generation.origins.map(\.origin) }
    /// The URLs that the package's crawl began with.
    package var seeds: [String] { opened.generation.seeds }
    /// True if the user wants a search index to be kept with the package.
    package var isSearchable: Bool { opened.row.settings.isSearchable }

    /// Calls a body with each resource that has a body, in the order of URLs, without evicted ones.
    ///
    /// - Parameter body: Receives a resource, and returns whether it wants more.
    /// - Throws: ``CacheError`` if the index can't be read or is damaged, and any error of the closure.
    package func forEachResource(_ body: (Resource) throws(CacheError) -> Bool) throws(CacheError) {
        try opened.files.index().forEach { found throws(CacheError) in
            guard found.member != nil, !opened.isEvicted(found.number) else { return true }
            return try body(Resource(found))
        }
    }

    /// Calls a body with each resource from a number on, in the order of URLs, without evicted ones.
    ///
    /// - Parameters:
    ///   - start: The first number.
    ///   - body: Receives a resource, and returns whether it wants more.
    /// - Throws: ``CacheError`` if the index can't be read or is damaged, and any error of the closure.
    package func forEachResource(
        from start: Int,
        _ body: (Resource) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try opened.files.index().forEach(from: start) { found throws(CacheError) in
            guard !opened.isEvicted(found.number) else { return true }
            return try body(Resource(found))
        }
    }

    /// Returns the number of the first resource whose URL doesn't sort before a text.
    ///
    /// - Parameter text: A URL, or the beginning of one.
    /// - Returns: The number, which is that of no resource if all URLs sort before the text.
    /// - Throws: ``CacheError`` if the index can't be read or is damaged.
    package func firstNumber(notBefore text: String) throws(CacheError) -> Int {
        try opened.files.index().count(before: text)
    }

    /// Returns the resource with a number; nil if there is none, or if it was evicted.
    ///
    /// - Throws: ``CacheError`` if the index can't be read or is damaged.
    package func resource(_ number: Int) throws(CacheError) -> Resource? {
        guard let found = try opened.files.index().resource(number), !opened.isEvicted(found.number) else { return nil }
        return Resource(found)
    }

    /// Returns the resource with a URL; nil if there is none, or if it was evicted.
    ///
    /// - Throws: ``CacheError`` if the index can't be read or is damaged.
    package func resource(_ url: WebURL) throws(CacheError) -> Resource? {
        try opened.find(ResourceKey(url)).map { Resource($0) }
    }

    /// Returns the numbers of the resources of a host, over http and https, at any port.
    ///
    /// - Parameter host: The host as a URL serializes it.
    /// - Returns: Ranges of numbers.
    /// - Throws: ``CacheError`` if the index can't be read or is damaged.
    package func numbers(ofHost host: String) throws(CacheError) -> [Range<Int>] {
        let index = try opened.files.index()
        var ranges: [Range<Int>] = []
        for scheme in ["http", "https", "afcpkg"] {
            // The characters after '/' and ':' in the order of bytes are '0' and ';'.
            for (first, end) in [("/", "0"), (":", ";")] {
                let low = try index.count(before: "\(scheme)://\(host)\(first)")
                let high = try index.count(before: "\(scheme)://\(host)\(end)")
                if low < high { ranges.append(low..<high) }
            }
        }
        return ranges
    }

    /// Reads the body of a resource; blocks.
    ///
    /// - Parameters:
    ///   - resource: A resource of this generation.
    ///   - limit: The most bytes to read.
    /// - Returns: The body, or its first bytes; nil if its file is missing or shorter than it should be.
    /// - Throws: ``CacheError`` if the file can't be read, or the mounted package was changed or is damaged.
    package func body(of resource: Resource, limit: Int) throws(CacheError) -> [UInt8]? {
        guard let member = resource.indexed.member else { return nil }
        let wanted = Int(min(max(0, resource.size), Int64(limit)))
        if let mounted = opened.files.mounted {
            return try mounted.firstBytes(of: resource.indexed, count: wanted, path: mounted.name(of: member))
        }
        guard let descriptor = try opened.files.openBody(member) else { return nil }
        defer { close(descriptor) }
        var count: Int?
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            count = Descriptor.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            filled = max(0, min(count ?? 0, wanted))
        }
        guard let count else { throw .system("cannot read", path: opened.files.layout.body(member)) }
        return count == wanted ? bytes : nil
    }

    /// Reads the body of a resource, and returns its SHA-256 in hexadecimal digits; blocks.
    ///
    /// - Parameter number: The number of the resource.
    /// - Returns: The digest; empty if the body is missing.
    /// - Throws: ``CacheError`` if the file can't be read.
    package func sha256(of number: Int) throws(CacheError) -> String {
        guard let member = try resource(number)?.indexed.member,
            let descriptor = try opened.files.openBody(member)
        else { return "" }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var (hash, offset) = (SHA256(), Int64(0))
        while true {
            guard let count = Descriptor.read(descriptor, into: buffer, at: offset) else {
                throw .system("cannot read", path: opened.files.layout.body(member))
            }
            guard count > 0 else { return Hexadecimal.text(hash.finalize().map(\.self)) }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }

    /// Returns the path of the generation's search index, if it may be opened.
    ///
    /// It may be opened if it is a regular file behind no link, in folders that only this user or root can change.
    ///
    /// - Returns: The path; nil if there is no index, or if it may not be opened.
    package func searchIndex() -> String? {
        guard opened.files.mounted == nil, let folder = try? opened.files.layout.open(), folder.isOwn,
            folder.kind(of: GenerationLayout.searchName) == .file
        else { return nil }
        return opened.files.layout.search
    }
}

extension CurrentGeneration.Resource {
    fileprivate init(_ found: IndexedResource) {
        self.init(
            number: Int(found.number),
            url: found.url,
            status: found.status,
            fields: found.fields,
            size: found.size,
            digest: found.digest,
            indexed: found
        )
    }
}
