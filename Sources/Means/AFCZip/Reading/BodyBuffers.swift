/// Buffers and a decompressor for reading bodies, reused from body to body.
///
/// Only one thread may use it at a time. A thread that reads many bodies creates its own.
public struct BodyBuffers: ~Copyable {
    let input: UnsafeMutableRawBufferPointer
    let output: UnsafeMutableRawBufferPointer
    var inflater: Inflater
    var whole: WholeInflater

    /// Creates buffers.
    ///
    /// - Parameter size: The size of each of the two buffers, which is the maximum size of a chunk.
    /// - Throws: ``ZipError`` if there is not enough memory.
    public init(size: Int = 128 << 10) throws(ZipError) {
        precondition(size > 0, "a buffer needs bytes, not \(size)")
        let inflater = try Inflater()
        whole = try WholeInflater()
        self.inflater = inflater
        input = .allocate(byteCount: size, alignment: 16)
        output = .allocate(byteCount: size, alignment: 16)
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }
}
