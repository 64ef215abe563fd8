internal import AFCBlocking
internal import AFCCache
internal import NIOCore
internal import Synchronization

/// A body on its way from an origin, written into the cache while any number of clients read it.
///
/// If the cache can't take more, the rest goes through memory, no faster than the slowest client reads it.
final class SharedBody: Sendable {
    /// The most bytes that wait in memory for clients.
    private static let window = 1 << 20
    private static let pieceSize = 64 * 1024

    private struct State {
        /// The bytes in the cache's file.
        var inFile: Int64 = 0
        /// The bytes after those in the file, and their start.
        var tail: [ByteBuffer] = []
        var tailStart: Int64 = 0
        var total: Int64 = 0
        var isFileFull = false
        /// True if the file's bytes were dropped, since no client can read them any more.
        var isFileEmptied = false
        var ending: Result<Void, any Error>?
        var readers: [UInt64: Int64] = [:]
        var nextReader: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var writer: CheckedContinuation<Void, Never>?
        /// True until the clients that waited for the head begin to read, so that the start must stay.
        var isHeld = true
        /// True if the body is fetched to its end even if no client reads it.
        var isWanted = false
        /// True if the transfer was cut off because no client read it: the next client sends a request of its own.
        var isCutOff = false
        var length: Int64?
        var finishingBytes: Int64 = 0
        var cutOff: (@Sendable () -> Void)?

        /// Returns true if the file can be emptied now: no reader is within it, and none can begin there.
        mutating func takesFile() -> Bool {
            guard isFileFull, !isFileEmptied, tailStart > inFile else { return false }
            isFileEmptied = true
            return true
        }

        /// True if another piece may come.
        var hasRoom: Bool { total - tailStart <= SharedBody.window || isUnread }
        var isUnread: Bool { readers.isEmpty && !isHeld }

        /// Returns the closure that cuts the transfer off, if it is no longer worth finishing.
        mutating func abandonment() -> (@Sendable () -> Void)? {
            guard isUnread, ending == nil, !isCutOff else { return nil }
            let isNearlyThere = length.map { $0 - total <= finishingBytes } ?? (total <= finishingBytes)
            guard isFileFull || !(isWanted || isNearlyThere) else { return nil }
            isCutOff = true
            return cutOff
        }

        /// Returns the writer, if it can continue.
        mutating func freedWriter() -> CheckedContinuation<Void, Never>? {
            guard hasRoom else { return nil }
            defer { writer = nil }
            return writer
        }
    }

    private let file: ReceivedBody
    private let limit: Int64
    private let state = Mutex(State())

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - file: The body's file in the cache.
    ///   - limit: The most bytes that are written to the cache.
    init(_ file: ReceivedBody, limit: Int64 = .max) {
        self.file = file
        self.limit = limit
    }

    /// True if all bytes were stored.
    var isKept: Bool { state.withLock { !$0.isFileFull } }
    /// The number of bytes received.
    var count: Int64 { state.withLock { $0.total } }

    // MARK: The writer

    /// Takes the next bytes; waits if clients must read first.
    func append(_ bytes: ByteBuffer) async {
        let (isFileFull, total) = state.withLock { ($0.isFileFull, $0.total) }
        if !isFileFull {
            let fits = total + Int64(bytes.readableBytes) <= limit
            let isWritten = fits ? await write(bytes) : false
            // The cache has no use for the file from here on; readers continue.
            if !isWritten { file.abandon() }
            wake { state in
                state.total += Int64(bytes.readableBytes)
                if isWritten {
                    state.inFile = state.total
                    state.tailStart = state.total
                } else {
                    state.isFileFull = true
                    state.tail.append(bytes)
                }
            }
        } else {
            wake { state in
                state.total += Int64(bytes.readableBytes)
                state.tail.append(bytes)
                Self.trim(&state)
            }
            if state.withLock({ $0.takesFile() }) { await empty() }
        }
        await room()
    }

    private func write(_ bytes: ByteBuffer) async -> Bool {
        let file = file
        do {
            try await Blocking.run {
                try bytes.withUnsafeReadableBytes { try file.write($0) }
            }
            return true
        } catch {
            // The disk is full, or fails: clients still get the body, but the cache doesn't store it.
            return false
        }
    }

    /// Frees the file's disk space, since the transfer may continue for long.
    private func empty() async {
        let file = file
        // If the thread pool has ended, or the file can't be truncated, the bytes stay until the body is released.
        try? await Blocking.run { try file.empty() }
    }

