internal import CLibdeflate
internal import CZlib

/// Inflates deflate data (RFC 1951), never by more than was declared.
package struct Inflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    package private(set) var isFinished = false

    /// Starts.
    ///
    /// - Parameter isWrapped: Whether the data stands in gzip's or zlib's wrapping (RFC 1952, RFC 1950), as outside of zip.
    /// - Throws: ``ZipError`` where there is no memory.
    package init(isWrapped: Bool = false) throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard (isWrapped ? afcache_inflate_init_wrapped(stream) : afcache_inflate_init(stream)) == Z_OK else {
            stream.deallocate()
            throw ZipError(inputOutput: "there is no memory to inflate with")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Makes the value ready for the next member.
    package mutating func reset() {
        inflateReset(stream)
        // What an aborted member left unread is not the next one's.
        stream.pointee.avail_in = 0
        isFinished = false
    }

    /// Gives data to inflate; it must stay where it is until it is used up.
    package func give(_ input: UnsafeMutableRawBufferPointer) {
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = UInt32(input.count)
    }

    /// How many bytes of what was given aren't used yet.
    package var unused: Int { Int(stream.pointee.avail_in) }

    /// Fills the buffer as far as the given data goes.
    ///
    /// - Returns: The bytes in the buffer, or nil where the data is damaged.
    package mutating func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? {
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
        isFinished = status == Z_STREAM_END
        return output.count - Int(stream.pointee.avail_out)
    }
}

/// The checksum of zip members.
public struct CRC32: Sendable {
    /// The checksum of what was added so far.
    public private(set) var value: UInt32 = 0

    /// The checksum of nothing.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        value = libdeflate_crc32(value, bytes.baseAddress, bytes.count)
    }
}
