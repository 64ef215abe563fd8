internal import AFCHTTP
public import HTTPTypes

/// The decision about a request: the head of the answer, and the bytes of the stored body that follow.
public struct Resolution: Equatable, Sendable {
    /// The reason for the answer.
    public enum Verdict: Equatable, Sendable {
        /// A fresh response is served.
        case fresh
        /// A response is served that is no longer fresh, and is marked stale.
        case stale
        /// There is nothing to serve: 504, or 502 if the origin's response was invalid.
        case missing
        /// The response is stale, and the policy or the client doesn't accept that: 504.
        case expiredRefused
        /// The response is stale, and its origin forbids serving it stale: 504.
        case originForbidsStale
        /// The method is not GET or HEAD: 405.
        case methodNotAllowed
    }

    /// One part of a `multipart/byteranges` body (RFC 9110 §14.6).
    public struct Part: Equatable, Sendable {
        /// The delimiter and the part's fields, which precede its bytes.
        public var head: [UInt8]
        /// The offsets in the stored body.
        public var range: Range<Int64>
    }

    /// The bytes of the stored body to send.
    public enum Body: Equatable, Sendable {
        /// Nothing: for HEAD, 304, or because there is no stored body.
        case none
        /// The whole stored body.
        case whole
        /// A part of the stored body.
        case range(Range<Int64>)
        /// Several parts, each with its head, and the closing delimiter.
        case parts([Part], tail: [UInt8])
    }

    /// The reason for the answer.
    public var verdict: Verdict
    /// The status of the answer.
    public var status: HTTPResponse.Status
    /// The fields of the answer, with Content-Length.
    public var fields: HTTPFields
    /// The bytes of the stored body to send.
    public var body: Body
    /// The freshness of the stored response that was served or refused; nil if there was none.
    public internal(set) var freshness: Freshness?
    /// The last member of Cache-Status (RFC 9211).
    public private(set) var cacheStatus: CacheStatus

    init(
        verdict: Verdict,
        status: HTTPResponse.Status,
        fields: HTTPFields,
        body: Body,
        cacheStatus: CacheStatus
    ) {
        self.verdict = verdict
        self.status = status
        self.fields = fields
        self.body = body
        self.cacheStatus = cacheStatus
    }

    /// Returns the answer for a request that waited for another one's answer, and was then decided (RFC 9211 §2.6).
    ///
    /// - Parameter forwarding: The request that would have been sent.
    /// - Returns: The same answer, with a Cache-Status that says so.
    public func collapsed(_ forwarding: Forwarding) -> Resolution {
        var status = cacheStatus
        status.isHit = false
        status.forward = forwarding.reason
        status.isCollapsed = true
        return with(status)
    }

    /// Returns the same answer, with another detail in its Cache-Status.
    ///
    /// - Parameter detail: The word.
    /// - Returns: The answer.
    public func with(detail: String) -> Resolution {
        var status = cacheStatus
        status.detail = detail
        return with(status)
    }

    /// Returns the same answer for a request for another URL, with a Cache-Status that says so (RFC 9211 §2.7).
    ///
    /// - Parameters:
    ///   - key: The URL of the stored response.
    ///   - way: A word that says why it answers; it is added to the detail.
    /// - Returns: The answer.
    public func matched(key: String, way: String) -> Resolution {
        var status = cacheStatus
        status.key = key
        status.detail = status.detail.map { $0 + "+" + way } ?? way
        return with(status)
    }

    private func with(_ status: CacheStatus) -> Resolution {
        var answer = self
        answer.cacheStatus = status
        if let last = answer.fields.lastIndex(where: { $0.name == .cacheStatus }) { answer.fields.remove(at: last) }
        answer.cacheStatus.append(to: &answer.fields)
        return answer
    }
}
