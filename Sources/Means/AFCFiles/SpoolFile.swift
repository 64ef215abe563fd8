internal import Synchronization

/// A file for compressed bodies until the archive is written.
///
/// Any number of threads may append.
public final class SpoolFile: Sendable {
    /// The file's path; for a file without a name, a path that doesn't exist.
    public var path: String { file.path }

    package let file: OpenFile
    private let end: Mutex<Int64>

    /// Creates a file without a name, which disappears with its last reference.
    ///
    /// - Parameter folder: The folder for the file; it needs room for all bodies.
    /// - Throws: ``FileError`` if the folder can't hold it.
    public init(in folder: String) throws(FileError) {
        file = try OpenFile(temporaryIn: folder)
        end = Mutex(0)
    }

    /// Opens or creates a file with a name, which remains afterwards.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - length: The number of bytes to keep at the beginning; the rest is removed.
    /// - Throws: ``FileError`` if the file can't be opened, or is shorter.
    public init(path: String, keeping length: Int64) throws(FileError) {
        precondition(length >= 0, "a file can't keep \(length) bytes")
        file = try OpenFile(updating: path, keeping: length)
        end = Mutex(length)
    }

    /// The number of bytes appended, including those that were kept.
    public var size: Int64 { end.withLock { $0 } }

    /// The number of bytes at the beginning that are in the file: fewer than ``size`` while bytes are being written, and
    /// after that failed.
    public var writtenSize: Int64 {
        let size = size
        guard let length = try? file.size() else { return size }
        return min(size, length)
    }

    /// Appends bytes.
    ///
    /// - Parameter bytes: Compressed data, a part of a body or all of it.
    /// - Returns: The place of the bytes.
    /// - Throws: ``FileError`` if writing fails.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> FileExtent {
        let offset = end.withLock { end in
            defer { end += Int64(bytes.count) }
            return end
        }
        try file.write(bytes, at: offset)
        return FileExtent(offset: offset, count: bytes.count)
    }

    /// Reads from a position until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    /// - Throws: ``FileError`` if reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    /// Reads bytes that were appended.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - offset: The offset of the first byte.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` if reading fails or the file is too short.
    public func bytes(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try file.bytes(count, at: offset)
    }
}

/// A run of bytes in a file.
public struct FileExtent: Sendable, Equatable {
    /// The offset of the first byte.
    public var offset: Int64
    /// The number of bytes.
    public var count: Int

    /// Creates an extent.
    public init(offset: Int64, count: Int) {
        self.offset = offset
        self.count = count
    }
}
