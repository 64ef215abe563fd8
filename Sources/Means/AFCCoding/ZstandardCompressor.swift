package import AFCZip

#if Zstandard
internal import CZstd

/// Compresses data to Zstandard frames (RFC 8878), of which each contains the size of its content and a checksum.
///
/// A frame depends on its content, the level and the library's version only, not on how the content was divided.
package final class ZstandardCompressor {
    private let context: OpaquePointer
    private let output: UnsafeMutableRawBufferPointer

    /// Creates a compressor.
    ///
    /// - Parameter level: The level, 1 to 19.
    /// - Throws: ``ZipError`` if memory is exhausted.
    package init(level: Int32) throws(ZipError) {
        guard let context = ZSTD_createCCtx() else { throw .noMemory }
        self.context = context
        output = .allocate(byteCount: ZSTD_CStreamOutSize(), alignment: 16)
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(context)
        output.deallocate()
    }

    /// Begins a frame.
    ///
    /// - Parameter size: The number of bytes of its content.
    package func begin(size: Int64) {
        ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
        ZSTD_CCtx_setPledgedSrcSize(context, UInt64(size))
    }

    /// Adds content.
    ///
    /// - Parameters:
    ///   - bytes: A part of the content.
    ///   - isLast: True to complete the frame.
    ///   - sink: Takes compressed data.
    /// - Throws: ``ZipError`` if memory is exhausted or the content has another size, and any error that `sink` throws.
    package func append(
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while true {
            var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let rest = ZSTD_compressStream2(context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
            guard ZSTD_isError(rest) == 0 else { throw ZipError.noMemory }
            if target.pos > 0 { try sink(UnsafeRawBufferPointer(rebasing: output[..<target.pos])) }
            if isLast ? rest == 0 : source.pos == source.size { return }
        }
    }
}
#else
/// Compresses nothing, since this build has no Zstandard.
package final class ZstandardCompressor {
    package init(level: Int32) throws(ZipError) {
        throw ZipError(inputOutput: "this program was built without Zstandard")
    }

    package func begin(size: Int64) {}

    package func append(
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {}
}
#endif
