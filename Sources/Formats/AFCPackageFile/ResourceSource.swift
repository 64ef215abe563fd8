internal import AFCPackageFormat
public import AFCText
public import AFCURL

/// Resources that are sorted by URL, each there once, and read several times, none of them kept meanwhile.
///
/// Each pass gives the same. A pass blocks, and throws what it is given to throw.
public protocol ResourceSource: Sendable {
    /// Gives the URL of each resource that has an entry, so no redirect, sorted by bytes.
    ///
    /// - Parameter body: Called with each URL.
    /// - Throws: What the body throws, and ``PackageError`` where the resources can't be read.
    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError)

    /// Gives each resource, redirects too, sorted by the bytes of its URL.
    ///
    /// - Parameter body: Called with each resource.
    /// - Throws: What the body throws, and ``PackageError`` where the resources can't be read.
    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError)
}

/// Resources at hand.
public struct SortedResources: ResourceSource {
    private let resources: [PackageWriter.Resource]

    /// Sorts resources of which each URL is there once.
    public init(_ resources: [PackageWriter.Resource]) {
        self.resources = resources.sorted { $0.record.url < $1.record.url }
    }

    /// Gives the URL of each resource that has an entry; see ``ResourceSource``.
    public func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        for resource in resources where resource.entry != nil { try body(resource.record.url) }
    }

    /// Gives each resource; see ``ResourceSource``.
    public func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        for resource in resources { try body(resource) }
    }
}
