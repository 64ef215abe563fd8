internal import AFCFiles
import AFCPlatform

/// The open file of a large received body, unknown to others until the database refers to it.
final class BodyFile: Sendable {
    /// The random number that names the file.
    ///
    /// Since it is random, a name never means two bodies, whatever happens to the database.
    let number: UInt64
    let path: String
    let descriptor: Int32
    private let layout: ReceivedLayout

    /// Creates a file.
    init(in layout: ReceivedLayout) throws(CacheError) {
        var generator = SystemRandomNumberGenerator()
        number = generator.next()
        path = layout.body(number)
        let place = ReceivedLayout.place(number)
        guard let (folder, name) = try layout.makeFiles().parent(of: place, making: true) else {
            throw .system("cannot create", path: path, number: ENOENT)
        }
        descriptor = openat(folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("cannot create", path: path) }
        self.layout = layout
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes bytes at a position.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheError) {
        guard Descriptor.write(bytes, to: descriptor, at: offset) else { throw .system("cannot write", path: path) }
    }

    /// Reads bytes at a position.
    ///
    /// - Returns: The number of bytes; fewer than requested only if the file ends.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        guard let count = Descriptor.read(descriptor, into: buffer, at: offset) else {
            throw .system("cannot read", path: path)
        }
        return count
    }

    /// Truncates the file to free its disk space.
    func empty() throws(CacheError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system("cannot empty", path: path) }
    }

    /// Removes the name; users that have the file open may continue to read it.
    func remove() { Self.remove(number, in: layout) }

    /// Removes the file of a body.
    static func remove(_ number: UInt64, in layout: ReceivedLayout) {
        try? layout.openFiles()?.removeFile(ReceivedLayout.place(number))
    }

    /// Syncs the bytes and names of files to disk.
    ///
    /// For many files, one call for the whole file system costs less than one for each.
    static func sync(_ files: [BodyFile], in layout: ReceivedLayout) throws(CacheError) {
        guard !files.isEmpty else { return }
        #if os(Linux)
        if files.count > 4 { return try Folders.sync(layout.files) }
        #endif
        for file in files {
            guard fsync(file.descriptor) == 0 else { throw .system("cannot sync", path: file.path) }
        }
        let folders = Set(files.compactMap { $0.path.lastIndex(of: "/").map($0.path.prefix(upTo:)) })
        for folder in folders.map(String.init) + [layout.files] { try Folders.syncNames(folder) }
    }
}
