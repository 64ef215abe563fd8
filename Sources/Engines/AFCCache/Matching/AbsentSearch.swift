internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

/// A search for a URL that a package's site doesn't have, as the crawl that made the package found.
///
/// It costs one search in the list of each package with the host, and only if nothing else was found.
struct AbsentSearch {
    private let request: OfflineRequest

    /// Prepares a search; nil if a request must get exactly what it asks for.
    init?(_ request: OfflineRequest, by matching: QueryMatching) {
        guard matching != .exact, request.isPlain else { return nil }
        self.request = request
    }

    /// Finds the status, as an empty response of the package whose list has the URL.
    func find(in snapshot: Snapshot) throws(CacheError) -> Snapshot.Found? {
        let key = ResourceKey(request.url)
        let spellings = [key.text, EquivalentSpelling.normal(key.text)].compactMap(\.self)
        var found: Snapshot.Found?
        for package in snapshot.packages(withHost: key.host) {
            // What a package has isn't absent, also if it was evicted.
            if try package.files.index().find(key) != nil { return nil }
            guard found == nil, let absent = try package.files.absent(),
                let status = spellings.lazy.compactMap({ absent.status(of: $0) }).first
            else { continue }
            let resource = IndexedResource(
                url: key.text,
                number: IndexedResource.noNumber,
                status: status,
                size: 0,
                received: package.generation.created ?? package.generation.loaded,
                fields: HTTPFields(),
                digest: []
            )
            found = Snapshot.Found(key: key, resource: resource, package: package)
        }
        return found
    }
}
