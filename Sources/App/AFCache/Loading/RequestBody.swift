internal import AFCFiles
internal import AFCResolver
internal import Foundation
internal import NIOCore
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The body of a request, read as it is sent.
struct RequestBody: Sendable {
    /// The bytes.
    var pieces: ByteStream
    /// Their number; nil if it isn't known.
    var length: Int64?

    /// Creates a body of bytes.
    init(_ data: Data) { (pieces, length) = (BodyPieces { DataPart(data) }, Int64(data.count)) }

    /// Creates the body that a file is; each sending reads it from its start.
    ///
    /// - Throws: `FileError` if the file can't be opened.
    init(_ file: OpenFile) throws(FileError) {
        length = try file.size()
        pieces = BodyPieces { FilePart(file) }
    }

    /// Creates the body that a stream gives; it can be sent once.
    init(_ stream: InputStream) { pieces = BodyPieces { [part = StreamPart(stream)] in part } }
}

/// A source of a body's bytes.
private protocol BodyPart: Sendable {
    /// Reads the next bytes; blocks.
    ///
    /// - Returns: The bytes; nil at the end.
    func read() throws -> ByteBuffer?
}

/// A body in pieces that are read off the threads of tasks.
private struct BodyPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let part: @Sendable () -> any BodyPart

    init(_ part: @escaping @Sendable () -> any BodyPart) { self.part = part }

    func makeAsyncIterator() -> Iterator { Iterator(part: part()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let part: any BodyPart

        mutating func next() async throws -> ByteBuffer? { try await OffPool.run { [part] in try part.read() } }
    }
}

private let pieceSize = 64 << 10

private final class DataPart: BodyPart {
    private let data: Mutex<Data?>

    init(_ data: Data) { self.data = Mutex(data) }

    func read() -> ByteBuffer? {
        let data = data.withLock { data in
            defer { data = nil }
            return data
        }
        return data.map { ByteBuffer(bytes: $0) }
    }
}

private final class FilePart: BodyPart {
    private let file: OpenFile
    private let offset = Mutex<Int64>(0)

    init(_ file: OpenFile) { self.file = file }

    func read() throws -> ByteBuffer? {
        try offset.withLock { offset in
            var buffer = ByteBufferAllocator().buffer(capacity: pieceSize)
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: pieceSize) { room in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: room[..<pieceSize]), at: offset)
            }
            offset += Int64(count)
            return count > 0 ? buffer : nil
        }
    }
}

private final class StreamPart: BodyPart {
    // Foundation's stream isn't Sendable; the lock lets one thread at a time use it.
    private nonisolated(unsafe) let stream: InputStream
    private let isOpen = Mutex(false)

    init(_ stream: InputStream) { self.stream = stream }

    deinit { if isOpen.withLock({ $0 }) { stream.close() } }

    func read() throws -> ByteBuffer? {
        try isOpen.withLock { isOpen in
            if !isOpen { stream.open() }
            isOpen = true
            var bytes = [UInt8](repeating: 0, count: pieceSize)
            let count = stream.read(&bytes, maxLength: bytes.count)
            guard count >= 0 else { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
            return count > 0 ? ByteBuffer(bytes: bytes[..<count]) : nil
        }
    }
}
