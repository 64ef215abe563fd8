internal import Synchronization

/// A file without a name that bodies wait in, compressed, until the archive is written; any number of threads append.
public final class SpoolFile: Sendable {
    private let file: OpenFile
    private let end = Mutex<Int64>(0)

    /// Makes the file.
    ///
    /// - Parameter folder: Where it lies; it needs room for all bodies.
    /// - Throws: ``ZipError`` where the folder can't hold it.
    public init(in folder: String) throws(ZipError) {
        file = try OpenFile(temporaryIn: folder)
    }

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

    /// A body whose data lies in this file.
    ///
    /// - Parameters:
    ///   - extents: Where its data lies, in order.
    ///   - totals: Its checksum and sizes.
    ///   - method: How it is compressed.
    /// - Returns: The body.
    public func body(extents: [DeflatedBody.Extent], totals: Deflater.Totals, method: ZipMember.Method) -> DeflatedBody
    {
        DeflatedBody(file: file, extents: extents, totals: totals, method: method)
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
    }

    let file: OpenFile
    /// Where its data lies, in order.
    let extents: [Extent]
    /// Its checksum and sizes.
    public let totals: Deflater.Totals
    /// How it is compressed.
    public let method: ZipMember.Method
}
