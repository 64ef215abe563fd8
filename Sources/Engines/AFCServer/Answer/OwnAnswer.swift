internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

extension ServerAnswer {
    /// Creates an answer that the server itself writes.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - text: The body and its type.
    ///   - detail: The word for Cache-Status.
    ///   - now: The time for Date (RFC 9110 §6.6.1).
    ///   - isHead: True for HEAD: the body is measured, but not sent.
    init(own status: HTTPResponse.Status, _ text: OwnText, detail: String, now: Timestamp, isHead: Bool) {
        let bytes = Array(text.text.utf8)
        var fields = HTTPFields()
        fields[.date] = HTTPDate.format(now)
        fields[.contentType] = text.isHTML ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"
        fields[.contentLength] = String(bytes.count)
        fields[.cacheControl] = "no-store"
        let cacheStatus = CacheStatus(isHit: false, detail: detail)
        fields[.cacheStatus] = cacheStatus.description
        fields[.xContentTypeOptions] = "nosniff"
        if text.isHTML { fields[.contentSecurityPolicy] = text.policy }
        let body = isHead ? Body.none : .bytes(ByteBuffer(bytes: bytes))
        self.init(status: status, fields: fields, body: body, cacheStatus: cacheStatus)
    }
}

/// A text that the server itself writes.
struct OwnText: Equatable, Sendable {
    /// The whole text.
    var text: String
    /// True for HTML, false for plain text.
    var isHTML: Bool
    /// The nonce of the page's script; nil if no script may run.
    var nonce: String?
    /// The origin that the page's form leads to, or `'self'`; nil if the page has no form.
    var formTarget: String?

    /// The policy of the page: only its own style, images in its own text, its script, and the server itself.
    fileprivate var policy: String {
        let script = nonce.map { "; script-src 'nonce-\($0)'; connect-src 'self'" } ?? ""
        return "default-src 'none'; style-src 'unsafe-inline'; img-src data:\(script); base-uri 'none'; "
            + "form-action \(formTarget ?? "'none'"); frame-ancestors 'none'"
    }

    /// Returns plain text with a line end added.
    static func plain(_ text: String) -> OwnText { OwnText(text: text + "\n", isHTML: false) }
    /// Returns an HTML page.
    static func html(_ text: String, nonce: String? = nil, formTarget: String? = nil) -> OwnText {
        OwnText(text: text, isHTML: true, nonce: nonce, formTarget: formTarget)
    }
}

extension ServerAnswer {
    /// Creates the answer for a cache or body that can't be read; the details go to the log only.
    init(storeFailureAt now: Timestamp, isHead: Bool) {
        self.init(
            own: .internalServerError,
            .plain("the cache cannot be read; see the server's log"),
            detail: "store-failure",
            now: now,
            isHead: isHead
        )
    }
}

extension ServerAnswer {
    /// Creates the answer for a failed origin, or a failed connection to it.
    init(gatewayFailureAt now: Timestamp, isHead: Bool) {
        self.init(
            own: .badGateway,
            .plain("the origin's response could not be passed on; see the server's log"),
            detail: "origin-failure",
            now: now,
            isHead: isHead
        )
        ProxyStatus(error: .internalError).append(to: &fields)
    }
}

extension ServerAnswer {
    /// Creates the answer to a request that is refused before any responder sees it.
    ///
    /// - Parameters:
    ///   - refusal: The reason.
    ///   - isHead: True for HEAD: the body is measured, but not sent.
    ///   - now: The time for Date.
    init(_ refusal: RequestTarget.Fault, isHead: Bool, now: Timestamp) {
        let (status, words): (HTTPResponse.Status, String) =
            switch refusal {
            case .hostMissing: (.badRequest, "the request has no Host field")
            case .severalHosts: (.badRequest, "the request has more than one Host field")
            case .malformedHost: (.badRequest, "the Host field doesn't contain a valid host")
            case .malformedTarget: (.badRequest, "the request target is not a valid URL")
            case .unknownScheme: (.badRequest, "the request target is not an http or https URL")
            case .targetTooLong: (.uriTooLong, "the request target is longer than this server accepts")
            case .methodNotAllowed: (.methodNotAllowed, "this server is offline and supports only GET and HEAD")
            }
        let isMethod = refusal == .methodNotAllowed
        let detail = isMethod ? "offline-method" : "bad-request"
        self.init(own: status, .plain(words), detail: detail, now: now, isHead: isHead)
        if isMethod { fields[.allow] = "GET, HEAD" }
    }
}

extension ServerAnswer {
    /// Creates the answer to bytes that aren't a request.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - limits: The limits that a request's head may have exceeded.
    ///   - now: The time for Date.
    /// - Returns: The answer, and its body.
    static func malformed(
        _ status: HTTPResponse.Status,
        limits: Server.Configuration.Limits,
        now: Timestamp
    ) -> (answer: ServerAnswer, body: ByteBuffer) {
        let words =
            switch status {
            case .requestHeaderFieldsTooLarge:
                "the request's head is too large: this server accepts \(limits.fieldCount) fields of "
                    + "\(limits.fieldBytes / 1024) KiB, and \(limits.headBytes / 1024) KiB together; in a browser, deleting "
                    + "the cookies of this address may help"
            case .notImplemented: "this server doesn't know the request's transfer coding"
            default: "the request is malformed"
            }
        let text = OwnText.plain(words)
        let answer = ServerAnswer(own: status, text, detail: "bad-request", now: now, isHead: true)
        return (answer, ByteBuffer(string: text.text))
    }
}
