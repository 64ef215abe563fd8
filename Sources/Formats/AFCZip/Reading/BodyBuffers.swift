/// What reading bodies takes besides the archive: buffers and what inflates, reused from body to body.
///
/// One thread uses it at a time; each that reads many bodies makes its own.
public struct BodyBuffers: ~Copyable {
    let input: UnsafeMutableRawBufferPointer
    let output: UnsafeMutableRawBufferPointer
    var inflater: Inflater
    var whole: WholeInflater

    /// Makes buffers.
    ///
    /// - Parameter size: The bytes of each of the two; the most that comes at once.
    /// - Throws: ``ZipError`` where there is no memory.
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
