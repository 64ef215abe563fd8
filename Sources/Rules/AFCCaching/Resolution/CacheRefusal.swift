internal import AFCHTTP
internal import HTTPTypes

/// The refusals that a cache sends by itself.
enum CacheRefusal {
    /// Returns a 504, the answer of a disconnected cache (RFC 9111 §4.2.4, §5.2.1.7).
    static func gatewayTimeout(_ verdict: Resolution.Verdict, _ status: CacheStatus) -> Resolution {
        make(verdict, .gatewayTimeout, status)
    }

    /// Returns a 502, for an invalid response of the origin (RFC 9110 §15.6.3).
    static func badGateway(_ status: CacheStatus) -> Resolution { make(.missing, .badGateway, status) }

    /// Returns a 503, for a request that may be sent when others are over (RFC 9110 §15.6.4).
    static func serviceUnavailable(_ status: CacheStatus) -> Resolution {
        var resolution = make(.missing, .serviceUnavailable, status)
        resolution.fields[.retryAfter] = "10"
        return resolution
    }

    /// The 405 for methods that only an origin can handle.
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
