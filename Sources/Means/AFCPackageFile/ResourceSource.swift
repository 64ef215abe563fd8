internal import AFCPackageFormat
public import AFCText
public import AFCURL

/// A sequence of distinct resources, sorted by URL, that is read several times and need not be in memory.
///
/// Each pass gives the same resources. A pass blocks, and rethrows errors of its body.
public protocol ResourceSource: Sendable {
    /// Calls a body with the URL of each resource that has an entry, which excludes redirects, sorted by bytes.
    ///
    /// - Parameter body: Called with each URL.
    /// - Throws: Any error of the body, and ``PackageError`` if the resources can't be read.
    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError)

    /// Calls a body with each resource, including redirects, sorted by the bytes of the URL.
    ///
    /// - Parameter body: Called with each resource.
    /// - Throws: Any error of the body, and ``PackageError`` if the resources can't be read.
    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError)
}

/// Resources in memory.
public struct SortedResources: ResourceSource {
    private let resources: [PackageWriter.Resource]

    /// Sorts resources, whose URLs must be distinct.
    public init(_ resources: [PackageWriter.Resource]) {
        self.resources = resources.sorted { $0.record.url < $1.record.url }
    }

    /// Calls a body with the URL of each resource that has an entry; see ``ResourceSource``.
    public func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        for resource in resources where resource.entry != nil { try body(resource.record.url) }
    }

    /// Calls a body with each resource; see ``ResourceSource``.
    public func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        for resource in resources { try body(resource) }
    }
}
