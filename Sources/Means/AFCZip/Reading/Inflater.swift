internal import CZlib

#if Libdeflate
internal import CLibdeflate
#endif

/// Inflates deflate data (RFC 1951), never beyond the declared size.
package struct Inflater: ~Copyable, Sendable {
    // Only this value, which has one owner at a time, uses what it points to.
    nonisolated(unsafe) private let stream: UnsafeMutablePointer<z_stream>
    package private(set) var isFinished = false

    /// Creates an inflater.
    ///
    /// - Parameter isWrapped: Whether the data has gzip's or zlib's header and trailer (RFC 1952, RFC 1950), unlike in
    ///   zip.
    /// - Throws: ``ZipError`` if there is not enough memory.
    package init(isWrapped: Bool = false) throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard (isWrapped ? afcache_inflate_init_wrapped(stream) : afcache_inflate_init(stream)) == Z_OK else {
            stream.deallocate()
            throw ZipError(inputOutput: "there is not enough memory for decompression")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Prepares for the next member.
    package mutating func reset() {
        inflateReset(stream)
        // Discards input left over from an aborted member.
        stream.pointee.avail_in = 0
        isFinished = false
    }

    /// Provides data to inflate, which must stay in place until it is used up.
    package func give(_ input: UnsafeMutableRawBufferPointer) {
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = UInt32(input.count)
    }

    /// The number of provided bytes that aren't used yet.
    package var unused: Int { Int(stream.pointee.avail_in) }

    /// Fills the buffer as far as the provided data allows.
    ///
    /// - Returns: The number of bytes in the buffer, or nil if the data is damaged.
    package mutating func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? {
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
        isFinished = status == Z_STREAM_END
        return output.count - Int(stream.pointee.avail_out)
    }
}

extension Inflater {
    /// The first bytes of a gzip file that is compressed with deflate (RFC 1952 §2.3).
    package static let gzipSignature: [UInt8] = [0x1F, 0x8B, 0x08]

    /// Inflates a gzip file, which may have several members (RFC 1952 §2.2).
    ///
    /// - Parameters:
    ///   - file: The file's bytes.
    ///   - limit: The largest number of bytes to return.
    /// - Returns: The decompressed bytes, up to the limit, or to the end or the first damage of the data.
    package static func beginning(ofGzip file: [UInt8], limit: Int) -> [UInt8] {
        do throws(ZipError) {
            var inflater = try Inflater(isWrapped: true)
            return file.withUnsafeBytes { inflater.members(of: $0, limit: limit) }
        } catch {
            return []
        }
    }

    private mutating func members(of file: UnsafeRawBufferPointer, limit: Int) -> [UInt8] {
        var result: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var rest = file
        while rest.starts(with: Self.gzipSignature) {
            give(UnsafeMutableRawBufferPointer(mutating: rest))
            while !isFinished {
                guard let count = piece.withUnsafeMutableBytes({ fill($0) }), count > 0 || isFinished else {
                    return result
                }
                result += piece.prefix(min(count, limit - result.count))
                guard result.count < limit else { return result }
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.suffix(unused))
            reset()
        }
        return result
    }
}

/// The checksum of zip members.
public struct CRC32: Sendable {
    /// The checksum of the bytes so far.
    public private(set) var value: UInt32 = 0

    /// Creates the checksum of no bytes.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        #if Libdeflate
        value = libdeflate_crc32(value, bytes.baseAddress, bytes.count)
        #else
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start, bytes.count))
        #endif
    }
}

extension Inflater {
    /// Inflates data that must end with its last byte.
    ///
    /// - Parameters:
    ///   - data: The compressed data (RFC 1951).
    ///   - limit: The largest number of bytes to return.
    /// - Returns: The decompressed bytes.
    /// - Throws: ``ZipError`` if the data is damaged, or larger than the limit.
    package static func whole(_ data: [UInt8], limit: Int) throws(ZipError) -> [UInt8] {
        var inflater = try Inflater()
        let result: [UInt8]? = data.withUnsafeBytes { data in
            inflater.give(UnsafeMutableRawBufferPointer(mutating: data))
            var result: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while !inflater.isFinished {
                guard let count = piece.withUnsafeMutableBytes({ inflater.fill($0) }),
                    count > 0 || inflater.isFinished, result.count + count <= limit
                else { return nil }
                result += piece.prefix(count)
            }
            return inflater.unused == 0 ? result : nil
        }
        guard let result else { throw ZipError(inputOutput: "the compressed data is damaged or too large") }
        return result
    }
}
