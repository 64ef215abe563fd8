package import AFCURL
package import HTTPTypes
package import NIOCore

/// A request's body has more or fewer bytes than its head says, so that what follows would be taken for another request.
package struct RequestBodyMismatch: Error {}

/// A request for a resource, without what a version of HTTP and a proxy make of it.
package struct OriginRequest: Sendable {
    /// A body that comes in pieces.
    package typealias Body = any AsyncSequence<ByteBuffer, any Error> & Sendable

    /// The method.
    package var method: HTTPRequest.Method
    /// The resource; its scheme is http or https.
    package var url: WebURL
    /// The fields without those that frame the body; Host comes from the URL where it isn't among them.
    package var fields: HTTPFields
    /// What is sent behind the head, or nil for nothing.
    package var body: Body?
    /// The bytes of the body where they are known.
    package var bodyLength: Int64?
    /// Whether another protocol is asked for, so that 101 is an answer.
    package var mayUpgrade = false
    /// Whether a proxy is to forward it, so that its target has the absolute form (RFC 9112 §3.2.2).
    var isForwarded = false
    /// What the forwarding proxy is told in Proxy-Authorization.
    var proxyAuthorization: String?

    /// Creates a request.
    package init(_ url: WebURL, method: HTTPRequest.Method = .get, fields: HTTPFields) {
        self.url = url
        self.method = method
        self.fields = fields
    }

    /// Whether asking twice is as good as asking once (RFC 9110 §9.2.2).
    var mayRepeat: Bool { body == nil && [.get, .head, .options, .trace, .put, .delete].contains(method) }

    /// Whether the body comes in chunks over HTTP/1.1.
    var isChunked: Bool { body != nil && bodyLength == nil }

    /// The field that says how long the body is, if one has to (RFC 9110 §8.6).
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
