internal import AFCZip

#if Brotli
internal import CBrotli
#endif

/// The decoder of one coding, which takes data and fills buffers.
protocol Decompressor: AnyObject {
    /// True at the end of the data, or of a part of it.
    var isFinished: Bool { get }
    /// The number of provided bytes that aren't used yet.
    var unused: Int { get }

    /// Prepares for another part; returns false if bytes that begin so aren't one.
    func begin(with first: UInt8) -> Bool

    /// Provides data, which must stay in place until it is used up.
    func give(_ bytes: UnsafeRawBufferPointer)

    /// Fills the buffer as far as the provided data allows, at most to the end of a part.
    ///
    /// - Returns: The number of bytes in the buffer, or nil if the data is damaged.
    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int?
}

/// Decodes gzip, whose parts are its members, and deflate, which has one.
final class InflatingDecompressor: Decompressor {
    private var inflater: Inflater
    private let hasMembers: Bool

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - isWrapped: Whether the data has the header and trailer of gzip or zlib.
    ///   - hasMembers: Whether another member may follow.
    /// - Throws: ``ZipError`` if memory is exhausted.
    init(isWrapped: Bool, hasMembers: Bool) throws(ZipError) {
        inflater = try Inflater(isWrapped: isWrapped)
        self.hasMembers = hasMembers
    }

    var isFinished: Bool { inflater.isFinished }
    var unused: Int { inflater.unused }

    func begin(with first: UInt8) -> Bool {
        guard hasMembers, first == Inflater.gzipSignature[0] else { return false }
        inflater.reset()
        return true
    }

    func give(_ bytes: UnsafeRawBufferPointer) { inflater.give(UnsafeMutableRawBufferPointer(mutating: bytes)) }

    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? { inflater.fill(output) }
}

#if Brotli
/// Decodes Brotli (RFC 7932), without the extension for larger windows.
final class BrotliDecompressor: Decompressor {
    private let state: OpaquePointer
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var isFinished = false

    /// Creates a decoder.
    ///
    /// - Throws: ``ZipError`` if memory is exhausted.
    init() throws(ZipError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noMemory }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    var unused: Int { input.count }

    func begin(with first: UInt8) -> Bool { false }

    func give(_ bytes: UnsafeRawBufferPointer) { input = bytes }

    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? {
        var (given, room) = (input.count, output.count)
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &given, &next, &room, &target, nil)
        guard result != BROTLI_DECODER_RESULT_ERROR else { return nil }
        input = UnsafeRawBufferPointer(rebasing: input.suffix(given))
        isFinished = result == BROTLI_DECODER_RESULT_SUCCESS
        return output.count - room
    }
}
#endif

/// Decodes Zstandard (RFC 8878), whose parts are its frames, with a window that RFC 9659 permits.
final class ZstandardDecompressor: Decompressor {
    private static let windowLog: Int32 = 23

    private let frames: ZstandardFrames

    /// Creates a decoder.
    ///
    /// - Throws: ``ZipError`` if memory is exhausted.
    init() throws(ZipError) { frames = try ZstandardFrames(windowLog: Self.windowLog) }

    var isFinished: Bool { frames.isFinished }
    var unused: Int { frames.unused }

    /// A frame, or one to skip (RFC 8878 §3.1); the library begins it by itself.
    func begin(with first: UInt8) -> Bool { first == 0x28 || first & 0xF0 == 0x50 }

    func give(_ bytes: UnsafeRawBufferPointer) { frames.give(bytes) }

    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? { frames.fill(output) }
}

extension ContentCoding {
    /// Creates a decoder of the coding.
    ///
    /// - Throws: ``ZipError`` if memory is exhausted.
    func decompressor() throws(ZipError) -> any Decompressor {
        switch self {
        case .gzip: try InflatingDecompressor(isWrapped: true, hasMembers: true)
        case .deflate: try InflatingDecompressor(isWrapped: true, hasMembers: false)
        case .brotli:
            #if Brotli
            try BrotliDecompressor()
            #else
            throw ZipError(inputOutput: "this program was built without Brotli")
            #endif
        case .zstandard: try ZstandardDecompressor()
        }
    }
}

extension ZipError {
    static var noMemory: ZipError {
        ZipError(inputOutput: "there is not enough memory for decompression")
    }
}
