internal import Synchronization

/// A file that bodies wait in, compressed, until the archive is written; any number of threads append.
public final class SpoolFile: Sendable {
    /// The file's path; of a file without a name, one that leads nowhere.
    public var path: String { file.path }

    let file: OpenFile
    private let end: Mutex<Int64>

    /// Makes a file without a name, which goes away with its last holder.
    ///
    /// - Parameter folder: Where it lies; it needs room for all bodies.
    /// - Throws: ``ZipError`` where the folder can't hold it.
    public init(in folder: String) throws(ZipError) {
        file = try OpenFile(temporaryIn: folder)
        end = Mutex(0)
    }

    /// Opens a file with a name, or makes it; it stays when nobody holds it any more.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - length: How many of its first bytes to keep; what lies behind them is cut off.
    /// - Throws: ``ZipError`` where the file can't be opened, or has fewer bytes.
    public init(path: String, keeping length: Int64) throws(ZipError) {
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
    /// - Throws: ``ZipError`` where writing fails.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(ZipError) -> DeflatedBody.Extent {
        let offset = end.withLock { end in
            defer { end += Int64(bytes.count) }
            return end
        }
        try file.write(bytes, at: offset)
        return DeflatedBody.Extent(offset: offset, count: bytes.count)
    }

    /// Reads what was appended.
    ///
    /// - Parameters:
    ///   - count: How many bytes.
    ///   - offset: Where they begin.
    /// - Returns: The bytes.
    /// - Throws: ``ZipError`` where reading fails, or the file ends before.
    public func bytes(_ count: Int, at offset: Int64) throws(ZipError) -> [UInt8] {
        try file.bytes(count, at: offset)
    }

    /// A body whose data lies in this file.
    ///
    /// - Parameters:
    ///   - extents: Where its data lies, in order; neighbours become one.
    ///   - totals: Its checksum and sizes.
    ///   - method: How it is compressed.
    /// - Returns: The body.
    public func body(extents: [DeflatedBody.Extent], totals: Deflater.Totals, method: ZipMember.Method) -> DeflatedBody
    {
        var joined: [DeflatedBody.Extent] = []
        joined.reserveCapacity(1)
        for extent in extents {
            if let last = joined.last, last.offset + Int64(last.count) == extent.offset {
                joined[joined.count - 1].count += extent.count
            } else {
                joined.append(extent)
            }
        }
        return DeflatedBody(file: file, extents: joined, totals: totals, method: method)
    }
}

/// A body that was compressed, or stored, before the archive is written.
public struct DeflatedBody: Sendable {
    /// A run of bytes in a file.
    public struct Extent: Sendable, Equatable {
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

    let file: OpenFile
    /// Where its data lies, in order.
    public let extents: [Extent]
    /// Its checksum and sizes.
    public let totals: Deflater.Totals
    /// How it is compressed.
    public let method: ZipMember.Method
}
