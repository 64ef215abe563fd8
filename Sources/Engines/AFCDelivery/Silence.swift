internal import AsyncHTTPClient
internal import NIOCore
internal import Synchronization

/// Ends the wait for a server that sends nothing, and counts only the time in which it was waited for.
enum Silence {
    /// Calls a closure with each part of a body, one after the other.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - limit: How long the server may send nothing.
    ///   - use: Takes a part; however long that takes, the server isn't blamed.
    /// - Throws: ``ConnectionFailure`` where the server stopped sending, and what body and closure throw.
    static func forEach(
        of body: HTTPClientResponse.Body,
        limit: Duration,
        _ use: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws {
        let wait = Wait()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                wait.begin()
                for try await buffer in body {
                    wait.end()
                    try await use(buffer)
                    wait.begin()
                }
            }
            group.addTask {
                while true {
                    let rest = wait.rest(of: limit, at: .now)
                    guard rest > .zero else { throw ConnectionFailure("the server stopped sending") }
                    try await Task.sleep(for: rest)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Since when the server is waited for.
    private final class Wait: Sendable {
        private let start = Mutex<ContinuousClock.Instant?>(nil)

        func begin() { start.withLock { $0 = .now } }
        func end() { start.withLock { $0 = nil } }

        /// The time to wait until the server has been silent for too long.
        func rest(of limit: Duration, at now: ContinuousClock.Instant) -> Duration {
            start.withLock { $0.map { limit - $0.duration(to: now) } ?? limit }
        }
    }
}
