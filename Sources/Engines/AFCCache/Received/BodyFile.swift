internal import AFCFiles
import AFCPlatform

/// The file of a large received body, open; nobody knows of it before the database does.
final class BodyFile: Sendable {
    /// Its name: chosen by chance, so that no name means two bodies, whatever becomes of the database.
    let number: UInt64
    let path: String
    let descriptor: Int32
    private let layout: ReceivedLayout

    /// Makes a file.
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
    /// - Returns: How many; fewer than asked for only where the file ends.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        guard let count = Descriptor.read(descriptor, into: buffer, at: offset) else {
            throw .system("cannot read", path: path)
        }
        return count
    }

    /// Gives all bytes back to the disk.
    func empty() throws(CacheError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system("cannot empty", path: path) }
    }

    /// Removes the name; those who have the file open may read on.
    func remove() { Self.remove(number, in: layout) }

    /// Removes the file of a body.
    static func remove(_ number: UInt64, in layout: ReceivedLayout) {
        try? layout.openFiles()?.removeFile(ReceivedLayout.place(number))
    }

    /// Brings the bytes and names of files to the disk.
    ///
    /// Where they are many, one call for the whole file system costs less than one for each.
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
