public import AFCCache
public import AFCCaching
package import NIOCore

/// The bytes of an answer's body, read in bounded chunks as they are sent.
///
/// A value that moves between the thread that reads and the task that sends.
public struct BodyStream: Sendable {
    /// The most bytes of one answer in memory at a time, not counting what the socket buffers.
    static let chunkSize = 128 * 1024
    /// The most bytes that the system sends from a file at a time.
    static let partSize = 512 * 1024

    private enum Piece: Sendable {
        case bytes([UInt8])
        case file(Range<Int64>)
    }

    private let file: StoredBody?
    private var pieces: ArraySlice<Piece>

    /// Creates an empty stream.
    public init() {
        file = nil
        pieces = []
    }

    /// Creates a stream of bytes in memory.
    init(bytes: [UInt8]) {
        file = nil
        pieces = bytes.isEmpty ? [] : [.bytes(bytes)]
    }

    /// Creates a stream of the parts of a stored body that a resolution selects.
    public init(_ body: Resolution.Body, of file: StoredBody) {
        self.file = file
        switch body {
        case .none: pieces = []
        case .whole: pieces = file.size > 0 ? [.file(0..<file.size)] : []
        case .range(let range): pieces = [.file(range)]
        case .parts(let parts, let tail):
            pieces = parts.flatMap { [.bytes($0.head), .file($0.range)] } + [.bytes(tail)]
        }
    }

    /// The place of the body, if the stream is all of a body that can be read again.
    var place: BodyPlace? {
        guard let place = file?.placeAgain, pieces.count == 1, case .file(let range)? = pieces.first,
            range == 0..<Int64(place.size)
        else { return nil }
        return place
    }

    /// True if everything has been read.
    package var isFinished: Bool { pieces.isEmpty }

    /// True if much work must be done before the next bytes can be read.
    var isFar: Bool {
        guard case .file(let range)? = pieces.first else { return false }
        return file?.isFar(range.lowerBound) ?? false
    }

    /// Does a part of that work; blocks.
    ///
    /// - Throws: The body's own error, if the stored body can't be read.
    func advance() throws {
        guard case .file(let range)? = pieces.first else { return }
        try file?.advance(toward: range.lowerBound)
    }

    /// Returns the next bytes, at most ``chunkSize``, or nil at the end.
    ///
    /// Blocks.
    ///
    /// - Throws: ``Truncated``, or the body's own error, if the stored body can't be read or is shorter than recorded.
    package mutating func next() throws -> ByteBuffer? {
        guard !isFinished else { return nil }
        var buffer = ByteBufferAllocator().buffer(capacity: min(Self.chunkSize, capacityHint))
        while buffer.readableBytes < Self.chunkSize, let piece = pieces.first {
            // Bytes that are ready are sent before the work for the rest.
            if buffer.readableBytes > 0, isFar { break }
            let room = Self.chunkSize - buffer.readableBytes
            switch piece {
            case .bytes(let bytes):
                buffer.writeBytes(bytes.prefix(room))
                replaceFirst(bytes.count > room ? .bytes(Array(bytes.dropFirst(room))) : nil)
            case .file(let range):
                let count = min(room, range.count)
                guard try read(count, at: range.lowerBound, into: &buffer) == count else { throw Truncated() }
                let rest = (range.lowerBound + Int64(count))..<range.upperBound
                replaceFirst(rest.isEmpty ? nil : .file(rest))
            }
        }
        return buffer
    }

    /// Returns the next bytes like ``next()``, but only if that takes no wait for a disk.
    ///
    /// - Returns: The bytes; nil if reading would wait or fails, and at the end. The stream then stays as it was.
    package mutating func nextAtOnce() -> ByteBuffer? {
        guard let file, pieces.count == 1, case .file(let range)? = pieces.first else { return nil }
        let count = min(Self.chunkSize, range.count)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let isRead = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            file.fillAtOnce(UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: range.lowerBound) ? count : 0
        }
        guard isRead == count, count > 0 else { return nil }
        let rest = (range.lowerBound + Int64(count))..<range.upperBound
        replaceFirst(rest.isEmpty ? nil : .file(rest))
        return buffer
    }

    /// Returns the next bytes as a part of a file, but only if sending it takes no wait for a disk.
    ///
    /// - Returns: The part, which the caller releases; nil if the bytes must be read, for example because they are few.
    ///   The stream then stays as it was.
    mutating func partAtOnce() -> FilePart? {
        guard let file, pieces.count == 1, case .file(let range)? = pieces.first, range.count > Self.chunkSize else {
            return nil
        }
        let end = range.lowerBound + Int64(min(Self.partSize, range.count))
        guard let part = FilePart(of: file, range.lowerBound..<end) else { return nil }
        replaceFirst(end < range.upperBound ? .file(end..<range.upperBound) : nil)
        return part
    }

    /// The error for a stored body that is shorter than the cache recorded.
    struct Truncated: Error, Equatable {}

    private func read(_ count: Int, at offset: Int64, into buffer: inout ByteBuffer) throws -> Int {
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            try file?.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset) ?? 0
        }
    }

    private mutating func replaceFirst(_ piece: Piece?) {
        pieces.removeFirst()
        if let piece { pieces.insert(piece, at: pieces.startIndex) }
    }

    private var capacityHint: Int {
        pieces.reduce(0) { sum, piece in
            switch piece {
            case .bytes(let bytes): sum + bytes.count
            case .file(let range): sum + min(range.count, Self.chunkSize)
            }
        }
    }
}

/// A part of a stored body's file, which the system sends without a copy in the program.
///
/// It keeps the file open until it is released, which must happen exactly once.
struct FilePart: Sendable {
    /// The part in the form that channels send.
    let region: FileRegion
    private let file: StoredBody

    fileprivate init?(of file: StoredBody, _ range: Range<Int64>) {
        guard let part = file.descriptorAtOnce(for: range) else { return nil }
        self.file = file
        // SwiftNIO has no other handle for a descriptor that is already open.
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: part.descriptor)
        region = FileRegion(
            fileHandle: handle,
            readerIndex: Int(part.range.lowerBound),
            endIndex: Int(part.range.upperBound)
        )
    }

    /// True if the file has become shorter, so that the part can never be sent.
    var isCut: Bool { file.sizeOnDisk < Int64(region.endIndex) }

    /// Ends the use of the file.
    func release() {
        // The stored body closes the descriptor, so the handle must not.
        _ = try? region.fileHandle.takeDescriptorOwnership()
        withExtendedLifetime(file) {}
    }
}
