internal import AFCHTTP
internal import HTTPTypes

/// The answers that a cache gives by itself.
enum CacheRefusal {
    /// 504, as a cache answers that isn't connected (RFC 9111 §4.2.4, §5.2.1.7).
    static func gatewayTimeout(_ verdict: Resolution.Verdict, _ status: CacheStatus) -> Resolution {
        make(verdict, .gatewayTimeout, status)
    }

    /// 502, where the origin's answer was none (RFC 9110 §15.6.3).
    static func badGateway(_ status: CacheStatus) -> Resolution { make(.missing, .badGateway, status) }

    /// 405 for what only an origin could do.
    static var methodNotAllowed: Resolution {
        var resolution = make(.methodNotAllowed, .methodNotAllowed, CacheStatus(isHit: false, detail: "offline-method"))
        resolution.fields[.allow] = "GET, HEAD"
        return resolution
    }

    private static func make(
        _ verdict: Resolution.Verdict,
        _ code: HTTPResponse.Status,
        _ status: CacheStatus
    ) -> Resolution {
        var fields = HTTPFields()
        fields[.cacheStatus] = status.description
        fields[.cacheControl] = "no-store"
        return Resolution(verdict: verdict, status: code, fields: fields, body: .none, cacheStatus: status)
    }
}
