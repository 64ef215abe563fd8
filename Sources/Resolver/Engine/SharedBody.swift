internal import NIOCore
internal import NIOPosix
internal import OfflineCache
internal import Synchronization

/// A body on its way from an origin, written into the store and read by any number of clients meanwhile.
///
/// Where the store can't take more, the rest goes through memory, no faster than the slowest client reads it.
final class SharedBody: Sendable {
    /// How many bytes wait in memory for clients, at most.
    private static let window = 1 << 20
    private static let pieceSize = 64 * 1024

    private struct State {
        /// Bytes in the store's file.
        var inFile: Int64 = 0
        /// What follows those, and where it begins.
        var tail: [ByteBuffer] = []
        var tailStart: Int64 = 0
        var total: Int64 = 0
        var isFileFull = false
        var ending: Result<Void, any Error>?
        var readers: [UInt64: Int64] = [:]
        var nextReader: UInt64 = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var writer: CheckedContinuation<Void, Never>?
        var onLastReader: (@Sendable () -> Void)?
    }

    private let file: ReceivedBody
    private let state = Mutex(State())

    init(_ file: ReceivedBody) { self.file = file }

    /// Whether all of it could be kept.
    var isKept: Bool { state.withLock { !$0.isFileFull } }
    /// How many bytes came.
    var count: Int64 { state.withLock { $0.total } }
    /// How many clients read it.
    var readers: Int { state.withLock { $0.readers.count } }

    // MARK: The writer

    /// Takes the next bytes; waits where clients must read first.
    func append(_ bytes: ByteBuffer) async {
        let isFileFull = state.withLock { $0.isFileFull }
        if !isFileFull {
            let isWritten = await write(bytes)
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
        }
        await room()
    }

    private func write(_ bytes: ByteBuffer) async -> Bool {
        let file = file
        do {
            try await NIOThreadPool.singleton.runIfActive {
                try bytes.withUnsafeReadableBytes { try file.write($0) }
            }
            return true
        } catch {
            // The disk is full, or fails: clients get the body all the same, the store doesn't.
            return false
        }
    }

    private func room() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state -> Bool in
                let held = state.tail.reduce(0) { $0 + $1.readableBytes }
                guard held > Self.window, !state.readers.isEmpty else { return true }
                state.writer = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Nothing more comes.
    func end(_ result: Result<Void, any Error>) { wake { $0.ending = result } }

    /// Calls a closure when nobody reads any more, before the end.
    func onLastReader(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onLastReader = action } }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Drops what all readers have.
    private static func trim(_ state: inout State) {
        let slowest = state.readers.values.min() ?? state.total
        while let first = state.tail.first, state.tailStart + Int64(first.readableBytes) <= slowest {
            state.tailStart += Int64(first.readableBytes)
            state.tail.removeFirst()
        }
    }

    // MARK: Readers

    /// Begins to read, at the start; nil where the start is gone.
    func subscribe() -> Reader? {
        state.withLock { state in
            guard state.inFile == state.tailStart || state.tail.isEmpty else { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = 0
            return Reader(body: self, number: state.nextReader)
        }
    }

    fileprivate func unsubscribe(_ number: UInt64) {
        let (writer, action) = state.withLock { state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            state.readers[number] = nil
            Self.trim(&state)
            let isLast = state.readers.isEmpty && state.ending == nil
            defer { state.writer = nil }
            return (state.writer, isLast ? state.onLastReader : nil)
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
                        defer { state.writer = nil }
                        return (.memory(piece), state.writer)
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
        let bytes = try await NIOThreadPool.singleton.runIfActive {
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]), at: offset)
            }
            return buffer
        }
        guard bytes.readableBytes > 0 else { throw CancellationError() }
        state.withLock { $0.readers[number] = offset + Int64(bytes.readableBytes) }
        return bytes
    }

    private func change(_ number: UInt64) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                let offset = state.readers[number] ?? 0
                guard offset >= state.total, state.ending == nil else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
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
