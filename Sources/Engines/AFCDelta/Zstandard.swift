#if Zstandard
internal import CZstd

/// Compresses bodies to one Zstandard frame each (RFC 8878), with another body as dictionary.
///
/// The frame depends on the bodies, the level and the library's version only.
struct ZstandardEncoder: ~Copyable {
    /// The highest level that needs no more memory for decompression than the bodies themselves.
    static let level: Int32 = 19

    private let context: OpaquePointer

    init?() {
        guard let context = ZSTD_createCCtx() else { return nil }
        self.context = context
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Returns the frame of a body; nil if there is not enough memory.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - dictionary: The body to refer to; empty for none.
    /// - Returns: The frame, which contains the body's size and no checksum.
    func frame(of body: [UInt8], dictionary: [UInt8]) -> [UInt8]? {
        ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
        // The window reaches back to the beginning of the dictionary.
        let reach = max(1, body.count + dictionary.count)
        let windowLog = min(27, max(10, Int.bitWidth - (reach - 1).leadingZeroBitCount))
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, Int32(windowLog))
        return dictionary.withUnsafeBytes { prefix in
            if !prefix.isEmpty, ZSTD_isError(ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count)) != 0 {
                return nil
            }
            var isDone = true
            let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(body.count)) { target, count in
                let made = body.withUnsafeBytes { source in
                    ZSTD_compress2(context, target.baseAddress, target.count, source.baseAddress, source.count)
                }
                isDone = ZSTD_isError(made) == 0
                count = isDone ? made : 0
            }
            return isDone ? frame : nil
        }
    }

    /// The version of the library, on which the bytes of a frame depend.
    static var version: String { String(cString: ZSTD_versionString()) }
}

/// Decompresses frames into memory of a known size, never beyond it.
struct ZstandardDecoder: ~Copyable {
    private let context: OpaquePointer

    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Returns the body of a frame.
    ///
    /// Memory is that of the body: it is decompressed in place, so a frame's window takes none.
    ///
    /// - Parameters:
    ///   - frame: Exactly one frame.
    ///   - size: The size that the body must have, in bytes.
    ///   - dictionary: The body to which the frame refers; empty for none.
    /// - Returns: The body; nil if the frame is damaged, or isn't one frame, or has another size.
    func body(of frame: UnsafeRawBufferPointer, size: Int, dictionary: [UInt8]) -> [UInt8]? {
        ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)
        guard ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count else { return nil }
        let declared = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        guard declared == UInt64(size) else { return nil }
        return dictionary.withUnsafeBytes { prefix in
            if !prefix.isEmpty, ZSTD_isError(ZSTD_DCtx_refPrefix(context, prefix.baseAddress, prefix.count)) != 0 {
                return nil
            }
            var isWhole = true
            let body = [UInt8](unsafeUninitializedCapacity: size) { target, count in
                let made = ZSTD_decompressDCtx(context, target.baseAddress, size, frame.baseAddress, frame.count)
                isWhole = ZSTD_isError(made) == 0 && made == size
                count = isWhole ? size : 0
            }
            return isWhole ? body : nil
        }
    }
}
#else
/// Compresses nothing, since this build has no Zstandard.
struct ZstandardEncoder: ~Copyable {
    static let version = "none"

    init?() { return nil }

    func frame(of body: [UInt8], dictionary: [UInt8]) -> [UInt8]? { nil }
}

/// Decompresses nothing, since this build has no Zstandard.
struct ZstandardDecoder: ~Copyable {
    init?() { return nil }

    func body(of frame: UnsafeRawBufferPointer, size: Int, dictionary: [UInt8]) -> [UInt8]? { nil }
}
#endif
