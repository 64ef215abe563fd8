package import NIOCore
internal import NIOPosix

/// The threads for blocking work of origins, resolver and server; only these may wait for files and the system.
package enum Blocking {
    /// Runs blocking work.
    package static func submit(_ work: @escaping @Sendable () -> Void) {
        NIOThreadPool.singleton.submit { _ in work() }
    }

    /// Runs blocking work, and continues on an event loop.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - work: The blocking work; its result is `CancellationError` if the threads have ended.
    ///   - then: A closure called on the loop with the result.
    package static func submit<Value: Sendable>(
        to loop: any EventLoop,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        NIOThreadPool.singleton.submit { state in
            let result = Result { () throws -> Value in
                guard case .active = state else { throw CancellationError() }
                return try work()
            }
            loop.execute { then(result) }
        }
    }

    /// Runs blocking work, and waits for its result.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(work)
    }

    /// Reads at most `count` bytes with a blocking closure.
    package static func read(
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
