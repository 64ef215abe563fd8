internal import AFCFiles
import AFCPlatform
public import AFCText
internal import Crypto
internal import Synchronization

/// A body in the cache, open: it stays whole for as long as somebody holds it, also when its package is replaced.
public final class StoredBody: Sendable {
    /// The bytes of the body.
    public let size: Int64
    /// Where it lies.
    public let path: String
    /// The whole body, where it is in memory already.
    public let bytes: [UInt8]?
    private let descriptor: Int32
    private let check: Comparison?
    private let remedy: String

    /// The progress of comparing a body with its digest while it is read.
    private struct Check {
        let digest: [UInt8]
        var hash = SHA256()
        /// Where the next byte to be hashed lies.
        var next: Int64 = 0
        var isSound = false
    }

    private final class Comparison: Sendable {
        let state: Mutex<Check>

        init(_ digest: [UInt8]) { state = Mutex(Check(digest: digest)) }
    }

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - descriptor: The file, open; the value closes it.
    ///   - size: The bytes of the body.
    ///   - path: Where it lies.
    ///   - digest: The SHA-256 that its bytes must have, where they are to be compared. A reader that begins at the
    ///     start then gets the last bytes only if all are right; one of another part first waits until all are compared.
    ///   - remedy: What helps where it is damaged.
    init(descriptor: Int32, size: Int64, path: String, digest: [UInt8]? = nil, remedy: String) {
        self.descriptor = descriptor
        self.size = size
        self.path = path
        self.remedy = remedy
        check = digest.map { Comparison($0) }
        bytes = nil
    }

    init(bytes: [UInt8], path: String) {
        descriptor = -1
        size = Int64(bytes.count)
        self.path = path
        self.bytes = bytes
        check = nil
        remedy = ""
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
    /// - Throws: ``CacheError`` where reading fails, the file is shorter than the body, or has other bytes and that is looked
    ///   at.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        if let bytes {
            guard offset >= 0, offset < size else { return 0 }
            let part = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        guard let check else { return try fill(buffer, at: offset) }
        return try check.state.withLock { check throws(CacheError) in
            try fill(buffer, at: offset, comparing: &check)
        }
    }

    /// Compares all bytes with the digest, where they are to be compared; blocks.
    ///
    /// - Throws: ``CacheError`` where they are others.
    func requireSound() throws(CacheError) {
        guard let check else { return }
        try check.state.withLock { check throws(CacheError) in
            try compareAll(&check)
        }
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64,
        comparing check: inout Check
    ) throws(CacheError) -> Int {
        if !check.isSound, offset != check.next { try compareAll(&check) }
        let count = try fill(buffer, at: offset)
        guard !check.isSound else { return count }
        check.hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        check.next += Int64(count)
        if check.next == size { try conclude(&check) }
        return count
    }

    private func compareAll(_ check: inout Check) throws(CacheError) {
        guard !check.isSound else { return }
        check.hash = SHA256()
        check.next = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while check.next < size {
            let count = try fill(buffer, at: check.next)
            check.hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            check.next += Int64(count)
        }
        try conclude(&check)
    }

    private func conclude(_ check: inout Check) throws(CacheError) {
        guard Array(check.hash.finalize()) == check.digest else {
            throw damaged("the body has other bytes than were stored")
        }
        check.isSound = true
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        // Bytes after the body's end in the file aren't part of it.
        let wanted = Int(max(0, min(Int64(buffer.count), size - offset)))
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        guard let count = Descriptor.read(descriptor, into: part, at: offset) else {
            throw .system("cannot read", path: path)
        }
        guard count == wanted else { throw damaged("the body is shorter than it was when it was stored") }
        return count
    }

    private func damaged(_ what: String) -> CacheError {
        CacheError(.damaged, subject: path, message: "\(what); \(remedy)")
    }
}
