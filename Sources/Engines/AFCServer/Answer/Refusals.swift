internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes

extension ServerAnswer {
    /// The answer to a request that is refused before anybody is asked.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - isHead: Whether the body is only measured.
    ///   - now: The time for Date.
    init(_ refusal: RequestTarget.Refusal, isHead: Bool, now: Timestamp) {
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
