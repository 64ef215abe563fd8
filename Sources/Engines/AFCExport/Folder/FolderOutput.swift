package import AFCDiscovery
package import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
package import AFCURL

/// An export as a folder: a file for each resource, and a page that lists and searches them; docs/reference/export.md.
package final class FolderOutput: ExportOutput {
    /// The folder of the export's own files.
    static let ownFolder = "_afcache"
    /// The origin that stands for the folder.
    private static let origin = "http://export.invalid/"

    package let place = ReferenceRewriter.Place.folder
    private let folder: ExportFolder
    /// The paths of resources, by number.
    private let paths: [String]
    /// The paths that are written; two resources with one body may have one path.
    private var written: Set<String> = []
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
        let resources = plan.items.lazy.map { packages[$0.package].index.resources[$0.resource] }
        var names = FileNames(
            resources.map { (url: $0.url, essence: plan.type(of: $0)?.essence) },
            reserved: [Self.ownFolder, "index.html"]
        )
        paths = resources.map { names.next($0.url, plan.type(of: $0)?.essence, digest: $0.record?.sha256) }
    }

    package func shown(_ number: Int, _ url: WebURL) -> WebURL? { Self.url(of: paths[number]) }

    package func address(of number: Int, _ type: MediaType?) -> WebURL? { Self.url(of: paths[number]) }

    package func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate) -> [UInt8]? {
        guard type.isPage else { return type.essence == "image/svg+xml" ? DrawingFence.drawing(body) : nil }
        let fence = PageFence(
            allowsScripts: scripts == .kept || scripts == .uncertain,
            encoding: type.parameter("charset").flatMap { TextEncoding(label: $0) }
        )
        return type.essence == "text/html" ? fence.html(body) : fence.xhtml(body)
    }

    package func write(
        _ item: ExportedItem,
        _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> Bool {
        guard written.insert(paths[item.number]).inserted else { return false }
        try folder.write(paths[item.number], modified: item.modified, body)
        return true
    }

    package func add(_ text: PageText, of item: ExportedItem) {
        search.add(text, address: paths[item.number], site: item.url.host ?? "")
    }

    package func finish(_ sites: [ExportedSite], redirects: [String: WebURL]) throws -> Int {
        try folder.write(
            "index.html",
            FolderHome.page(sites, hasSearch: search.count > 0) { Self.address(of: paths[$0.number]) }
        )
        if search.count > 0 {
            try folder.write(Self.ownFolder + "/search.js", FolderHome.script)
            for file in search.files() { try folder.write(Self.ownFolder + "/" + file.name, file.text) }
        }
        try folder.commit()
        return search.count
    }

    /// Returns the URL that stands for a path in the folder.
    private static func url(of path: String) -> WebURL? { try? WebURL(origin + address(of: path)) }

    /// Returns a path as a relative address, in which only letters beyond ASCII need an escape.
    private static func address(of path: String) -> String {
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
}
