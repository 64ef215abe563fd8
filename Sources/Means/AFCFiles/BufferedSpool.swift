/// Small records, the last of which are in memory and the others in a file without a name.
///
/// As long as all records fit into memory, there is no file.
public struct BufferedSpool {
    private static let bufferSize = 64 << 10

    /// The number of bytes appended.
    public var size: Int64 { stored + Int64(buffer.count) }

    private let folder: String
    private var spool: SpoolFile?
    private var buffer: [UInt8] = []

    private var stored: Int64 { spool?.size ?? 0 }

    /// Creates an empty spool.
    ///
    /// - Parameter folder: The folder for the file.
    public init(folder: String) { self.folder = folder }

    /// Appends a record.
    ///
    /// - Parameter record: The bytes.
    /// - Returns: The offset of its first byte.
    /// - Throws: ``FileError`` if the file can't be created or written.
    public mutating func append(_ record: [UInt8]) throws(FileError) -> Int64 {
        let offset = size
        buffer.append(contentsOf: record)
        guard buffer.count >= Self.bufferSize else { return offset }
        let spool: SpoolFile
        if let made = self.spool { spool = made } else { spool = try SpoolFile(in: folder) }
        self.spool = spool
        _ = try buffer.span.bytes.withUnsafeBytes { bytes throws(FileError) in try spool.append(bytes) }
        buffer.removeAll(keepingCapacity: true)
        return offset
    }

    /// Reads a part of a record, which must have been appended.
    ///
    /// - Parameters:
    ///   - count: The number of bytes, all of the same record.
    ///   - offset: The offset of the first byte.
    /// - Returns: The bytes.
    /// - Throws: ``FileError`` if the file can't be read.
    public func bytes(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        if let spool, offset < spool.size { return try spool.bytes(count, at: offset) }
        let start = Int(offset - stored)
        return Array(buffer[start..<(start + count)])
    }
}
