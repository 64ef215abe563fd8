import AFCPlatform
import UnixSignals

/// A signal asked for the end.
struct Stopped: Error, Equatable {
    /// SIGINT or SIGTERM.
    var signal: Int32
}

/// SIGINT and SIGTERM as the cancellation of a task.
enum StopSignals {
    private enum Event<Value: Sendable>: Sendable {
        case finished(Value)
        case signal(Int32)
        case nothing
    }

    /// Runs the body, and cancels it at the first signal.
    ///
    /// The second signal ends the process at once.
    ///
    /// - Parameter body: What may be stopped.
    /// - Returns: What the body returns, where it came to its end in spite of a signal, too.
    /// - Throws: ``Stopped`` in the place of a `CancellationError` after a signal; else what the body throws.
    static func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        var stop: Stopped?
        do {
            return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
                group.addTask { .finished(try await body()) }
                group.addTask {
                    for await signal in signals { return .signal(signal == .sigterm ? SIGTERM : SIGINT) }
                    return .nothing
                }
                while let event = try await group.next() {
                    switch event {
                    case .finished(let value):
                        group.cancelAll()
                        return value
                    case .signal(let number):
                        stop = Stopped(signal: number)
                        _ = signal(SIGINT, SIG_DFL)
                        _ = signal(SIGTERM, SIG_DFL)
                        group.cancelAll()
                    case .nothing: continue
                    }
                }
                throw CancellationError()
            }
        } catch is CancellationError {
            throw stop ?? CancellationError()
        }
    }
}
