internal import Synchronization

/// A file that bodies wait in, compressed, until the archive is written; any number of threads append.
public final class SpoolFile: Sendable {
    /// The file's path; of a file without a name, one that leads nowhere.
    public var path: String { file.path }

    package let file: OpenFile
    private let end: Mutex<Int64>

    /// Makes a file without a name, which goes away with its last holder.
    ///
    /// - Parameter folder: Where it lies; it needs room for all bodies.
    /// - Throws: ``FileError`` where the folder can't hold it.
    public init(in folder: String) throws(FileError) {
        file = try OpenFile(temporaryIn: folder)
        end = Mutex(0)
    }

    /// Opens a file with a name, or makes it; it stays when nobody holds it any more.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - length: How many of its first bytes to keep; what lies behind them is cut off.
    /// - Throws: ``FileError`` where the file can't be opened, or has fewer bytes.
    public init(path: String, keeping length: Int64) throws(FileError) {
        precondition(length >= 0, "a file can't keep \(length) bytes")
        file = try OpenFile(updating: path, keeping: length)
        end = Mutex(length)
    }

    /// How many bytes were appended, those that were kept among them.
    public var size: Int64 { end.withLock { $0 } }

    /// Appends bytes.
    ///
    /// - Parameter bytes: Compressed data, a part of a body or all of it.
    /// - Returns: Where they lie.
    /// - Throws: ``FileError`` where writing fails.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> FileExtent {
        let offset = end.withLock { end in
            defer { end += Int64(bytes.count) }
            return end
        }
        try file.write(bytes, at: offset)
        return FileExtent(offset: offset, count: bytes.count)
    }

    /// Reads what was appended.
    ///
    /// - Parameters:
    ///   - count: How many bytes.
    ///   - offset: Where they begin.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` where reading fails, or the file ends before.
    public func bytes(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try file.bytes(count, at: offset)
    }
}

/// A run of bytes in a file.
public struct FileExtent: Sendable, Equatable {
    /// Where it begins.
    public var offset: Int64
    /// How many bytes it has.
    public var count: Int

    /// Creates an extent.
    public init(offset: Int64, count: Int) {
        self.offset = offset
        self.count = count
    }
}
