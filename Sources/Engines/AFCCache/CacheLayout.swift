internal import AFCFiles
internal import AFCText

/// Where things lie in the cache's folder; see docs/cache.md.
struct CacheLayout: Sendable {
    /// The cache's folder, without a slash at its end.
    let root: String

    init(root: String) {
        var path = root[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        self.root = path.isEmpty ? "." : String(path)
    }

    /// The catalogue: SQLite in WAL mode.
    var catalogue: String { root + "/index.sqlite" }
    /// The catalogue as readers see it.
    var published: String { root + "/" + Self.publishedName }
    static let publishedName = "catalogue.json"
    /// The name of the folder of files that are given up when the disk is full.
    static let reserveName = "reserve"
    /// The path of that folder, for sizes.
    var reserve: String { root + "/" + Self.reserveName }
    /// The bytes that the cache takes on the disk, without those that are given up when the disk is full.
    var usage: Int64 { Folders.usage(root) - Folders.usage(reserve) }
    /// The number that grows with each change.
    var changes: String { root + "/changes" }
    /// What the one writer holds locked.
    var lock: String { root + "/writer.lock" }
    /// The generations, each in a folder of its own.
    var packages: String { root + "/packages" }
    /// What is being written; whatever lies here while nobody holds the lock is left over.
    var staging: String { root + "/staging" }
    /// Packages on their way from a server.
    var downloads: String { root + "/downloads" }

    /// What was received from origins, beside the packages.
    var received: ReceivedLayout { ReceivedLayout(root: root) }

    /// A generation in its place.
    func generation(_ folder: String) -> GenerationLayout {
        GenerationLayout(store: root, area: "packages", folder: folder)
    }
    /// A generation that is being written.
    func staged(_ folder: String) -> GenerationLayout {
        GenerationLayout(store: root, area: "staging", folder: folder)
    }
}

/// Where received responses lie.
struct ReceivedLayout: Sendable {
    /// The cache's folder.
    let root: String

    /// Heads and small bodies: SQLite in WAL mode.
    var database: String { root + "/received.sqlite" }
    /// The number that grows with each change of them.
    var changes: String { root + "/received.changes" }
    /// What is locked for as long as that number is changed.
    var changesLock: String { root + "/received.changes.lock" }
    /// What the one process holds locked that adds to them.
    var lock: String { root + "/received.lock" }
    /// The large bodies.
    var files: String { root + "/received" }

    /// The file of a large body, for words.
    func body(_ number: UInt64) -> String { "\(files)/\(Self.place(number))" }

    /// Opens the file of a large body; nil where it isn't there.
    func openBody(_ number: UInt64) throws(CacheError) -> Int32? {
        try openFiles()?.file(Self.place(number))
    }

    /// Opens the folder of the large bodies; nil where it isn't there.
    func openFiles() throws(CacheError) -> OpenFolder? { try OpenFolder(path: root).folderIfThere("received") }

    /// Opens the folder of the large bodies, which is made where it isn't there.
    func makeFiles() throws(CacheError) -> OpenFolder {
        let store = try OpenFolder(path: root)
        try store.make("received")
        return try store.folder("received")
    }

    /// Where a large body lies in their folder: in that of the first two of its 16 digits.
    static func place(_ number: UInt64) -> String {
        let name = OwnName.digits(number)
        return "\(name.prefix(2))/\(name)"
    }
}

/// Where things lie in the folder of a generation.
struct GenerationLayout: Sendable {
    static let filesName = "files"
    static let indexName = "index"
    static let recencyName = "recency"
    static let recordName = "catalogue.json"

    /// The cache's folder.
    let store: String
    /// Where in it the generation lies: `packages` or `staging`.
    let area: String
    /// The generation's own folder.
    let folder: String

    /// The folder's path, for what was just made and for words; what somebody else may have made is opened by ``open()``.
    var root: String { "\(store)/\(area)/\(folder)" }
    /// The bodies, at hostname/path.
    var files: String { root + "/" + Self.filesName }
    /// What the package carries along.
    var userData: String { root + "/userdata" }
    /// Which URL has which response.
    var index: String { root + "/" + Self.indexName }
    /// When each entry was last used.
    var recency: String { root + "/" + Self.recencyName }

    /// The file of a body.
    func body(_ member: String) -> String { files + "/" + member }

    /// Opens the folder, following no link below the cache's.
    func open() throws(CacheError) -> OpenFolder {
        guard OwnName.mayBeGeneration(folder) else {
            throw CacheError(
                .damaged,
                subject: store,
                message: "the catalogue names a folder that no generation can have"
            )
        }
        return try OpenFolder(path: store).folder(area).folder(folder)
    }

    /// Opens the folder of the bodies.
    func openFiles() throws(CacheError) -> OpenFolder { try open().folder(Self.filesName) }

    /// Opens the folder; nil where it, or a folder that it lies in, is missing or isn't a folder.
    ///
    /// - Throws: ``CacheError`` where one is there and can't be opened.
    func openIfThere() throws(CacheError) -> OpenFolder? { try openIfThere([area, folder]) }

    /// Opens the folder of the bodies; nil where it, or a folder that it lies in, is missing or isn't a folder.
    ///
    /// - Throws: ``CacheError`` where one is there and can't be opened.
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