    /// Waits until clients have read enough, or the writer's task is cancelled.
    private func room() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state -> Bool in
                    // The cancellation handler may already have run, and found no writer.
                    if state.hasRoom || Task.isCancelled { return true }
                    state.writer = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        } onCancel: {
            let writer = state.withLock { state in
                defer { state.writer = nil }
                return state.writer
            }
            writer?.resume()
        }
    }

    /// Ends the body.
    func end(_ result: Result<Void, any Error>) { wake { $0.ending = result } }

    /// Sets the closure that cuts the transfer off when no client reads it any more.
    ///
    /// - Parameters:
    ///   - length: The length of the body in bytes, if known.
    ///   - finishingBytes: The transfer continues if at most this many bytes are missing or, if the length is unknown,
    ///     received.
    ///   - action: The closure that cuts it off.
    func onAbandonment(length: Int64?, finishingBytes: Int64, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.length = length
            state.finishingBytes = finishingBytes
            state.cutOff = action
        }
    }

    /// Notes that the clients that waited for the head have begun to read.
    ///
    /// - Parameter isWanted: True if the body is fetched to its end even if no client reads it.
    func release(isWanted: Bool) {
        let (writer, action) = state.withLock {
            state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            state.isHeld = false
            state.isWanted = isWanted
            Self.trim(&state)
            return (state.freedWriter(), state.abandonment())
        }
        writer?.resume()
        action?()
    }

    private func wake(_ change: (inout State) -> Void) {
        let (waiting, action) = state.withLock {
            state -> ([UInt64: CheckedContinuation<Void, Never>], (@Sendable () -> Void)?) in
            change(&state)
            defer { state.waiting = [:] }
            return (state.waiting, state.abandonment())
        }
        for continuation in waiting.values { continuation.resume() }
        action?()
    }

    /// Drops the bytes that all readers have read.
    private static func trim(_ state: inout State) {
        let slowest = state.isHeld ? 0 : state.readers.values.min() ?? state.total
        while let first = state.tail.first, state.tailStart + Int64(first.readableBytes) <= slowest {
            state.tailStart += Int64(first.readableBytes)
            state.tail.removeFirst()
        }
    }

    // MARK: Readers

    /// Creates a reader at the start; nil if the start is gone, or the rest won't come.
    func subscribe() -> Reader? {
        state.withLock { state in
            guard state.inFile == state.tailStart, !state.isCutOff else { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = 0
            return Reader(body: self, number: state.nextReader)
        }
    }

    fileprivate func unsubscribe(_ number: UInt64) {
        let (writer, action) = state.withLock {
            state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            state.readers[number] = nil
            Self.trim(&state)
            return (state.freedWriter(), state.abandonment())
        }
        writer?.resume()
        action?()
    }

    private enum Step {
        case file(Int)
        case memory(ByteBuffer)
        case wait
        case end
        case fail(any Error)
    }

    fileprivate func next(_ number: UInt64) async throws -> ByteBuffer? {
        while true {
            let (step, writer) = state.withLock { state -> (Step, CheckedContinuation<Void, Never>?) in
                guard let offset = state.readers[number] else { return (.end, nil) }
                if offset < state.inFile {
                    return (.file(Int(min(Int64(Self.pieceSize), state.inFile - offset))), nil)
                }
                var start = state.tailStart
                for piece in state.tail {
                    if start == offset {
                        state.readers[number] = offset + Int64(piece.readableBytes)
                        Self.trim(&state)
                        return (.memory(piece), state.freedWriter())
                    }
                    start += Int64(piece.readableBytes)
                }
                switch state.ending {
                case .success: return (.end, nil)
                case .failure(let error): return (.fail(error), nil)
                case nil: return (.wait, nil)
                }
            }
            writer?.resume()
            switch step {
            case .file(let count): return try await read(number, count)
            case .memory(let bytes): return bytes
            case .end: return nil
            case .fail(let error): throw error
            case .wait: await change(number)
            }
            try Task.checkCancellation()
        }
    }

    private func read(_ number: UInt64, _ count: Int) async throws -> ByteBuffer? {
        let offset = state.withLock { $0.readers[number] ?? 0 }
        let file = file
        let bytes = try await Blocking.read(count) { try file.read(into: $0, at: offset) }
        guard bytes.readableBytes > 0 else { throw CancellationError() }
        state.withLock { $0.readers[number] = offset + Int64(bytes.readableBytes) }
        return bytes
    }

    /// Waits until there are more bytes, or the body ends, or the reader's task is cancelled.
    private func change(_ number: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state -> Bool in
                    let offset = state.readers[number] ?? 0
                    guard offset >= state.total, state.ending == nil else { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isThere { continuation.resume() } else if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }

    /// One client's place in the body.
    final class Reader: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        typealias Failure = any Error

        private let body: SharedBody
        private let number: UInt64

        fileprivate init(body: SharedBody, number: UInt64) {
            self.body = body
            self.number = number
        }

        deinit { body.unsubscribe(number) }

        func makeAsyncIterator() -> Iterator { Iterator(reader: self) }

        fileprivate func next() async throws -> ByteBuffer? { try await body.next(number) }

        struct Iterator: AsyncIteratorProtocol {
            let reader: Reader

            mutating func next() async throws -> ByteBuffer? { try await reader.next() }
        }
    }
}
