package import AFCURL
package import HTTPTypes
package import NIOCore

/// The error for a request body whose length differs from its head, so that later bytes would be taken for another
/// request.
package struct RequestBodyMismatch: Error {}

/// A request for a resource, independent of the version of HTTP and of proxies.
package struct OriginRequest: Sendable {
    /// A body that arrives in pieces.
    package typealias Body = any AsyncSequence<ByteBuffer, any Error> & Sendable

    /// The method.
    package var method: HTTPRequest.Method
    /// The resource; its scheme is http or https.
    package var url: WebURL
    /// The fields without those that frame the body; Host is derived from the URL unless it is among them.
    package var fields: HTTPFields
    /// The body, or nil for none.
    package var body: Body?
    /// The length of the body in bytes, if known.
    package var bodyLength: Int64?
    /// The time for which the origin may send nothing; nil for the pool's.
    package var patience: TimeAmount?
    /// True if the request asks for another protocol, so that 101 is a valid response.
    package var mayUpgrade = false
    /// True if a proxy forwards the request, so that its target has the absolute form (RFC 9112 §3.2.2).
    var isForwarded = false
    /// The value of Proxy-Authorization for the forwarding proxy.
    var proxyAuthorization: String?

    /// Creates a request.
    package init(_ url: WebURL, method: HTTPRequest.Method = .get, fields: HTTPFields) {
        self.url = url
        self.method = method
        self.fields = fields
    }

    /// True if the request is idempotent and so may be repeated (RFC 9110 §9.2.2).
    var mayRepeat: Bool { body == nil && [.get, .head, .options, .trace, .put, .delete].contains(method) }

    /// True if the body is sent chunked over HTTP/1.1.
    var isChunked: Bool { body != nil && bodyLength == nil }

    /// The field that states the body's length, if one is needed (RFC 9110 §8.6).
    fileprivate var framing: (name: HTTPField.Name, value: String)? {
        guard body == nil else {
            return bodyLength.map { (.contentLength, String($0)) } ?? (.transferEncoding, "chunked")
        }
        return [.post, .put, .patch].contains(method) ? (.contentLength, "0") : nil
    }

    /// The head in HTTP/1.1 (RFC 9112 §3), field values byte for byte.
    ///
    /// HTTPTypes keeps line ends out of names and values, and a URL in normal form has none.
    var head: ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: 512)
        buffer.writeString(method.rawValue)
        buffer.writeString(" ")
        if isForwarded { buffer.writeString(url.origin) }
        buffer.writeString(url.requestTarget)
        buffer.writeString(" HTTP/1.1\r\n")
        if fields[.host] == nil { Self.write("Host", url.authority, to: &buffer) }
        if let proxyAuthorization { Self.write("Proxy-Authorization", proxyAuthorization, to: &buffer) }
        for field in fields {
            buffer.writeString(field.name.rawName)
            buffer.writeString(": ")
            field.withUnsafeBytesOfValue { _ = buffer.writeBytes($0) }
            buffer.writeString("\r\n")
        }
        if let framing { Self.write(framing.name.rawName, framing.value, to: &buffer) }
        buffer.writeString("\r\n")
        return buffer
    }

    private static func write(_ name: String, _ value: String, to buffer: inout ByteBuffer) {
        buffer.writeString(name)
        buffer.writeString(": ")
        buffer.writeString(value)
        buffer.writeString("\r\n")
    }
}

extension HTTPField.Name {
    /// The Host field (RFC 9110 §7.2), which HTTPTypes leaves to pseudo header fields.
    package static let host = HTTPField.Name("Host") ?? .server
}
