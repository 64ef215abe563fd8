internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPlatform
internal import AFCURL

/// The folder beside an exported file that has its video and audio; docs/reference/export.md.
final class MediaFolder {
    private let path: String
    private let folder: ExportFolder
    private var names = FileNames([], reserved: [FolderOutput.ownFolder])
    private var written: Set<String> = []

    /// True if nothing was written.
    var isEmpty: Bool { written.isEmpty }

    /// Begins the folder, which appears with the first file in it.
    ///
    /// - Parameter file: The exported file.
    /// - Throws: `PackageError` if something else is at its path.
    init(beside file: String) throws {
        let name = file.lowercased().hasSuffix(".html") ? String(file.dropLast(5)) : file
        path = name + ".media"
        folder = try ExportFolder(path)
    }

    /// Writes a body.
    ///
    /// - Returns: Its path relative to the file's folder, its size in bytes, and false if it is there already.
    /// - Throws: `PackageError` if it can't be written, and any error that `body` throws.
    func write(
        _ item: ExportedItem,
        _ essence: String,
        _ body: ExportedBody
    ) throws -> (name: String, size: Int64, isNew: Bool) {
        let name = names.next(item.url, essence, digest: item.digest)
        let isNew = written.insert(name).inserted
        let size = isNew ? try folder.write(name, modified: item.modified, body) : 0
        return ("\(Durable.name(of: path))/\(name)", size, isNew)
    }

    /// Gives the folder its name, if there is something in it.
    func commit() throws {
        if !isEmpty { try folder.commit() }
    }
}
