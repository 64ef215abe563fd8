import AFCPlatform
import UnixSignals

/// The error thrown after a signal asked the program to stop.
struct Stopped: Error, Equatable {
    /// SIGINT or SIGTERM.
    var signal: Int32
}

/// Cancellation of a task by SIGINT and SIGTERM.
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
    /// - Parameter body: The work that may be stopped.
    /// - Returns: The body's result, even if the body ends normally after a signal.
    /// - Throws: ``Stopped`` instead of a `CancellationError` after a signal; otherwise the body's error.
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
