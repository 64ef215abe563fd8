#if Libdeflate
internal import CLibdeflate

/// Compresses bodies that are entirely in memory (RFC 1951), in half the time that zlib needs.
///
/// The result depends only on the body and the level; see docs/developers/decisions/0013-libdeflate.md.
public struct WholeDeflater: ~Copyable {
    private let compressor: OpaquePointer

    /// Creates a deflater.
    ///
    /// - Parameter level: The level, 1 to 9, comparable to zlib's.
    /// - Throws: ``ZipError`` if there is not enough memory.
    public init(level: Int32 = 6) throws(ZipError) {
        guard let compressor = libdeflate_alloc_compressor(level) else {
            throw ZipError(inputOutput: "there is not enough memory for compression")
        }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Compresses a body.
    ///
    /// - Parameter bytes: The body.
    /// - Returns: The compressed data, with checksum and sizes.
    public borrowing func compress(_ bytes: [UInt8]) -> (data: [UInt8], totals: Deflater.Totals) {
        bytes.withUnsafeBytes { body in
            let bound = libdeflate_deflate_compress_bound(compressor, body.count)
            let data = [UInt8](unsafeUninitializedCapacity: bound) { data, count in
                count = libdeflate_deflate_compress(compressor, body.baseAddress, body.count, data.baseAddress, bound)
            }
            let totals = Deflater.Totals(
                crc32: libdeflate_crc32(0, body.baseAddress, body.count),
                uncompressedSize: Int64(body.count),
                compressedSize: Int64(data.count)
            )
            return (data, totals)
        }
    }
}
#else
/// Compresses bodies that are entirely in memory (RFC 1951), with zlib.
///
/// The result depends only on the body and the level; see docs/developers/decisions/0013-libdeflate.md.
public struct WholeDeflater: ~Copyable {
    private final class Shared {
        var deflater: Deflater

        init(_ level: Int32) throws(ZipError) { deflater = try Deflater(level: level) }
    }

    private let shared: Shared

    /// Creates a deflater.
    ///
    /// - Parameter level: zlib's level, 1 to 9.
    /// - Throws: ``ZipError`` if there is not enough memory.
    public init(level: Int32 = 6) throws(ZipError) { shared = try Shared(level) }

    /// Compresses a body.
    ///
    /// - Parameter bytes: The body.
    /// - Returns: The compressed data, with checksum and sizes.
    public borrowing func compress(_ bytes: [UInt8]) -> (data: [UInt8], totals: Deflater.Totals) {
        var data: [UInt8] = []
        let take = { (piece: UnsafeRawBufferPointer) throws(ZipError) in data.append(contentsOf: piece) }
        do throws(ZipError) {
            let result = bytes.withUnsafeBytes { body in
                Result { () throws(ZipError) in
                    try shared.deflater.append(body, to: take)
                    return try shared.deflater.finish(to: take)
                }
            }
            return (data, try result.get())
        } catch {
            preconditionFailure("collecting bytes fails: \(error)")
        }
    }
}
#endif
