#if Libdeflate
internal import CLibdeflate

/// Inflates data that is entirely in memory (RFC 1951), in half the time that zlib needs.
///
/// It tells only whether the data matches its declared size. If it doesn't, zlib finds out what is wrong.
struct WholeInflater: ~Copyable {
    /// The maximum size of a member that is read as a whole, in bytes, compressed and uncompressed.
    static let limit: Int64 = 1 << 20

    private let decompressor: OpaquePointer
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init() throws(ZipError) {
        guard let decompressor = libdeflate_alloc_decompressor() else {
            throw ZipError(inputOutput: "there is not enough memory for decompression")
        }
        self.decompressor = decompressor
    }

    deinit {
        libdeflate_free_decompressor(decompressor)
        buffer.deallocate()
    }

    /// Provides room for a member's data and its body.
    mutating func room(
        data: Int,
        body: Int
    ) -> (data: UnsafeMutableRawBufferPointer, body: UnsafeMutableRawBufferPointer) {
        if buffer.count < data + body {
            buffer.deallocate()
            buffer = .allocate(byteCount: max(data + body, 64 << 10), alignment: 16)
        }
        let data = UnsafeMutableRawBufferPointer(rebasing: buffer[..<data])
        return (data, UnsafeMutableRawBufferPointer(rebasing: buffer[data.count..<(data.count + body)]))
    }

    /// Inflates a member's data.
    ///
    /// - Parameters:
    ///   - data: The compressed data.
    ///   - body: The buffer for the inflated bytes.
    /// - Returns: True if all of the data was used, and all of the body filled.
    borrowing func inflate(_ data: UnsafeMutableRawBufferPointer, into body: UnsafeMutableRawBufferPointer) -> Bool {
        var (used, made) = (0, 0)
        // An empty body needs a valid address as well.
        var nothing: UInt8 = 0
        let result = withUnsafeMutableBytes(of: &nothing) { spare in
            libdeflate_deflate_decompress_ex(
                decompressor,
                data.baseAddress,
                data.count,
                body.baseAddress ?? spare.baseAddress,
                body.count,
                &used,
                &made
            )
        }
        return result == LIBDEFLATE_SUCCESS && used == data.count && made == body.count
    }
}
#else
/// Inflates nothing as a whole, so that zlib does all of it in pieces.
struct WholeInflater: ~Copyable {
    /// The maximum size of a member that is read as a whole, in bytes: not even an empty one is.
    static let limit: Int64 = -1

    init() throws(ZipError) {}

    func room(
        data: Int,
        body: Int
    ) -> (data: UnsafeMutableRawBufferPointer, body: UnsafeMutableRawBufferPointer) {
        preconditionFailure("there is no room for \(data) and \(body) bytes")
    }

    func inflate(_ data: UnsafeMutableRawBufferPointer, into body: UnsafeMutableRawBufferPointer) -> Bool { false }
}
#endif
