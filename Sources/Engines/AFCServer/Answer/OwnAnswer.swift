internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

extension ServerAnswer {
    /// An answer that the server itself makes.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - text: The body and its type.
    ///   - detail: The word for Cache-Status.
    ///   - now: The time for Date (RFC 9110 §6.6.1).
    ///   - isHead: Whether the body is only measured.
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
        if text.isHTML {
            fields[.contentSecurityPolicy] =
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        }
        let body = isHead ? Body.none : .bytes(ByteBuffer(bytes: bytes))
        self.init(status: status, fields: fields, body: body, cacheStatus: cacheStatus)
    }
}

/// A text that the server itself writes.
struct OwnText: Equatable, Sendable {
    /// The whole text.
    var text: String
    /// Whether it is HTML or plain.
    var isHTML: Bool

    /// Plain text; a line end is added.
    static func plain(_ text: String) -> OwnText { OwnText(text: text + "\n", isHTML: false) }
    /// A page.
    static func html(_ text: String) -> OwnText { OwnText(text: text, isHTML: true) }
}

extension ServerAnswer {
    /// The answer when the store or a body can't be read; what exactly is for the log only.
    init(storeFailureAt now: Timestamp, isHead: Bool) {
        self.init(
            own: .internalServerError,
            .plain("the store cannot be read; see the server's log"),
            detail: "store-failure",
            now: now,
            isHead: isHead
        )
    }
}

extension ServerAnswer {
    /// The answer when an origin, or the way there, failed.
    init(gatewayFailureAt now: Timestamp, isHead: Bool) {
        self.init(
            own: .badGateway,
            .plain("the origin's answer can't be passed on; see the server's log"),
            detail: "origin-failure",
            now: now,
            isHead: isHead
        )
    }
}

extension ServerAnswer {
    /// The answer to a request that is refused before anybody is asked.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - isHead: Whether the body is only measured.
    ///   - now: The time for Date.
    init(_ refusal: RequestTarget.Fault, isHead: Bool, now: Timestamp) {
        let (status, words): (HTTPResponse.Status, String) =
            switch refusal {
            case .hostMissing: (.badRequest, "the request has no Host field")
            case .severalHosts: (.badRequest, "the request has more than one Host field")
            case .malformedHost: (.badRequest, "the Host field is not a host")
            case .malformedTarget: (.badRequest, "the request target is not a URL")
            case .unknownScheme: (.badRequest, "the request target is neither an http nor an https URL")
            case .targetTooLong: (.uriTooLong, "the request target is longer than any URL here")
            case .methodNotAllowed: (.methodNotAllowed, "this is an offline server, which answers GET and HEAD only")
            }
        let isMethod = refusal == .methodNotAllowed
        let detail = isMethod ? "offline-method" : "bad-request"
        self.init(own: status, .plain(words), detail: detail, now: now, isHead: isHead)
        if isMethod { fields[.allow] = "GET, HEAD" }
    }
}
