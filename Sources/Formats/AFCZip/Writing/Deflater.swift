internal import CZlib

/// Compresses one body as it comes (RFC 1951), counting and checksumming on the way.
///
/// The result depends on the body and the level only, not on how the body was cut: zlib is fed in pieces of 64 KiB that
/// are aligned to the body's start.
public struct Deflater: ~Copyable {
    /// What is known of a body once all of it has come.
    public struct Totals: Equatable, Sendable {
        /// The checksum of the body.
        public var crc32: UInt32
        /// The bytes of the body.
        public var uncompressedSize: Int64
        /// The bytes of the compressed data.
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

    /// Starts a body.
    ///
    /// - Parameter level: zlib's level, 1 to 9.
    /// - Throws: ``ZipError`` where there is no memory.
    public init(level: Int32 = 6) throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(byteCount: Self.pieceSize, alignment: 16)
        output = .allocate(byteCount: Self.pieceSize, alignment: 16)
        guard afcache_deflate_init(stream, level) == Z_OK else {
            stream.deallocate()
            input.deallocate()
            output.deallocate()
            throw ZipError(inputOutput: "there is no memory to deflate with")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        input.deallocate()
        output.deallocate()
    }

    /// Takes more of the body.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes.
    ///   - sink: Called with compressed data, which is valid only during the call.
    /// - Throws: What the sink throws; the body is then forgotten.
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

    /// Ends the body, and makes the value ready for the next one.
    ///
    /// - Parameter sink: Called with the rest of the compressed data.
    /// - Returns: Checksum and sizes.
    /// - Throws: What the sink throws; the body is then forgotten.
    public mutating func finish(
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) -> Totals {
        try compress(flush: Z_FINISH, to: sink)
        let totals = Totals(crc32: crc.value, uncompressedSize: uncompressedSize, compressedSize: compressedSize)
        reset()
        return totals
    }

    /// Forgets the body, and is ready for the next one.
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
                    // A stream that was left in its middle, or behind its end, would give nothing ever after.
                    reset()
                    throw error
                }
            }
            if flush == Z_FINISH ? status == Z_STREAM_END : stream.pointee.avail_out > 0 { return }
        }
    }
}
