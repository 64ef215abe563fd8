internal import AFCFiles
import AFCPlatform
public import AFCText
internal import Crypto
internal import Synchronization

/// An open body in the cache, which stays complete as long as it is referenced, even if its package is replaced.
public final class StoredBody: Sendable {
    /// The size of the body, in bytes.
    public let size: Int64
    /// The path of the body.
    public let path: String
    /// The whole body, if it is in memory.
    public let bytes: [UInt8]?
    /// The body's place; nil if the body is verified as it is read, or doesn't belong to a package.
    package let place: BodyPlace?
    private let descriptor: Int32
    private let check: Comparison?
    private let remedy: String
    /// The part of an archive that is the body; nil if the body is a file of its own.
    private let part: ArchivePart?

    /// A part of an archive, and the bytes that are sent before and after it.
    struct ArchivePart {
        /// The archive.
        var file: OpenFile
        /// The offset of the part, and its size, in bytes.
        var offset: Int64
        var count: Int64
        /// The bytes before the part, and after it.
        var head: [UInt8] = []
        var tail: [UInt8] = []
        /// Inflates the part, if the body isn't sent as the archive has it.
        var inflation: Inflation?
        /// True if the body must be looked up, and so compared, each time.
        var isComparedEachTime = false
    }

    /// The progress of comparing a body with its digest while it is read.
    private struct Check {
        let digest: [UInt8]
        var hash = SHA256()
        /// The position of the next byte to hash.
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
    ///   - descriptor: An open descriptor of the file, which the value closes.
    ///   - size: The size of the body, in bytes.
    ///   - path: The path of the body.
    ///   - digest: The SHA-256 that the bytes must have, if they are verified. A reader that begins at the start then
    ///     gets the last bytes only if all are right; a reader of another part first waits until all are compared.
    ///   - place: The body's place, to open it again.
    ///   - remedy: The remedy for a damaged body, in words.
    init(
        descriptor: Int32,
        size: Int64,
        path: String,
        digest: [UInt8]? = nil,
        place: BodyPlace? = nil,
        remedy: String
    ) {
        self.descriptor = descriptor
        self.place = place
        self.size = size
        self.path = path
        self.remedy = remedy
        check = digest.map { Comparison($0) }
        bytes = nil
        part = nil
    }

    /// Creates a body that is a part of an archive.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - size: The size of the body, in bytes.
    ///   - path: The name of the body in errors.
    ///   - remedy: The remedy for a damaged body, in words.
    init(_ part: ArchivePart, size: Int64, path: String, remedy: String) {
        self.part = part
        self.size = size
        self.path = path
        self.remedy = remedy
        descriptor = part.file.descriptor
        place = nil
        check = nil
        bytes = nil
    }

    init(bytes: [UInt8], path: String) {
        descriptor = -1
        size = Int64(bytes.count)
        self.path = path
        self.bytes = bytes
        place = nil
        check = nil
        part = nil
        remedy = ""
    }

    // An archive closes its file itself.
    deinit { if descriptor >= 0, part == nil { close(descriptor) } }

    /// The place from which the body is read again without a look-up; nil if that takes a look-up.
    package var placeAgain: BodyPlace? {
        guard let part else { return place }
        return part.inflation == nil && !part.isComparedEachTime ? BodyPlace(self) : nil
    }

    /// True if ``path`` is the file of the body, and not of a package that has it, or a name.
    package var isFile: Bool { bytes == nil && part == nil }

    /// The current size of the file, or -1 if it is unknown.
    package var sizeOnDisk: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }

    /// Reads the whole body; blocks.
    ///
    /// - Parameter limit: The most bytes to read.
    /// - Returns: The bytes; nil if there are more than that.
    /// - Throws: ``CacheError`` if reading fails, the file is shorter than the body, or verification fails.
    public func contents(upTo limit: Int) throws(CacheError) -> [UInt8]? {
        guard size <= Int64(limit) else { return nil }
        if let bytes { return bytes }
        var contents = [UInt8](repeating: 0, count: Int(size))
        let result = contents.withUnsafeMutableBytes { buffer in
            Result { () throws(CacheError) in try read(into: buffer, at: 0) }
        }
        return Array(contents[..<(try result.get())])
    }

