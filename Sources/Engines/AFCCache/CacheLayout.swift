internal import AFCFiles
internal import AFCText

/// The paths in the cache's folder; see docs/developers/cache-format.md.
struct CacheLayout: Sendable {
    /// The cache's folder, without a slash at the end.
    let root: String

    init(root: String) {
        var path = root[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        self.root = path.isEmpty ? "." : String(path)
    }

    /// The catalogue.
    var catalogue: String { root + "/" + Self.catalogueName }
    static let catalogueName = "catalogue.json"
    /// The name of the file with the same bytes, which is read if the catalogue is missing or damaged.
    static let copyName = "catalogue.copy"
    /// The name of the folder with the numbers of evicted entries.
    static let evictedName = "evicted"
    /// The name of the folder with the reserve: files that are removed when the disk is full.
    static let reserveName = "reserve"
    /// The path of the reserve's folder.
    var reserve: String { root + "/" + Self.reserveName }
    /// The number of bytes that the cache takes on disk, without the reserve.
    var usage: Int64 { Folders.usage(root) - Folders.usage(reserve) }
    /// The file with a number that increases with each change.
    var changes: String { root + "/changes" }
    /// The lock file of the single writer.
    var lock: String { root + "/writer.lock" }
    /// The folder of the generations, each of which has its own folder.
    var packages: String { root + "/packages" }
    /// The folder for files being written; if nobody holds the lock, its contents are leftovers.
    var staging: String { root + "/staging" }
    /// The folder for packages that are being downloaded.
    var downloads: String { root + "/downloads" }
    /// The folder for what is remembered of channels.
    var channels: String { root + "/channels" }

    /// The paths of received responses.
    var received: ReceivedLayout { ReceivedLayout(root: root) }

    /// Returns the path of a file with the numbers of evicted entries.
    func evicted(_ file: String) -> String { "\(root)/\(Self.evictedName)/\(file)" }

    /// Returns the paths of an installed generation.
    func generation(_ folder: String) -> GenerationLayout {
        GenerationLayout(store: root, area: "packages", folder: folder)
    }
    /// Returns the paths of a generation that is being written.
    func staged(_ folder: String) -> GenerationLayout {
        GenerationLayout(store: root, area: "staging", folder: folder)
    }
}

/// The paths of received responses.
struct ReceivedLayout: Sendable {
    /// The cache's folder.
    let root: String

    /// Heads and small bodies: an SQLite database in WAL mode.
    var database: String { root + "/received.sqlite" }
    /// The file with a number that increases with each change of received responses.
    var changes: String { root + "/received.changes" }
    /// The file that is locked while that number changes.
    var changesLock: String { root + "/received.changes.lock" }
    /// The lock file of the only process that may add received responses.
    var lock: String { root + "/received.lock" }
    /// The folder of the large bodies.
    var files: String { root + "/received" }

    /// Returns the path of a large body's file, for messages.
    func body(_ number: UInt64) -> String { "\(files)/\(Self.place(number))" }

    /// Opens the file of a large body; nil if it doesn't exist.
    func openBody(_ number: UInt64) throws(CacheError) -> Int32? {
        try openFiles()?.file(Self.place(number))
    }

    /// Opens the folder of the large bodies; nil if it doesn't exist.
    func openFiles() throws(CacheError) -> OpenFolder? { try OpenFolder(path: root).folderIfThere("received") }

    /// Opens the folder of the large bodies, and creates it if it doesn't exist.
    func makeFiles() throws(CacheError) -> OpenFolder {
        let store = try OpenFolder(path: root)
        try store.make("received")
        return try store.folder("received")
    }

    /// Returns the path of a large body in their folder.
    ///
    /// Its folder is named by the first two of its 16 digits.
    static func place(_ number: UInt64) -> String {
        let name = OwnName.digits(number)
        return "\(name.prefix(2))/\(name)"
    }
}

/// The paths in the folder of a generation.
struct GenerationLayout: Sendable {
    static let filesName = "files"
    static let indexName = "index"
    static let recencyName = "recency"
    static let recordName = "catalogue.json"
    static let rulesName = "match.json"
    static let fallbackName = "fallback.json"
    static let absentName = "absent"
    static let searchName = "search"

    /// The cache's folder.
    let store: String
    /// The folder in the cache that contains the generation: `packages` or `staging`.
    let area: String
    /// The name of the generation's folder.
    let folder: String

    /// The path of the folder, for new generations and for messages.
    ///
    /// Folders that someone else may have created are opened with ``open()``.
    var root: String { "\(store)/\(area)/\(folder)" }
    /// The folder of the bodies, at hostname/path.
    var files: String { root + "/" + Self.filesName }
    /// The folder of the package's user data.
    var userData: String { root + "/userdata" }
    /// The index, which maps URLs to responses.
    var index: String { root + "/" + Self.indexName }
    /// The file with the time of each entry's last use.
    var recency: String { root + "/" + Self.recencyName }
    /// The search index; it may be missing.
    var search: String { root + "/" + Self.searchName }

    /// Returns the path of a body.
    func body(_ member: String) -> String { files + "/" + member }

    /// Opens the folder without following links below the cache's folder.
    func open() throws(CacheError) -> OpenFolder {
        guard OwnName.mayBeGeneration(folder) else {
            throw CacheError(
                .damaged,
                subject: store,
                message: "the catalogue contains an invalid folder name"
            )
        }
        return try OpenFolder(path: store).folder(area).folder(folder)
    }

    /// Opens the folder of the bodies.
    func openFiles() throws(CacheError) -> OpenFolder { try open().folder(Self.filesName) }

    /// Opens the folder; nil if it, or a folder that contains it, is missing or isn't a folder.
    ///
    /// - Throws: ``CacheError`` if it exists and can't be opened.
    func openIfThere() throws(CacheError) -> OpenFolder? { try openIfThere([area, folder]) }

    /// Opens the folder of the bodies; nil if it, or a folder that contains it, is missing or isn't a folder.
    ///
    /// - Throws: ``CacheError`` if it exists and can't be opened.
    func openFilesIfThere() throws(CacheError) -> OpenFolder? { try openIfThere([area, folder, Self.filesName]) }

    private func openIfThere(_ names: [String]) throws(CacheError) -> OpenFolder? {
        guard OwnName.mayBeGeneration(folder) else { return nil }
        var opened = try OpenFolder(path: store)
        for name in names {
            guard opened.kind(of: name) == .folder, let next = try opened.folderIfThere(name) else { return nil }
            opened = next
        }
        return opened
    }
}
