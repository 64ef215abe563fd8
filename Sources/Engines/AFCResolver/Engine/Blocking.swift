internal import NIOCore
internal import NIOPosix

/// The threads for this module's blocking work; no other file here names them.
enum Blocking {
    /// Runs blocking work, and waits for its result.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(work)
    }

    /// Reads at most `count` bytes with a blocking closure.
    static func read(
        _ count: Int,
        _ read: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws -> Int
    ) async throws -> ByteBuffer {
        try await run {
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                try read(UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
            }
            return buffer
        }
    }
}
