internal import AFCCaching
internal import AFCFiles
public import AFCText
internal import AFCZip
internal import Crypto
internal import Synchronization

/// The body of a response that is being received.
///
/// One thread writes, any number may read what was written so far. A body that isn't finished when the value goes is
/// abandoned.
public final class ReceivedBody: Sendable {
    private struct Writing {
        var hash = SHA256()
        var isEnded = false
    }

    private struct Arrived {
        /// The bytes, while they are few enough for memory.
        var bytes: [UInt8] = []
        var file: BodyFile?
        var written: Int64 = 0
    }

    /// The most bytes that are kept in the database, and not in a file of their own.
    static let smallSize = 16 << 10

    private let area: ReceivedArea
    private let key: ResourceKey
    private let response: StoredResponse
    private let replacing: [Int64]
    private let limit: Int64
    private let writing = Mutex(Writing())
    private let arrived = Mutex(Arrived())
    private let room = Mutex(DiskRoom())

    init(_ response: StoredResponse, for key: ResourceKey, replacing: [Int64], limit: Int64, in area: ReceivedArea) {
        self.area = area
        self.key = key
        self.response = response
        self.replacing = replacing
        self.limit = limit
    }

    deinit { abandon() }

    /// How many bytes were written so far.
    public var written: Int64 { arrived.withLock { $0.written } }

    /// Appends bytes; blocks for a write to a file.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``CacheError`` with `full` where the body is larger than the cache may hold, or where the disk is full;
    ///   what was written before can still be read, and the body can only be abandoned.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {
        try writing.withLock { writing throws(CacheError) in
            guard !writing.isEnded else { throw ended }
            do throws(CacheError) {
                try append(bytes)
            } catch {
                end(&writing)
                throw error
            }
            writing.hash.update(bufferPointer: bytes)
        }
    }

    /// Reads what was written so far, at a position, until the buffer is full or nothing more is there; blocks.
    ///
    /// - Parameters:
    ///   - buffer: Where the bytes go.
    ///   - offset: The position.
    /// - Returns: How many bytes were read; 0 where there are none yet.
    /// - Throws: ``CacheError`` where reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        let (file, count) = arrived.withLock { arrived in
            let count = Int(max(0, min(Int64(buffer.count), arrived.written - offset)))
            if arrived.file == nil, count > 0 {
                buffer.copyBytes(from: arrived.bytes[Int(offset)...].prefix(count))
            }
            return (arrived.file, count)
        }
        guard let file else { return count }
        return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
    }

    /// Makes the response visible: from now on it is found by look-ups.
    ///
    /// It is on the disk a moment later. Where more waits to be written than may, this waits for it.
    ///
    /// - Returns: The response, with size and digest.
    /// - Throws: ``CacheError`` where it can't be kept.
    public func finish() throws(CacheError) -> StoredCandidate {
        try writing.withLock { writing throws(CacheError) in
            guard !writing.isEnded else { throw ended }
            do throws(CacheError) {
                let candidate = try keep(digest: Array(writing.hash.finalize()))
                writing.isEnded = true
                return candidate
            } catch {
                end(&writing)
                throw error
            }
        }
    }

    /// Drops the response; readers may read on.
    public func abandon() { writing.withLock { writing in end(&writing) } }

    /// Drops the response and its bytes, which nobody may read any more.
    ///
    /// - Throws: ``CacheError`` where the file can't be emptied.
    public func empty() throws(CacheError) {
        abandon()
        try arrived.withLock { $0.file }?.empty()
    }

    private func end(_ writing: inout Writing) {
        guard !writing.isEnded else { return }
        writing.isEnded = true
        arrived.withLock { $0.file }?.remove()
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {
        // Only this thread writes, so what it sees of the state stays true until it changes it.
        let (file, written) = arrived.withLock { ($0.file, $0.written) }
        let size = written + Int64(bytes.count)
        guard size <= limit else { throw tooLarge }
        if file == nil, size <= Self.smallSize {
            arrived.withLock { arrived in
                arrived.bytes.append(contentsOf: bytes)
                arrived.written = size
            }
            return
        }
        var target = file
        if target == nil { target = try spill() }
        if let target, !room.withLock({ $0.admits(bytes.count, to: target.descriptor) }) {
            throw .diskFull(path: target.path)
        }
        try target?.write(bytes, at: written)
        arrived.withLock { $0.written = size }
    }

    /// Moves what is in memory into a file.
    private func spill() throws(CacheError) -> BodyFile {
        let file = try BodyFile(in: area.layout)
        let bytes = arrived.withLock { $0.bytes }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(CacheError) in try file.write(bytes, at: 0) }
        }
        do throws(CacheError) {
            try result.get()
        } catch {
            file.remove()
            throw error
        }
        arrived.withLock { arrived in
            arrived.file = file
            arrived.bytes = []
        }
        return file
    }

    private func keep(digest: [UInt8]) throws(CacheError) -> StoredCandidate {
        let (bytes, file, size) = arrived.withLock { ($0.bytes, $0.file, $0.written) }
        var response = response
        response.size = size
        let body = file.map { ReceivedVariant.Body.file($0.number) } ?? .bytes(bytes)
        let variant = try area.put(response, digest: digest, body: body, file: file, for: key, replacing: replacing)
        return StoredCandidate(variant, key)
    }

    private var ended: CacheError {
        CacheError(.inputOutput, subject: key.text, message: "the body was finished or abandoned before")
    }

    private var tooLarge: CacheError {
        CacheError(
            .full,
            subject: key.text,
            message: "the body has more than the \(limit) bytes that the cache has room for beside its packages",
            remedy: .raiseLimit
        )
    }
}
