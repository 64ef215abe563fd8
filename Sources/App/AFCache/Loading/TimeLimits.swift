internal import AFCResolver
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The time limits of one load, as URL sessions have them.
struct TimeLimits: Sendable {
    /// The longest time without a byte from the origin; nil for any.
    let silence: Duration?
    /// The time at which the load must have ended; nil for any.
    let end: ContinuousClock.Instant?
    /// Returns true while the reader wants no bytes; that time doesn't count as silence.
    var isPaused: @Sendable () -> Bool = { false }

    /// The longest limit; a longer one is none.
    private static let longest = Duration.seconds(365 * 86_400)

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - silence: The longest time without a byte, in seconds; 0 or less for any.
    ///   - total: The longest time from now to the end of the body, in seconds; nil for any.
    init(silence: TimeInterval, total: TimeInterval? = nil) {
        self.silence = Self.duration(silence)
        end = total.flatMap { Self.duration($0) }.map { ContinuousClock.now + $0 }
    }

    private static func duration(_ seconds: TimeInterval) -> Duration? {
        // Also false for what isn't a number.
        guard seconds > 0, seconds < TimeInterval(longest.components.seconds) else { return nil }
        return .seconds(seconds)
    }

    /// The limit for a transport, which has one of its own; nil if that is shorter.
    var ofTransport: Duration? {
        let own = Duration.seconds(DirectTransport.Limits().silentSeconds)
        guard let silence else { return Self.longest }
        return silence > own ? silence + own : nil
    }

    /// Waits for an origin within the limits.
    ///
    /// - Parameters:
    ///   - url: The URL that is loaded.
    ///   - work: The wait, which ends soon after it is cancelled.
    /// - Returns: Its result.
    /// - Throws: Its error; `URLError` with `timedOut` if the time is over.
    func waiting<Value: Sendable>(
        for url: URL?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard silence != nil || end != nil else { return try await work() }
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(operation: work)
            group.addTask { throw try await expiry(url) }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// Returns the error when the time is over.
    private func expiry(_ url: URL?) async throws -> URLError {
        while true {
            let now = ContinuousClock.now
            let silenceEnd = silence.map { now + $0 }
            guard let next = [silenceEnd, end].compactMap(\.self).min() else { throw CancellationError() }
            guard await Alarms.shared.wait(until: next) else { throw CancellationError() }
            if next == end {
                return error(url, "it wasn't complete in the time for a resource")
            }
            if !isPaused() { return error(url, "the origin sent nothing for \(silence ?? .zero)") }
        }
    }

    private func error(_ url: URL?, _ reason: String) -> URLError {
        URLError(.timedOut, failing: url, reason: "cannot load '\(url?.absoluteString ?? "")': \(reason)")
    }
}
