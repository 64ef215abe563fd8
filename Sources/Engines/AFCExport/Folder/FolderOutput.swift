internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
package import AFCURL

/// An export as a folder: a file for each resource, and a page that lists and searches them; docs/reference/export.md.
package final class FolderOutput: ExportOutput {
    /// The folder of the export's own files.
    static let ownFolder = "_afcache"

    package let places: FolderPlaces
    package var workers: Int { ParallelWork.processors }
    private let folder: ExportFolder
    private var search = ExportSearch()

    /// Begins a folder, which appears once it is complete.
    ///
    /// - Parameters:
    ///   - path: The folder, which may not exist, be empty, or be an older export.
    ///   - plan: The resources.
    ///   - packages: The packages of the plan.
    /// - Throws: `PackageError` if something else is at the path.
    package init(_ path: String, _ plan: ExportPlan, of packages: [PackageReader]) throws {
        folder = try ExportFolder(path)
        let resources = plan.items.map { item in
            let resource = packages[item.package].index.resources[item.resource]
            return (url: resource.url, essence: plan.type(of: resource)?.essence, digest: resource.record?.sha256)
        }
        var names = FileNames(
            resources.lazy.map { (url: $0.url, essence: $0.essence) },
            reserved: [Self.ownFolder, "index.html"]
        )
        places = FolderPlaces(folder, resources.map { names.next($0.url, $0.essence, digest: $0.digest) })
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool {
        // Its place has written it.
        false
    }

    package func add(_ page: SearchedPage, of item: ExportedItem) {
        search.add(page, address: places.paths[item.number], site: item.url.host ?? "")
    }

    package func finish(_ sites: [ExportedSite], redirects: [String: WebURL]) throws -> Int {
        try folder.write(
            "index.html",
            FolderHome.page(sites, hasSearch: search.count > 0) { FolderPlaces.address(of: places.paths[$0.number]) }
        )
        if search.count > 0 {
            try folder.write(Self.ownFolder + "/search.js", FolderHome.script)
            for file in search.files() { try folder.write(Self.ownFolder + "/" + file.name, file.text) }
        }
        try folder.commit()
        return search.count
    }
}
