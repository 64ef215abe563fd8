package import AFCDiscovery
package import AFCHTTP
internal import AFCPackageFile
package import AFCURL
internal import Synchronization

/// The files of an exported folder.
package final class FolderPlaces: ExportPlaces {
    /// The origin that stands for the folder.
    private static let origin = "http://export.invalid/"
    /// The most URLs that are made before they are needed; each takes about 200 bytes.
    private static let urlLimit = 200_000

    package let kind = ReferenceRewriter.Place.folder
    /// The paths of resources, by number.
    let paths: [String]
    /// The URLs that stand for the first of them.
    private let urls: [WebURL?]
    private let folder: ExportFolder
    /// The paths that are written; two resources with one body may have one path.
    private let written = Mutex<Set<String>>([])

    init(_ folder: ExportFolder, _ paths: [String]) {
        (self.folder, self.paths) = (folder, paths)
        urls = paths.prefix(Self.urlLimit).map(Self.url)
    }

    package func shown(_ number: Int, _ url: WebURL) -> WebURL? { self.url(of: number) }

    package func address(of number: Int, isPage: Bool) -> WebURL? { url(of: number) }

    package func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate) -> [UInt8]? {
        PageFence.fenced(body, type, scripts, scheme: "file")
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool? {
        let path = paths[item.number]
        guard written.withLock({ $0.insert(path).inserted }) else { return false }
        try folder.write(path, modified: item.modified, body)
        return true
    }

    private func url(of number: Int) -> WebURL? { number < urls.count ? urls[number] : Self.url(of: paths[number]) }

    /// Returns the URL that stands for a path in the folder.
    private static func url(of path: String) -> WebURL? { try? WebURL(origin + address(of: path)) }

    /// Returns a path as a relative address, in which only letters beyond ASCII need an escape.
    static func address(of path: String) -> String {
        guard path.utf8.contains(where: { $0 >= 0x80 }) else { return path }
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
