internal import NIOCore
internal import NIOPosix

/// The threads on which this module does what blocks; nothing else here names them.
enum Blocking {
    /// Does something that blocks.
    static func submit(_ work: @escaping @Sendable () -> Void) {
        NIOThreadPool.singleton.submit { _ in work() }
    }

    /// Does work that blocks, and continues on an event loop.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - work: What blocks; it fails with `CancellationError` where the threads have ended.
    ///   - then: Told on the loop what came of it.
    static func submit<Value: Sendable>(
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

    /// Does something that blocks, and waits for it.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(work)
    }
}
