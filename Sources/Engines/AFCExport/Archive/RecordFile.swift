internal import AFCFiles
internal import AFCText
internal import AFCZip
internal import Crypto

/// A file of WARC records (ISO 28500:2017), each a gzip member of its own (annex D) unless the file isn't compressed.
final class RecordFile {
    /// The largest record that is compressed in memory, by the faster compressor.
    static let wholeLimit: Int64 = 4 << 20

    /// The number of bytes written.
    private(set) var position: Int64 = 0
    let isCompressed: Bool
    private let write: (UnsafeRawBufferPointer) throws(FileError) -> Void
    private let whole: WholeDeflater
    private let join: DeflateJoin
    private var deflater: Deflater
    private static let end = Array("\r\n\r\n".utf8)

    /// The form in which a package holds the rest of a block.
    enum BodyForm {
        /// As it is, since compressing it is of no use.
        case stored
        /// Deflated: the stream.
        case deflated([UInt8])
        /// Any other.
        case other
    }

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
        join = try DeflateJoin()
        deflater = try Deflater()
    }

    /// Writes a record.
    ///
    /// - Parameters:
    ///   - message: The beginning of the record's block.
    ///   - size: The size of the rest of the block, in bytes.
    ///   - form: The form of the rest, which isn't compressed again; `other` if the file isn't compressed.
    ///   - body: Writes the rest of the block by calling its argument with each piece.
    ///   - head: Returns the record's head for the digest of its block; nil for a large one, which isn't in memory.
    /// - Returns: The offset of the record, and its size in the file.
    /// - Throws: `FileError` or `ZipError` if it can't be written, and any error that `body` throws.
    func add(
        _ message: [UInt8],
        size: Int64 = 0,
        as form: BodyForm = .other,
        _ body: ExportedBody = { _ in },
        head: (_ blockDigest: String?) -> [UInt8]
    ) throws -> (offset: Int64, size: Int64) {
        let offset = position
        let end = Self.end
        guard Int64(message.count) + size > Self.wholeLimit else {
            switch form {
            case .deflated(let data):
                guard let data = join.appending(end, to: data) else { break }
                try add(message, size, body, as: data, head: head)
                return (offset, position - offset)
            case .stored:
                var rest: [UInt8] = []
                rest.reserveCapacity(Int(size))
                try body { rest.append(contentsOf: $0) }
                let data = DeflateJoin.stored(rest, then: end)
                try add(message, size, { try rest.withUnsafeBytes($0) }, as: data, head: head)
                return (offset, position - offset)
            case .other: break
            }
            var block = message
            block.reserveCapacity(message.count + Int(size))
            try body { block.append(contentsOf: $0) }
            let digest = "sha256:" + Hexadecimal.text(Array(SHA256.hash(data: block)))
            let record = head(digest) + block + end
            guard isCompressed else {
                try append(record)
                return (offset, position - offset)
            }
            let (data, totals) = whole.compress(record)
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
        let sink = sink
        try append(GzipFrame.head)
        try (head(nil) + message).span.bytes.withUnsafeBytes { try deflater.append($0, to: sink) }
        try body { try deflater.append($0, to: sink) }
        try end.span.bytes.withUnsafeBytes { try deflater.append($0, to: sink) }
        let totals = try deflater.finish(to: sink)
        try append(GzipFrame.tail(crc32: totals.crc32, size: totals.uncompressedSize))
        return (offset, position - offset)
    }

    /// Writes a record whose body is compressed already, with the end of the record behind it.
    private func add(
        _ message: [UInt8],
        _ size: Int64,
        _ body: ExportedBody,
        as data: [UInt8],
        head: (_ blockDigest: String?) -> [UInt8]
    ) throws {
        var hash = SHA256()
        var sum = CRC32()
        message.span.bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        try body { bytes in
            hash.update(bufferPointer: bytes)
            sum.update(bytes)
        }
        Self.end.span.bytes.withUnsafeBytes { sum.update($0) }
        try append(GzipFrame.head)
        let beginning = try paused(head("sha256:" + Hexadecimal.text(Array(hash.finalize()))) + message)
        try append(data)
        let rest = size + Int64(Self.end.count)
        let crc32 = DeflateJoin.crc32(beginning.crc32, then: sum.value, size: rest)
        try append(GzipFrame.tail(crc32: crc32, size: beginning.uncompressedSize + rest))
    }

    /// Compresses the beginning of a record, behind which a stream follows.
    private func paused(_ bytes: [UInt8]) throws -> Deflater.Totals {
        let sink = sink
        try bytes.span.bytes.withUnsafeBytes { try deflater.append($0, to: sink) }
        return try deflater.pause(to: sink)
    }

    private var sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void {
        { bytes throws(ZipError) in
            do throws(FileError) { try self.append(bytes) } catch { throw ZipError(error) }
        }
    }

    private func append(_ bytes: [UInt8]) throws(FileError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try write(bytes)
        position += Int64(bytes.count)
    }
}
