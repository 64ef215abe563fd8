internal import Dispatch

/// Runs work that blocks on a thread of its own, so that Swift's pool of threads is never held up.
public enum OffPool {
    /// Runs the work.
    ///
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    public static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
        }
        return try result.get()
    }
}
