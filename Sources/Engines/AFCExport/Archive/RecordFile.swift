internal import AFCFiles
internal import AFCText
internal import AFCZip
internal import Crypto

/// A file of WARC records (ISO 28500:2017), each a gzip member of its own (annex D) unless the file isn't compressed.
final class RecordFile {
    /// The largest record that is compressed in memory, by the faster compressor.
    private static let wholeLimit: Int64 = 4 << 20

    /// The number of bytes written.
    private(set) var position: Int64 = 0
    private let isCompressed: Bool
    private let write: (UnsafeRawBufferPointer) throws(FileError) -> Void
    private let whole: WholeDeflater
    /// For bodies that a package holds uncompressed, because they don't get smaller.
    private let fast: WholeDeflater

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - isCompressed: Whether records are compressed.
    ///   - write: Appends bytes to the file.
    /// - Throws: `ZipError` if there is not enough memory.
    init(
        isCompressed: Bool,
        write: @escaping (UnsafeRawBufferPointer) throws(FileError) -> Void
    ) throws(ZipError) {
        (self.isCompressed, self.write) = (isCompressed, write)
        whole = try WholeDeflater()
        fast = try WholeDeflater(level: 1)
    }

    /// Writes a record.
    ///
    /// - Parameters:
    ///   - message: The beginning of the record's block.
    ///   - size: The size of the rest of the block, in bytes.
    ///   - isCompressible: False if compressing the rest is of no use.
    ///   - body: Writes the rest of the block by calling its argument with each piece.
    ///   - head: Returns the record's head for the digest of its block; nil for a large one, which isn't in memory.
    /// - Returns: The offset of the record, and its size in the file.
    /// - Throws: `FileError` or `ZipError` if it can't be written, and any error that `body` throws.
    func add(
        _ message: [UInt8],
        size: Int64 = 0,
        isCompressible: Bool = true,
        _ body: ExportedBody = { _ in },
        head: (_ blockDigest: String?) -> [UInt8]
    ) throws -> (offset: Int64, size: Int64) {
        let offset = position
        let end = Array("\r\n\r\n".utf8)
        guard Int64(message.count) + size > Self.wholeLimit else {
            var block = message
            block.reserveCapacity(message.count + Int(size))
            try body { block.append(contentsOf: $0) }
            let digest = "sha256:" + Hexadecimal.text(Array(SHA256.hash(data: block)))
            let record = head(digest) + block + end
            guard isCompressed else {
                try append(record)
                return (offset, position - offset)
            }
            let (data, totals) = isCompressible ? whole.compress(record) : fast.compress(record)
            try append(GzipFrame.head)
            try append(data)
            try append(GzipFrame.tail(crc32: totals.crc32, size: totals.uncompressedSize))
            return (offset, position - offset)
        }
        guard isCompressed else {
            try append(head(nil) + message)
            try body { try append($0) }
            try append(end)
            return (offset, position - offset)
        }
        var deflater = try Deflater(level: isCompressible ? 6 : 1)
        let sink = { (bytes: UnsafeRawBufferPointer) throws(ZipError) in
            do throws(FileError) { try self.append(bytes) } catch { throw ZipError(error) }
        }
        try append(GzipFrame.head)
        try (head(nil) + message).span.bytes.withUnsafeBytes { try deflater.append($0, to: sink) }
        try body { try deflater.append($0, to: sink) }
        try end.span.bytes.withUnsafeBytes { try deflater.append($0, to: sink) }
        let totals = try deflater.finish(to: sink)
        try append(GzipFrame.tail(crc32: totals.crc32, size: totals.uncompressedSize))
        return (offset, position - offset)
    }

    private func append(_ bytes: [UInt8]) throws(FileError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try write(bytes)
        position += Int64(bytes.count)
    }
}
