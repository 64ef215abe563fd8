internal import AFCFiles
import AFCPlatform
internal import AFCZip

/// What one thread keeps from body to body.
struct ExtractionBuffers: ~Copyable {
    /// Room to inflate in.
    var body: BodyBuffers
    /// Where it wrote last.
    var folder = ExtractionFolder()
    /// What may be written to the disk.
    var room = DiskRoom()

    init(body: consuming BodyBuffers) { self.body = body }
}

/// The folder that bodies are written to, kept open: neighbours lie in one, and the way to it is walked once.
struct ExtractionFolder: ~Copyable {
    /// The folder's path, empty before the first.
    private(set) var name = ""
    private(set) var descriptor: Int32 = -1
    private var root = ""
    /// The part below the root, with its slash.
    private var branch = ""

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Opens the folder of a file, and makes it where it isn't there.
    ///
    /// - Parameters:
    ///   - root: A folder.
    ///   - file: The file's path below it.
    /// - Returns: The file's name in its folder.
    /// - Throws: ``CacheError`` where the folder can't be made or opened.
    mutating func enter(_ root: String, _ file: String) throws(CacheError) -> String {
        let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { file.utf8.index(after: $0) } ?? file.startIndex
        let leaf = String(file[start...])
        guard descriptor < 0 || root != self.root || file[..<start] != branch[...] else { return leaf }
        let name = slash.map { root + "/" + file[..<$0] } ?? root
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var opened = open(name, flags)
        if opened < 0, errno == ENOENT {
            try Folders.make(name)
            opened = open(name, flags)
        }
        guard opened >= 0 else { throw .system("cannot open", path: name) }
        if descriptor >= 0 { close(descriptor) }
        (descriptor, self.name, self.root, branch) = (opened, name, root, String(file[..<start]))
        return leaf
    }

    /// The path of a file in the folder, for errors.
    func path(_ leaf: String) -> String { name + "/" + leaf }
}
