/// A body as an uncompressed deflate stream: blocks of up to 65,535 bytes, each preceded by five bytes (RFC 1951
/// §3.2.4).
///
/// For stored members, libzip writes a checksum next to the encrypted data, which would confirm a guess at the body.
/// Data that is already deflated it accepts unchanged.
struct StoredBlocks {
    private let size: Int64
    private var given: Int64 = 0
    private var left = 0
    private var header: ArraySlice<UInt8> = []
    private var isStarted = false

    private static let blockSize: Int64 = 65_535

    init(size: Int64) { self.size = size }

    /// Returns the length of the stream for a body of a size.
    static func length(of size: Int64) -> Int64 { size + 5 * max(1, (size + blockSize - 1) / blockSize) }

    /// Fills the buffer with the next piece.
    ///
    /// - Parameters:
    ///   - target: The buffer.
    ///   - body: Provides the next bytes of the body, at most as many as its buffer holds; negative for an error.
    /// - Returns: The number of bytes, 0 at the end, negative for an error.
    mutating func read(
        into target: UnsafeMutableRawBufferPointer,
        from body: (UnsafeMutableRawBufferPointer) -> Int64
    ) -> Int64 {
        if header.isEmpty, left == 0, !isStarted || given < size { startBlock() }
        if !header.isEmpty {
            let count = min(target.count, header.count)
            target.copyBytes(from: header.prefix(count))
            header = header.dropFirst(count)
            return Int64(count)
        }
        guard left > 0 else { return 0 }
        let count = body(UnsafeMutableRawBufferPointer(rebasing: target[..<min(target.count, left)]))
        guard count > 0 else { return -1 }
        left -= Int(count)
        given += count
        return count
    }

    private mutating func startBlock() {
        isStarted = true
        left = Int(min(Self.blockSize, size - given))
        let isLast = given + Int64(left) == size
        let length = UInt16(left)
        header = [
            isLast ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8),
        ]
    }
}
