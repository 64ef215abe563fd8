#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A body in the store, open: it stays whole for as long as somebody holds it, also when its package is replaced.
public final class StoredBody: Sendable {
    /// The bytes of the body.
    public let size: Int64
    /// Where it lies.
    public let path: String
    /// The whole body, where it is in memory already.
    public let bytes: [UInt8]?
    private let descriptor: Int32

    init(descriptor: Int32, size: Int64, path: String) {
        self.descriptor = descriptor
        self.size = size
        self.path = path
        bytes = nil
    }

    init(bytes: [UInt8], path: String) {
        descriptor = -1
        size = Int64(bytes.count)
        self.path = path
        self.bytes = bytes
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The bytes that the file has now, or -1 where that can't be told.
    var sizeOnDisk: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }

    /// Reads at a position until the buffer is full or the body ends; blocks.
    ///
    /// - Returns: How many bytes were read.
    /// - Throws: ``CacheError`` where reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        if let bytes {
            guard offset >= 0, offset < size else { return 0 }
            let part = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor,
                buffer.baseAddress?.advanced(by: done),
                buffer.count - done,
                off_t(offset) + off_t(done)
            )
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("cannot read", path: path) }
            if count == 0 { break }
            done += count
        }
        return done
    }
}
