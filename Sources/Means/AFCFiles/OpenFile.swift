import AFCPlatform
internal import AFCText

/// A file that stays open as long as it is referenced.
///
/// Reads and writes state their position, so threads may share it.
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
    /// - Throws: ``FileError`` if it can't be opened or is not a regular file.
    public convenience init(reading path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        self.init(descriptor: descriptor, path: path)
        _ = try regularStatus()
    }

    /// Creates a file without a name, which disappears with its last reference.
    ///
    /// - Throws: ``FileError`` if the folder can't hold it.
    public convenience init(temporaryIn folder: String) throws(FileError) {
        var (path, descriptor, attempts): (String, Int32, Int) = ("", -1, 0)
        repeat {
            path = "\(folder)/.afcache-spool-\(String(UInt64.random(in: .min ... .max), radix: 16))"
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            attempts += 1
        } while descriptor < 0 && errno == EEXIST && attempts < 100
        guard descriptor >= 0 else { throw .system("cannot create a temporary file in", folder) }
        unlink(path)
        self.init(descriptor: descriptor, path: path)
    }

    /// Creates a new file for writing.
    ///
    /// - Throws: ``FileError`` if the file exists or the folder can't hold it.
    package convenience init(creating path: String, mode: UInt32 = 0o666) throws(FileError) {
        guard let descriptor = Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode) else {
            throw .system("cannot create", path)
        }
        self.init(descriptor: descriptor, path: path)
    }

    /// Opens or creates a regular file for reading and writing, and truncates it to a length.
    ///
    /// - Throws: ``FileError`` if it can't be opened, is not a regular file, or is shorter than that.
    package convenience init(updating path: String, keeping length: Int64) throws(FileError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        self.init(descriptor: descriptor, path: path)
        let status = try regularStatus()
        guard Int64(status.st_size) >= length else {
            let problem = "has \(status.st_size) bytes instead of the \(length) that were written"
            throw FileError(path, "\(PrintableText.quoted(path)) \(problem)")
        }
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .system("cannot truncate", path) }
    }

    deinit { close(descriptor) }

    /// A path that leads to the open file as long as it is open, even if it has no name.
    public var heldPath: String { "/dev/fd/\(descriptor)" }

    /// Returns the file's status; throws unless it is a regular file.
    private func regularStatus() throws(FileError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot access", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder, not a file" : "not a regular file"
            throw FileError(path, "\(PrintableText.quoted(path)) is \(kind)")
        }
        return status
    }

    /// Syncs the file to disk.
    ///
    /// - Throws: ``FileError`` if that fails.
    package func sync() throws(FileError) {
        guard Descriptor.sync(descriptor) else { throw .system("cannot sync", path) }
    }

    /// Returns the file's size in bytes.
    public func size() throws(FileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot access", path) }
        return Int64(status.st_size)
    }

    /// Reads at a position until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    /// - Throws: ``FileError`` if reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        guard let count = Descriptor.read(descriptor, into: buffer, at: offset) else {
            throw .system("cannot read", path)
        }
        return count
    }

    /// Reads all of a small file.
    ///
    /// - Parameter limit: The maximum size of the file.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` if reading fails or the file is larger.
    public func contents(upTo limit: Int) throws(FileError) -> [UInt8] {
        try bytes(size(upTo: limit), at: 0)
    }

    /// Returns the file's size in bytes if it is within a limit.
    ///
    /// - Parameter limit: The maximum size of the file.
    /// - Returns: The size.
    /// - Throws: ``FileError`` if the file is larger.
    public func size(upTo limit: Int) throws(FileError) -> Int {
        let size = try size()
        guard size <= Int64(limit) else {
            throw FileError(path, "\(PrintableText.quoted(path)) is larger than \(limit) bytes")
        }
        return Int(size)
    }

    /// Returns the file's first bytes.
    ///
    /// - Parameter count: The number of bytes, which the file must have.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` if reading fails or the file is shorter.
    public func beginning(_ count: Int) throws(FileError) -> [UInt8] { try bytes(count, at: 0) }

    /// Returns true if the file begins with these bytes.
    ///
    /// - Throws: ``FileError`` if reading fails.
    public func startsWith(_ bytes: [UInt8]) throws(FileError) -> Bool {
        guard try size() >= Int64(bytes.count) else { return false }
        return try self.bytes(bytes.count, at: 0) == bytes
    }

    /// Reads a number of bytes at a position.
    ///
    /// - Throws: ``FileError`` if reading fails or the file is too short.
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
    /// - Throws: ``FileError`` if writing fails.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        guard Descriptor.write(bytes, to: descriptor, at: offset) else { throw .system("cannot write", path) }
    }

    /// Copies a part of another file within the kernel, as far as possible.
    ///
    /// - Returns: The number of bytes copied, fewer than requested if the file ends or the system can't copy between
    ///   these files.
    /// - Throws: ``FileError`` if reading or writing fails.
    package func copy(_ count: Int, of source: OpenFile, at offset: Int64, to position: Int64) throws(FileError) -> Int
    {
        guard let copied = Descriptor.copy(count, of: source.descriptor, at: offset, to: descriptor, at: position)
        else {
            throw .system("cannot write", path)
        }
        return copied
    }
}
