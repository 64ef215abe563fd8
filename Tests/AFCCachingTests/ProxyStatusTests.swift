import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCCaching

/// The field Proxy-Status; each case names its section of RFC 9209.
struct ProxyStatusTests {
    @Test(
        arguments: [
            (ProxyStatus(error: .connectionTimeout), "afcache; error=connection_timeout", "§2.1.1"),
            (ProxyStatus(receivedStatus: 503), "afcache; received-status=503", "§2.1.4"),
            (
                ProxyStatus(error: .dnsError, details: "the host 'a\"\\b' is ü"),
                #"afcache; error=dns_error; details="the host 'a\"\\b' is ?""#, "§2.1.5"
            ),
            (
                ProxyStatus(error: .protocolError, receivedStatus: 199, details: "x"),
                #"afcache; error=http_protocol_error; received-status=199; details="x""#, "§2.1"
            ),
            (ProxyStatus(), "afcache", "§2"),
        ] as [(ProxyStatus, String, String)]
    )
    func `a member is written as a structured field`(_ status: ProxyStatus, _ text: String, _ section: String) {
        #expect(status.description == text, "\(section)")
    }

    @Test func `§2: it is appended to those of proxies closer to the origin`() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .proxyStatus, value: "cdn; error=dns_error"))
        ProxyStatus(error: .loop).append(to: &fields)
        #expect(fields[values: .proxyStatus] == ["cdn; error=dns_error", "afcache; error=proxy_loop_detected"])
    }

    @Test(arguments: ProxyStatus.ErrorType.allCases)
    func `§2_3: every kind of error is a registered one`(type: ProxyStatus.ErrorType) {
        // The registry "HTTP Proxy Error Types".
        let registered: Set<String> = [
            "dns_timeout", "dns_error", "destination_not_found", "destination_unavailable",
            "destination_ip_prohibited", "destination_ip_unroutable", "connection_refused", "connection_terminated",
            "connection_timeout", "connection_read_timeout", "connection_write_timeout", "connection_limit_reached",
            "tls_protocol_error", "tls_certificate_error", "tls_alert_received", "http_request_error",
            "http_request_denied", "http_response_incomplete", "http_response_header_section_size",
            "http_response_header_size", "http_response_body_size", "http_response_trailer_section_size",
            "http_response_trailer_size", "http_response_transfer_coding", "http_response_content_coding",
            "http_response_timeout", "http_upgrade_failed", "http_protocol_error", "proxy_internal_response",
            "proxy_internal_error", "proxy_configuration_error", "proxy_loop_detected",
        ]
        #expect(registered.contains(type.rawValue))
    }
}
