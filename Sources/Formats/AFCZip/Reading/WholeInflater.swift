internal import CLibdeflate

/// Inflates data that is all at hand (RFC 1951), in half the time that zlib takes for as much.
///
/// It says only whether the data is just what was declared: what is wrong with it otherwise, zlib says.
struct WholeInflater: ~Copyable {
    /// Up to how many bytes, compressed or not, a member is read whole.
    static let limit: Int64 = 1 << 20

    private let decompressor: OpaquePointer
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init() throws(ZipError) {
        guard let decompressor = libdeflate_alloc_decompressor() else {
            throw ZipError(inputOutput: "there is no memory to inflate with")
        }
        self.decompressor = decompressor
    }

    deinit {
        libdeflate_free_decompressor(decompressor)
        buffer.deallocate()
    }

    /// Room for a member's data and its body.
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

    /// Inflates.
    ///
    /// - Parameters:
    ///   - data: The compressed data.
    ///   - body: Filled with what it inflates to.
    /// - Returns: Whether all of the data was used, and all of the body filled.
    borrowing func inflate(_ data: UnsafeMutableRawBufferPointer, into body: UnsafeMutableRawBufferPointer) -> Bool {
        var (used, made) = (0, 0)
        // An empty body still has a place.
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
