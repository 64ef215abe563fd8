internal import AFCFiles
import AFCPlatform
internal import AFCZip

/// The resources that one thread keeps from body to body.
struct ExtractionBuffers: ~Copyable {
    /// The buffers for inflating.
    var body: BodyBuffers
    /// The folder of the last body.
    var folder = ExtractionFolder()
    /// The room for writes on the disk.
    var room = DiskRoom()

    init(body: consuming BodyBuffers) { self.body = body }
}

/// The folder for bodies, kept open because adjacent bodies are mostly in the same folder.
struct ExtractionFolder: ~Copyable {
    /// The path of the folder; empty before the first one.
    private(set) var name = ""
    private(set) var descriptor: Int32 = -1
    private var root = ""
    /// The part of the path below the root, with its slash.
    private var branch = ""

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Opens the folder of a file, creating it if necessary.
    ///
    /// - Parameters:
    ///   - root: The root folder.
    ///   - file: The path of the file below the root.
    /// - Returns: The file's name in its folder.
    /// - Throws: ``CacheError`` if the folder can't be created or opened.
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

    /// Returns true if a name in the folder is a link to an open file.
    func holds(_ file: Int32, as leaf: String) -> Bool {
        var (one, other) = (stat(), stat())
        return fstat(file, &one) == 0 && fstatat(descriptor, leaf, &other, AT_SYMLINK_NOFOLLOW) == 0
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// Returns the path of a file in the folder, for errors.
    func path(_ leaf: String) -> String { name + "/" + leaf }
}
