/// The body of a response that is being received.
///
/// One thread writes, any number may read what was written so far. A body that isn't finished when the value goes is
/// abandoned.
public final class ReceivedBody: Sendable {
    init() {}

    /// How many bytes were written so far.
    public var written: Int64 { 0 }

    /// Appends bytes; blocks for a write to a file.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``CacheError`` with `full` where the body is larger than the store may hold, or where the disk is full;
    ///   what was written before can still be read, and the body can only be abandoned.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {}

    /// Reads what was written so far, at a position, until the buffer is full or nothing more is there; blocks.
    ///
    /// - Parameters:
    ///   - buffer: Where the bytes go.
    ///   - offset: The position.
    /// - Returns: How many bytes were read; 0 where there are none yet.
    /// - Throws: ``CacheError`` where reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int { 0 }

    /// Makes the response visible: from now on it is found by look-ups.
    ///
    /// It is on the disk a moment later. Where more waits to be written than may, this waits for it.
    ///
    /// - Returns: The response, with size and digest.
    /// - Throws: ``CacheError`` where it can't be kept.
    public func finish() throws(CacheError) -> StoredCandidate {
        throw CacheError(.inputOutput, subject: "", message: "not built yet")
    }

    /// Drops the response; readers may read on.
    public func abandon() {}
}
