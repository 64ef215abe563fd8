import Foundation

/// An event for which a test has waited too long.
public struct WaitTimeout: Error, CustomStringConvertible {
    /// Time enough for anything that merely has to happen, under a sanitizer and on a busy machine; less than the time limit of
    /// any suite.
    public static let patience = Duration.seconds(300)

    /// The event, as a clause: "the origin has been asked twice".
    public var event: String
    /// The time that the test waited.
    public var patience: Duration

    /// A sentence for the test's log.
    public var description: String { "timed out after \(patience.components.seconds) s of waiting until \(event)" }
}

/// Waits until a condition holds, and looks again and again.
///
/// However late this task gets a processor, the condition is looked at once more before the wait fails.
///
/// - Parameters:
///   - event: What is waited for, as a clause.
///   - patience: The time after which the wait fails.
///   - holds: The condition: the event itself, not something that usually comes with it.
/// - Throws: ``WaitTimeout`` if the condition doesn't hold in time, and what the condition throws.
public func waitUntil(
    _ event: String,
    patience: Duration = WaitTimeout.patience,
    _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + patience
    var looks = 0
    while true {
        let isLast = ContinuousClock.now >= end
        if try await holds() { return }
        guard !isLast else { throw WaitTimeout(event: event, patience: patience) }
        looks += 1
        // What other tasks of this process do is done soon.
        if looks < 100 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// Waits on the thread until a condition holds, so that busy other tests don't delay what follows.
///
/// A thread that waits for ever couldn't be stopped by a test's time limit.
///
/// - Parameters:
///   - event: What is waited for, as a clause.
///   - patience: The time after which the wait fails.
///   - pause: The time between two looks.
///   - holds: The condition: the event itself, not something that usually comes with it.
/// - Throws: ``WaitTimeout`` if the condition doesn't hold in time, and what the condition throws.
public func waitOnThread(
    until event: String,
    patience: Duration = WaitTimeout.patience,
    pause: Duration = .milliseconds(5),
    _ holds: () throws -> Bool
) throws {
    let end = ContinuousClock.now + patience
    while true {
        let isLast = ContinuousClock.now >= end
        if try holds() { return }
        guard !isLast else { throw WaitTimeout(event: event, patience: patience) }
        Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
}