    /// Reads at a position until the buffer is full or the body ends; blocks.
    ///
    /// - Returns: The number of bytes read.
    /// - Throws: ``CacheError`` if reading fails, the file is shorter than the body, or verification fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        if let bytes {
            guard offset >= 0, offset < size else { return 0 }
            let part = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        if let part { return try read(part, into: buffer, at: offset) }
        guard let check else { return try fill(buffer, at: offset) }
        return try check.state.withLock { check throws(CacheError) in
            try fill(buffer, at: offset, comparing: &check)
        }
    }

    /// The bytes that ``advance(toward:)`` makes or compares at a time, and up to which reading takes no long work.
    private static let stepSize: Int64 = 1 << 20

    /// Returns true if much work must be done before the bytes at a position can be read: a compressed body is made from
    /// its start, and a verified one is compared first.
    package func isFar(_ offset: Int64) -> Bool {
        if let inflation = part?.inflation { return inflation.distance(to: offset) > Self.stepSize }
        guard let check, size > Self.stepSize else { return false }
        return check.state.withLock { !$0.isSound && offset != $0.next }
    }

    /// Does a part of the work before the bytes at a position can be read; blocks.
    ///
    /// - Throws: ``CacheError`` if reading fails, or verification does.
    package func advance(toward offset: Int64) throws(CacheError) {
        guard let inflation = part?.inflation else { return try requireSound() }
        guard try inflation.advance(toward: offset, atMost: Self.stepSize) else {
            throw damaged("the data of the body is damaged")
        }
    }

    /// Reads at a position until the buffer is full, if that takes no wait for a disk.
    ///
    /// - Returns: True if the buffer was filled; false if reading would wait or fails, the body ends before, or it is
    ///   verified.
    package func fillAtOnce(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
        guard check == nil, offset >= 0, Int64(buffer.count) <= size - offset else { return false }
        if let bytes {
            buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
            return true
        }
        if let part {
            return part.inflation == nil
                && part.fill(buffer, at: offset) { Descriptor.readAtOnce(descriptor, into: $0, at: $1) }
        }
        return Descriptor.readAtOnce(descriptor, into: buffer, at: offset) == buffer.count
    }

    /// Returns the descriptor from which the system can send a part of the body without waiting for a disk.
    ///
    /// Whether the part is in memory is tested by one byte of every 64 KiB.
    ///
    /// - Parameter range: The part, which must not be empty.
    /// - Returns: The descriptor, which is open as long as this value is referenced, and the range in its file; nil if
    ///   the part may not be in memory, the body is verified, or the file doesn't contain these bytes.
    package func descriptorAtOnce(for range: Range<Int64>) -> (descriptor: Int32, range: Range<Int64>)? {
        guard check == nil, bytes == nil, range.lowerBound >= 0, range.upperBound <= size else { return nil }
        guard let range = part == nil ? range : part?.fileRange(of: range) else { return nil }
        var byte: UInt8 = 0
        let isInMemory = withUnsafeMutableBytes(of: &byte) { byte in
            stride(from: range.lowerBound, to: range.upperBound, by: 64 << 10).allSatisfy { place in
                Descriptor.readAtOnce(descriptor, into: byte, at: place) == 1
            } && Descriptor.readAtOnce(descriptor, into: byte, at: range.upperBound - 1) == 1
        }
        return isInMemory ? (descriptor, range) : nil
    }

    private func read(
        _ part: ArchivePart,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(CacheError) -> Int {
        let wanted = Int(max(0, min(Int64(buffer.count), size - offset)))
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        if let inflation = part.inflation {
            guard try inflation.read(into: room, at: offset) else { throw damaged("the data of the body is damaged") }
            return wanted
        }
        var failure: CacheError?
        let isFilled = part.fill(room, at: offset) { room, place in
            guard let count = Descriptor.read(descriptor, into: room, at: place) else {
                failure = .system("cannot read", path: path)
                return nil
            }
            return count
        }
        if let failure { throw failure }
        guard isFilled else { throw damaged("the package is shorter than when it was mounted") }
        return wanted
    }

    /// Compares all bytes with the digest, if the body is verified; blocks.
    ///
    /// - Throws: ``CacheError`` if they differ.
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
            throw damaged("the body differs from what was stored")
        }
        check.isSound = true
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        // Bytes in the file after the body's end aren't part of it.
        let wanted = Int(max(0, min(Int64(buffer.count), size - offset)))
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        guard let count = Descriptor.read(descriptor, into: part, at: offset) else {
            throw .system("cannot read", path: path)
        }
        guard count == wanted else { throw damaged("the body is shorter than when it was stored") }
        return count
    }

    private func damaged(_ what: String) -> CacheError {
        CacheError(.damaged, subject: path, message: "\(what); \(remedy)")
    }
}

