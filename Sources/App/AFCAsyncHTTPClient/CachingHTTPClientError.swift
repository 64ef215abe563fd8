#if AsyncHTTPClient
internal import AFCCaching
internal import AFCResolver

/// An error for a request to which there is no response.
public struct CachingHTTPClientError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The kind of an error.
    public enum Code: Sendable, Equatable {
        /// The client is offline, and nothing is stored.
        case offline
        /// Nothing is stored, and the request's policy allows no connection.
        case notStored
        /// The origin can't be reached, and nothing that is stored may be served.
        case unreachable
        /// The origin took too long, and nothing that is stored may be served.
        case timedOut
        /// The origin sent no HTTP, and nothing that is stored may be served.
        case malformed
        /// The origin redirects too often.
        case tooManyRedirects
        /// The request can't be sent.
        case invalidRequest
    }

    /// The kind of error.
    public var code: Code
    /// The error as a sentence.
    public var message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: The error as a sentence.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// Creates the error for a refusal of the resolver.
    init(_ refusal: ResolverResponse, _ url: String, _ policy: ResourcePolicy, isOffline: Bool) {
        let detail = refusal.cacheStatus?.detail
        switch (policy, detail) {
        case (_, "origin-timeout"): self.init(.timedOut, "the origin of '\(url)' took too long")
        case (_, "origin-malformed"): self.init(.malformed, "the origin of '\(url)' sent no valid response")
        case (.returnCacheDataDontLoad, _), (_, "only-if-cached"):
            self.init(.notStored, "nothing is stored for '\(url)', and its request allows no connection")
        default:
            guard isOffline else {
                let reason = refusal.failure.map { ": \($0.message)" } ?? ""
                self.init(.unreachable, "the origin of '\(url)' can't be reached, and nothing is stored\(reason)")
                return
            }
            self.init(.offline, "the client is offline, and nothing is stored for '\(url)'")
        }
    }
}
#endif
