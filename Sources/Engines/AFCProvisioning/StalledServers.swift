internal import AFCDelivery
internal import AFCText
internal import AFCURL
internal import Synchronization

/// The servers that let time limits pass in this run, so that no further package waits for them.
final class StalledServers: Sendable {
    private let origins = Mutex<Set<String>>([])

    /// Runs a download, unless its server is known to stall.
    ///
    /// - Parameters:
    ///   - url: The package, or whatever leads to it; nil if it isn't known, which the download reports.
    ///   - download: Asks the server.
    /// - Returns: The download's result.
    /// - Throws: `DeliveryError` with the code `timeout`, and the download's errors.
    func avoiding<Value>(_ url: WebURL?, _ download: () async throws -> Value) async throws -> Value {
        guard let url else { return try await download() }
        guard !origins.withLock({ $0.contains(url.origin) }) else {
            let message = "the server didn't answer in time before, and isn't asked again in this run"
            throw DeliveryError(.timeout, url, message)
        }
        do {
            return try await download()
        } catch let error as DeliveryError where error.code == .timeout {
            origins.withLock { _ = $0.insert(url.origin) }
            throw error
        }
    }
}
