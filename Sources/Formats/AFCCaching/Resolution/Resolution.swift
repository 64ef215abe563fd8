internal import AFCHTTP
public import HTTPTypes

/// What the resolver decided: the head of the answer, and which bytes of the stored body follow.
public struct Resolution: Equatable, Sendable {
    /// Why the answer is what it is.
    public enum Verdict: Equatable, Sendable {
        /// A fresh response is served.
        case fresh
        /// A response is served that is no longer fresh, and is marked so.
        case stale
        /// There is nothing to serve: 504, or 502 where the origin's answer was none.
        case missing
        /// The response is stale and the policy, or the client, doesn't take that: 504.
        case expiredRefused
        /// The response is stale and its origin forbids to serve it so: 504.
        case originForbidsStale
        /// The method is not GET or HEAD: 405.
        case methodNotAllowed
    }

    /// One part of a `multipart/byteranges` body (RFC 9110 §14.6).
    public struct Part: Equatable, Sendable {
        /// The delimiter and the part's fields, to be sent before its bytes.
        public var head: [UInt8]
        /// Offsets in the stored body.
        public var range: Range<Int64>
    }

    /// What follows the head.
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

    /// Why the answer is what it is.
    public var verdict: Verdict
    /// The status of the answer.
    public var status: HTTPResponse.Status
    /// The fields of the answer, with Content-Length.
    public var fields: HTTPFields
    /// What follows the head.
    public var body: Body
    /// How fresh the stored response is that was served or refused; nil where there was none.
    public internal(set) var freshness: Freshness?
    /// What the last line of Cache-Status says (RFC 9211).
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

    /// The answer to a request that waited for the answer to another one, and was decided then (RFC 9211 §2.6).
    ///
    /// - Parameter forwarding: What would have been sent.
    /// - Returns: The same answer, with a Cache-Status that says so.
    public func collapsed(_ forwarding: Forwarding) -> Resolution {
        var status = cacheStatus
        status.isHit = false
        status.forward = forwarding.reason
        status.isCollapsed = true
        return with(status)
    }

    /// The same answer, with another word in its Cache-Status.
    ///
    /// - Parameter detail: The word.
    /// - Returns: The answer.
    public func with(detail: String) -> Resolution {
        var status = cacheStatus
        status.detail = detail
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
