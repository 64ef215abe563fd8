package import AFCZip

#if Zstandard
internal import CZstd

/// Decompresses Zstandard frames (RFC 8878), frame by frame, with a dictionary if it has one.
///
/// Unlike a coding of HTTP, a file may have large windows, which is the default.
package final class ZstandardFrames {
    /// The logarithm of the largest window of files, 128 MiB, which the library needs for its highest level.
    package static let fileWindowLog: Int32 = 27

    private let context: OpaquePointer
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// True at the end of a frame.
    package private(set) var isFinished = false

    /// Creates a decompressor.
    ///
    /// - Parameter windowLog: The logarithm of the largest window, in bytes.
    /// - Throws: ``ZipError`` if memory is exhausted.
    package init(windowLog: Int32 = fileWindowLog) throws(ZipError) {
        guard let context = ZSTD_createDCtx() else { throw .noMemory }
        self.context = context
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// The number of provided bytes that aren't used yet.
    package var unused: Int { input.count }

    /// Sets the dictionary for all frames that follow; returns false if it can't be used.
    package func use(dictionary: [UInt8]) -> Bool {
        ZSTD_isError(dictionary.withUnsafeBytes { ZSTD_DCtx_loadDictionary(context, $0.baseAddress, $0.count) }) == 0
    }

    /// Prepares for the next frame.
    package func reset() {
        ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        isFinished = false
    }

    /// Provides data, which must stay in place until it is used up.
    package func give(_ bytes: UnsafeRawBufferPointer) { input = bytes }

    /// Fills the buffer as far as the provided data allows, at most to the end of a frame.
    ///
    /// - Returns: The number of bytes in the buffer, or nil if the data is damaged.
    package func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        while true {
            let (used, made) = (source.pos, target.pos)
            let result = ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(result) == 0 else { return nil }
            isFinished = result == 0
            // Without progress, the frame needs more data.
            if isFinished || target.pos == target.size || (source.pos == used && target.pos == made) { break }
        }
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(source.pos))
        return target.pos
    }
}
#else
/// Zstandard frames (RFC 8878), which this build can't decompress.
package final class ZstandardFrames {
    package let isFinished = true
    package let unused = 0

    package init(windowLog: Int32 = 0) throws(ZipError) {
        throw ZipError(inputOutput: "this program was built without Zstandard")
    }

    package func use(dictionary: [UInt8]) -> Bool { false }

    package func reset() {}

    package func give(_ bytes: UnsafeRawBufferPointer) {}

    package func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? { nil }
}
#endif
