internal import CZlib

/// Compresses a body as it arrives (RFC 1951), and computes its size and checksum.
///
/// The result depends only on the body and the level, not on how the body was divided: zlib receives pieces of 64 KiB,
/// aligned to the body's start.
public struct Deflater: ~Copyable {
    /// The checksum and sizes of a body.
    public struct Totals: Equatable, Sendable {
        /// The checksum of the body.
        public var crc32: UInt32
        /// The size of the body, in bytes.
        public var uncompressedSize: Int64
        /// The size of the compressed data, in bytes.
        public var compressedSize: Int64

        /// Creates totals.
        public init(crc32: UInt32, uncompressedSize: Int64, compressedSize: Int64) {
            self.crc32 = crc32
            self.uncompressedSize = uncompressedSize
            self.compressedSize = compressedSize
        }
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var crc = CRC32()
    private var uncompressedSize: Int64 = 0
    private var compressedSize: Int64 = 0
    private static let pieceSize = 64 << 10

    /// Creates a deflater for a body.
    ///
    /// - Parameter level: zlib's level, 1 to 9.
    /// - Throws: ``ZipError`` if there is not enough memory.
    public init(level: Int32 = 6) throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(byteCount: Self.pieceSize, alignment: 16)
        output = .allocate(byteCount: Self.pieceSize, alignment: 16)
        guard afcache_deflate_init(stream, level) == Z_OK else {
            stream.deallocate()
            input.deallocate()
            output.deallocate()
            throw ZipError(inputOutput: "there is not enough memory for compression")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        input.deallocate()
        output.deallocate()
    }

    /// Adds bytes to the body.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes.
    ///   - sink: Called with compressed data, which is valid only during the call.
    /// - Throws: Any error of the sink; the body is then discarded.
    public mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        crc.update(bytes)
        uncompressedSize += Int64(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            let count = min(rest.count, input.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: input[filled...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: rest[..<count])
            )
            filled += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if filled == input.count { try compress(flush: Z_NO_FLUSH, to: sink) }
        }
    }

    /// Ends the body, and prepares for the next one.
    ///
    /// - Parameter sink: Called with the rest of the compressed data.
    /// - Returns: The checksum and sizes.
    /// - Throws: Any error of the sink; the body is then discarded.
    public mutating func finish(
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) -> Totals { try end(with: Z_FINISH, to: sink) }

    /// Ends the body with a whole byte, so that another stream may follow, and prepares for the next one.
    ///
    /// - Parameter sink: Called with the rest of the compressed data, whose last block isn't marked as the last.
    /// - Returns: The checksum and sizes.
    /// - Throws: Any error of the sink; the body is then discarded.
    package mutating func pause(
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) -> Totals { try end(with: Z_SYNC_FLUSH, to: sink) }

    private mutating func end(
        with flush: Int32,
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) -> Totals {
        try compress(flush: flush, to: sink)
        let totals = Totals(crc32: crc.value, uncompressedSize: uncompressedSize, compressedSize: compressedSize)
        reset()
        return totals
    }

    /// Discards the body and prepares for the next one.
    mutating func reset() {
        deflateReset(stream)
        filled = 0
        crc = CRC32()
        uncompressedSize = 0
        compressedSize = 0
    }

    private mutating func compress(
        flush: Int32,
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = UInt32(filled)
        filled = 0
        while true {
            stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            let status = deflate(stream, flush)
            let count = output.count - Int(stream.pointee.avail_out)
            if count > 0 {
                compressedSize += Int64(count)
                do throws(ZipError) {
                    try sink(UnsafeRawBufferPointer(rebasing: output[..<count]))
                } catch {
                    // A stream left in the middle, or past its end, would produce nothing from then on.
                    reset()
                    throw error
                }
            }
            if flush == Z_FINISH ? status == Z_STREAM_END : stream.pointee.avail_out > 0 { return }
        }
    }
}
