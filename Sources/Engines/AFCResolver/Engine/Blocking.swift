internal import NIOCore
internal import NIOPosix

/// The threads on which this module does what blocks; nothing else here names them.
enum Blocking {
    /// Does something that blocks, and waits for it.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(work)
    }

    /// Reads from a place on, as many bytes as there are room or body for.
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