/// The place of a package's body, from which it is read again without a look-up.
///
/// It is valid until the cache changes.
package struct BodyPlace: Sendable {
    private enum Source: Sendable {
        case generation(GenerationFiles, member: String)
        case archive(StoredBody)
    }

    private let source: Source
    /// The size of the body, in bytes.
    package let size: Int

    init(_ files: GenerationFiles, _ member: String, size: Int64) {
        source = .generation(files, member: member)
        self.size = Int(clamping: size)
    }

    /// Creates the place of a body in an archive, which stays open.
    fileprivate init(_ body: StoredBody) {
        source = .archive(body)
        size = Int(clamping: body.size)
    }

    /// Reads the whole body if that takes no wait for a disk.
    ///
    /// - Parameter buffer: The buffer, as large as the body.
    /// - Returns: False if reading would wait or fails, or if the file isn't as large as the body.
    package func readAtOnce(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        let (files, member): (GenerationFiles, String)
        switch source {
        case .archive(let body): return body.fillAtOnce(buffer, at: 0)
        case .generation(let known, let name): (files, member) = (known, name)
        }
        guard let descriptor = files.openBodyAtOnce(member) else { return false }
        let body = StoredBody(descriptor: descriptor, size: Int64(size), path: member, remedy: "")
        return body.sizeOnDisk == Int64(size) && body.fillAtOnce(buffer, at: 0)
    }
}

extension StoredBody.ArchivePart {
    /// Returns the range of the file that a range of the body has; nil if some of the bytes aren't in the file.
    fileprivate func fileRange(of range: Range<Int64>) -> Range<Int64>? {
        let start = Int64(head.count)
        guard inflation == nil, range.lowerBound >= start, range.upperBound <= start + count else { return nil }
        return (range.lowerBound - start + offset)..<(range.upperBound - start + offset)
    }

    /// Fills a buffer with bytes of the body.
    ///
    /// - Parameters:
    ///   - buffer: The buffer.
    ///   - position: The position in the body; the body has as many bytes from there as the buffer has room for.
    ///   - read: Reads from the file, and returns the number of bytes that were read, or nil.
    /// - Returns: False if the file didn't have all of the bytes.
    fileprivate func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        at position: Int64,
        _ read: (UnsafeMutableRawBufferPointer, Int64) -> Int?
    ) -> Bool {
        var rest = buffer
        var position = position
        let dataStart = Int64(head.count)
        let dataEnd = dataStart + count
        while !rest.isEmpty {
            let done: Int
            if position >= dataStart, position < dataEnd {
                done = Int(min(Int64(rest.count), dataEnd - position))
                let room = UnsafeMutableRawBufferPointer(rebasing: rest[..<done])
                guard read(room, position - dataStart + offset) == done else { return false }
            } else {
                let bytes = position < dataStart ? head[Int(position)...] : tail.dropFirst(Int(position - dataEnd))
                done = min(rest.count, bytes.count)
                guard done > 0 else { return false }
                rest.copyBytes(from: bytes.prefix(done))
            }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[done...])
            position += Int64(done)
        }
        return true
    }
}
