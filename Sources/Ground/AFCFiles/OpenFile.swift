import AFCPlatform
internal import AFCText

/// A file that is open for as long as somebody holds it; reads and writes name their position, so threads may share it.
public final class OpenFile: Sendable {
    package let descriptor: Int32
    /// The file's path, for errors.
    public let path: String

    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a regular file for reading.
    ///
    /// - Throws: ``FileError`` where it can't be opened or is no regular file.
    public convenience init(reading path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        self.init(descriptor: descriptor, path: path)
        _ = try regularStatus()
    }

    /// Makes a file without a name, which goes away with its last holder.
    ///
    /// - Throws: ``FileError`` where the folder can't hold one.
    public convenience init(temporaryIn folder: String) throws(FileError) {
        var (path, descriptor, attempts): (String, Int32, Int) = ("", -1, 0)
        repeat {
            path = "\(folder)/.afcache-spool-\(String(UInt64.random(in: .min ... .max), radix: 16))"
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            attempts += 1
        } while descriptor < 0 && errno == EEXIST && attempts < 100
        guard descriptor >= 0 else { throw .system("cannot make a temporary file in", folder) }
        unlink(path)
        self.init(descriptor: descriptor, path: path)
    }

    /// Makes a file that isn't there yet, to be written.
    ///
    /// - Throws: ``FileError`` where the folder can't hold it.
    package convenience init(creating path: String, mode: UInt32 = 0o666) throws(FileError) {
        guard let descriptor = Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode) else {
            throw .system("cannot make", path)
        }
        self.init(descriptor: descriptor, path: path)
    }

    /// Opens a regular file for reading and writing, or makes it, and cuts it off behind so many bytes.
    ///
    /// - Throws: ``FileError`` where it can't be opened, is no regular file, or has fewer bytes.
    package convenience init(updating path: String, keeping length: Int64) throws(FileError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        self.init(descriptor: descriptor, path: path)
        let status = try regularStatus()
        guard Int64(status.st_size) >= length else {
            let problem = "has \(status.st_size) bytes of the \(length) that were written"
            throw FileError(path, "\(PrintableText.quoted(path)) \(problem)")
        }
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .system("cannot cut off", path) }
    }

    deinit { close(descriptor) }

    /// A path that leads to the open file for as long as it is held, also where it has no name.
    public var heldPath: String { "/dev/fd/\(descriptor)" }

    /// What the system says of the file, if it is one.
    private func regularStatus() throws(FileError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot look at", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(path, "\(PrintableText.quoted(path)) is not a regular file")
        }
        return status
    }

    /// Writes what the system still holds of the file to the disk.
    ///
    /// - Throws: ``FileError`` where that fails.
    package func sync() throws(FileError) {
        guard Descriptor.sync(descriptor) else { throw .system("cannot sync", path) }
    }

    /// The file's size in bytes.
    public func size() throws(FileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot look at", path) }
        return Int64(status.st_size)
    }

    /// Reads at a position until the buffer is full or the file ends.
    ///
    /// - Returns: How many bytes were read.
    /// - Throws: ``FileError`` where reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        guard let count = Descriptor.read(descriptor, into: buffer, at: offset) else {
            throw .system("cannot read", path)
        }
        return count
    }

    /// Reads all of a small file.
    ///
    /// - Parameter limit: The most bytes that it may have.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` where reading fails or the file is larger.
    public func contents(upTo limit: Int) throws(FileError) -> [UInt8] {
        try bytes(size(upTo: limit), at: 0)
    }

    /// The file's size in bytes, if it isn't more than a reader takes.
    ///
    /// - Parameter limit: The most bytes that it may have.
    /// - Returns: The size.
    /// - Throws: ``FileError`` where the file is larger.
    public func size(upTo limit: Int) throws(FileError) -> Int {
        let size = try size()
        guard size <= Int64(limit) else {
            throw FileError(path, "\(PrintableText.quoted(path)) is larger than \(limit) bytes")
        }
        return Int(size)
    }

    /// The file's first bytes.
    ///
    /// - Parameter count: How many; the file has as many.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` where reading fails.
    public func beginning(_ count: Int) throws(FileError) -> [UInt8] { try bytes(count, at: 0) }

    /// Returns true if the file begins with these bytes.
    ///
    /// - Throws: ``FileError`` where reading fails.
    public func startsWith(_ bytes: [UInt8]) throws(FileError) -> Bool {
        guard try size() >= Int64(bytes.count) else { return false }
        return try self.bytes(bytes.count, at: 0) == bytes
    }

    /// Reads so many bytes at a position.
    ///
    /// - Throws: ``FileError`` where reading fails or the file ends before.
    package func bytes(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(FileError) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard bytes.count == count else {
            throw FileError(path, "\(PrintableText.quoted(path)) ends before byte \(offset + Int64(count))", .truncated)
        }
        return bytes
    }

    /// Writes all of the bytes at a position.
    ///
    /// - Throws: ``FileError`` where writing fails.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        guard Descriptor.write(bytes, to: descriptor, at: offset) else { throw .system("cannot write", path) }
    }

    /// Copies a part of another file within the kernel, as far as that goes.
    ///
    /// - Returns: How many bytes were copied: less than asked for where the file ends, or the system doesn't copy between
    ///   these files.
    /// - Throws: ``FileError`` where reading or writing fails.
    package func copy(_ count: Int, of source: OpenFile, at offset: Int64, to position: Int64) throws(FileError) -> Int
    {
        guard let copied = Descriptor.copy(count, of: source.descriptor, at: offset, to: descriptor, at: position)
        else {
            throw .system("cannot write", path)
        }
        return copied
    }
}
