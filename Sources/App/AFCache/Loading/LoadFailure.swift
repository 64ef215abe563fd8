internal import AFCCache
internal import AFCCaching
internal import AFCResolver
internal import AFCText
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension AFCache {
    /// Returns the error of a request that the resolver refused, with the code that a URL loading system would use.
    ///
    /// - Parameters:
    ///   - response: The resolver's answer.
    ///   - url: The URL of the request.
    ///   - isOffline: True if the app has decided for offline mode.
    ///   - policy: The use of stored responses.
    /// - Returns: The error; nil if the answer is no refusal.
    func refusal(
        _ response: ResolverResponse,
        of url: URL?,
        isOffline: Bool,
        policy: ResourcePolicy
    ) -> (any Error)? {
        guard response.source == .refused else { return nil }
        let subject = url?.absoluteString ?? ""
        guard !response.isDamaged else {
            return CacheError(.damaged, subject: subject, message: "the stored body is missing or damaged")
        }
        if let failure = response.failure, !isOffline { return loadError(failure, url) }
        let detail = response.cacheStatus?.detail
        let code: URLError.Code =
            switch (policy, detail) {
            case (_, "loop"): .httpTooManyRedirects
            case (.returnCacheDataDontLoad, _), (_, "only-if-cached"): .resourceUnavailable
            default: isOffline ? .notConnectedToInternet : .cannotConnectToHost
            }
        let why = response.failure?.message ?? detail.map { "\(response.status.code): \($0)" }
        let reason =
            switch code {
            case .notConnectedToInternet: "the cache is in offline mode, and nothing is stored for '\(subject)'"
            case .resourceUnavailable: "nothing is stored for '\(subject)', and the policy allows no connection"
            default: "nothing can be served for '\(subject)' (\(why ?? "\(response.status.code)"))"
            }
        return URLError(code, failing: url, reason: reason, cause: response.failure)
    }

    /// Returns the error that a caller gets for an error of the layers below.
    ///
    /// Cancellation is the caller's own; what ends requests otherwise is that the cache was closed.
    func loadError(_ error: any Error, _ url: URL?) -> any Error {
        let failure = error as? TransportFailure
        guard !(error is CancellationError), failure?.cause != .cancelled else {
            guard !Task.isCancelled else { return CancellationError() }
            let reason = "the cache was closed, so '\(url?.absoluteString ?? "")' can't be loaded"
            return URLError(.cannotLoadFromNetwork, failing: url, reason: reason)
        }
        guard let failure else { return error }
        return URLError(
            code(of: failure),
            failing: url,
            reason: "cannot load '\(url?.absoluteString ?? "")': \(failure.message)",
            cause: failure
        )
    }

    private func code(of failure: TransportFailure) -> URLError.Code {
        switch failure.cause {
        // Without any route, names aren't resolved either.
        case .unknownHost, .unreachable:
            if network.value == .unreachable { return .notConnectedToInternet }
            return failure.cause == .unknownHost ? .cannotFindHost : .cannotConnectToHost
        case .connectionRefused, .forbiddenAddress: return .cannotConnectToHost
        case .timedOut: return .timedOut
        case .reset, .closed: return .networkConnectionLost
        case .expiredCertificate: return .serverCertificateHasBadDate
        case .earlyCertificate: return .serverCertificateNotYetValid
        case .selfSignedCertificate, .untrustedCertificate, .wrongCertificate, .unacceptedCertificate:
            return .serverCertificateUntrusted
        case .tls: return .secureConnectionFailed
        case .malformed: return .badServerResponse
        case .notSent, .tooManyRequests: return .resourceUnavailable
        case .cancelled: return .cancelled
        }
    }
}
