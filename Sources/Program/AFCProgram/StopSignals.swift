import AFCPlatform
import Dispatch
import UnixSignals

/// The error thrown after a signal asked the program to stop.
struct Stopped: Error, Equatable {
    /// SIGINT, SIGTERM or SIGHUP.
    var signal: Int32
}

/// Cancellation of a task by SIGINT, SIGTERM and SIGHUP.
enum StopSignals {
    private enum Event<Value: Sendable>: Sendable {
        case finished(Value)
        case signal(Int32)
        case nothing
    }

    /// The number of SIGTERM.
    static let terminate = SIGTERM

    /// True within a body that a signal cancels.
    @TaskLocal private static var isCancelling = false

    /// Runs the body, and cancels it at the first signal; within another such body, only that one is told of signals.
    ///
    /// A further signal, a second later or more, ends the process at once. SIGHUP is left alone if it is ignored, as with
    /// nohup(1).
    ///
    /// - Parameter body: The work that may be stopped.
    /// - Returns: The body's result, even if the body ends normally after a signal.
    /// - Throws: ``Stopped`` instead of a `CancellationError` after a signal; otherwise the body's error.
    static func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard !isCancelling else { return try await body() }
        let trapped: [UnixSignal] = [.sigint, .sigterm] + (StopSignal.isHangupIgnored ? [] : [.sighup])
        let signals = await UnixSignalsSequence(trapping: trapped)
        var stop: Stopped?
        do {
            return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
                group.addTask { .finished(try await $isCancelling.withValue(true) { try await body() }) }
                group.addTask {
                    for await signal in signals { return .signal(signal.rawValue) }
                    return .nothing
                }
                while let event = try await group.next() {
                    switch event {
                    case .finished(let value):
                        group.cancelAll()
                        return value
                    case .signal(let number):
                        stop = Stopped(signal: number)
                        endAtNext(trapped.map(\.rawValue))
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

    /// Ignores signals for as long as they count as the one that came, and lets the next one end the process.
    private static func endAtNext(_ signals: [Int32]) {
        for number in signals { _ = signal(number, SIG_IGN) }
        let end = DispatchTime.now() + .seconds(StopSignal.sameSeconds)
        DispatchQueue.global().asyncAfter(deadline: end) { for number in signals { _ = signal(number, SIG_DFL) } }
    }
}
