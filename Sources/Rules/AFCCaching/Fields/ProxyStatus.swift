internal import AFCHTTP
package import HTTPTypes

/// This server's member of the Proxy-Status field, which says what went wrong between it and an origin (RFC 9209).
package struct ProxyStatus: Equatable, Sendable, CustomStringConvertible {
    /// The kind of error (RFC 9209 §2.3).
    package enum ErrorType: String, Sendable, CaseIterable {
        case dnsTimeout = "dns_timeout"
        case dnsError = "dns_error"
        case destinationUnavailable = "destination_unavailable"
        case destinationProhibited = "destination_ip_prohibited"
        case destinationUnroutable = "destination_ip_unroutable"
        case connectionRefused = "connection_refused"
        case connectionTerminated = "connection_terminated"
        case connectionTimeout = "connection_timeout"
        case connectionLimit = "connection_limit_reached"
        case tlsProtocol = "tls_protocol_error"
        case tlsCertificate = "tls_certificate_error"
        case requestError = "http_request_error"
        case requestDenied = "http_request_denied"
        case responseIncomplete = "http_response_incomplete"
        case responseTimeout = "http_response_timeout"
        case protocolError = "http_protocol_error"
        case internalError = "proxy_internal_error"
        case loop = "proxy_loop_detected"
    }

    /// The kind of error; nil for none.
    package var error: ErrorType?
    /// The status that the origin sent, if the client got another one (RFC 9209 §2.1.4).
    package var receivedStatus: Int?
    /// Further words about the error (RFC 9209 §2.1.5).
    package var details: String?

    /// Creates a member.
    ///
    /// - Parameters:
    ///   - error: The kind of error.
    ///   - receivedStatus: The status that the origin sent, if the client got another one.
    ///   - details: Further words about the error.
    package init(error: ErrorType? = nil, receivedStatus: Int? = nil, details: String? = nil) {
        self.error = error
        self.receivedStatus = receivedStatus
        self.details = details
    }

    /// The field's value: one member of a list, by the name that the server has in Cache-Status.
    package var description: String {
        var text = CacheStatus.cacheName
        if let error { text += "; error=\(error.rawValue)" }
        if let receivedStatus { text += "; received-status=\(receivedStatus)" }
        if let details { text += "; details=\(StructuredText.string(details))" }
        return text
    }

    /// Appends this member to those of the proxies closer to the origin (RFC 9209 §2).
    ///
    /// - Parameter fields: The fields of the answer.
    package func append(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .proxyStatus, value: description))
    }
}
