internal import AFCCaching
internal import AFCFiles
public import AFCText
internal import AFCZip
internal import Crypto
internal import Synchronization

/// The body of a response that is being received.
///
/// One thread writes, and any number may read what was written so far. If the value is released before the body is
/// finished, the body is abandoned.
public final class ReceivedBody: Sendable {
    private struct Writing {
        var hash = SHA256()
        var isEnded = false
    }

    private struct Arrived {
        /// The bytes, while there are few enough for memory.
        var bytes: [UInt8] = []
        var file: BodyFile?
        var written: Int64 = 0
    }

    /// The maximum size of a body that is stored in the database instead of a file, in bytes.
    static let smallSize = 16 << 10
    /// The least number of bytes that are evicted when the disk is full.
    private static let evictedAtOnce: Int64 = 256 << 10

    private let area: ReceivedArea
    private let key: ResourceKey
    private let response: StoredResponse
    private let replacing: [Int64]
    private let limit: Int64
    private let writing = Mutex(Writing())
    private let arrived = Mutex(Arrived())
    private let room = Mutex(DiskRoom())
    /// The bytes of other bodies that may still be evicted for this one; nil until one must be evicted.
    private let evictable = Mutex<Int64?>(nil)

    init(_ response: StoredResponse, for key: ResourceKey, replacing: [Int64], limit: Int64, in area: ReceivedArea) {
        self.area = area
        self.key = key
        self.response = response
        self.replacing = replacing
        self.limit = limit
    }

    deinit { abandon() }

    /// The number of bytes written so far.
    public var written: Int64 { arrived.withLock { $0.written } }

    /// Appends bytes; blocks for a write to a file.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``CacheError`` with `full` if the body is larger than the cache permits, or if the disk is full. Bytes
    ///   written before can still be read, but the body can only be abandoned.
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

    /// Reads bytes written so far at a position, until the buffer is full or there are no more; blocks.
    ///
    /// - Parameters:
    ///   - buffer: The buffer for the bytes.
    ///   - offset: The position.
    /// - Returns: The number of bytes read; 0 if there are none yet.
    /// - Throws: ``CacheError`` if reading fails.
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

    /// Completes the response, which look-ups find from now on.
    ///
    /// It is written to disk shortly afterwards. If too many changes are pending, this waits for them.
    ///
    /// - Returns: The response, with size and digest.
    /// - Throws: ``CacheError`` if it can't be stored.
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

    /// Discards the response; readers may continue to read.
    public func abandon() { writing.withLock { writing in end(&writing) } }

    /// Discards the response and its bytes, which can no longer be read.
    ///
    /// - Throws: ``CacheError`` if the file can't be emptied.
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
        // Only this thread writes, so the state that it sees stays valid until it changes it.
        let (isInMemory, written) = arrived.withLock { ($0.file == nil, $0.written) }
        let size = written + Int64(bytes.count)
        guard size <= limit else { throw tooLarge }
        if isInMemory, size <= Self.smallSize {
            arrived.withLock { arrived in
                arrived.bytes.append(contentsOf: bytes)
                arrived.written = size
            }
            return
        }
        while true {
            do throws(CacheError) {
                try writeToFile(bytes, at: written)
                break
            } catch {
                guard error.isDiskFull, try evict(Int64(bytes.count)) else { throw error }
            }
        }
        arrived.withLock { $0.written = size }
    }

    private func writeToFile(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheError) {
        let file = if let file = arrived.withLock({ $0.file }) { file } else { try spill() }
        guard room.withLock({ $0.admits(bytes.count, to: file.descriptor) }) else { throw .diskFull(path: file.path) }
        try file.write(bytes, at: offset)
    }

    /// Evicts other responses, because the disk has no room for more bytes of this one.
    ///
    /// One response evicts at most half of what is stored, so that a body without an end doesn't empty the cache.
    ///
    /// - Returns: False if nothing more may be evicted.
    private func evict(_ count: Int64) throws(CacheError) -> Bool {
        let known = evictable.withLock { $0 }
        let left = if let known { known } else { try area.totals().bytes / 2 }
        let wanted = max(count, Self.evictedAtOnce)
        guard left > 0 else { return false }
        evictable.withLock { $0 = left - wanted }
        return try area.giveWay(min(wanted, left), now: response.received)
    }

    /// Moves the bytes in memory to a file.
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
        CacheError(.inputOutput, subject: key.text, message: "the body was already finished or abandoned")
    }

    private var tooLarge: CacheError {
        CacheError(
            .full,
            subject: key.text,
            message: "the body has more than the \(limit) bytes that the packages leave free in the cache",
            remedy: .raiseLimit
        )
    }
}
