package import HTTPTypes
package import NIOCore

/// Writes the head of a request (RFC 9112 §3), field values byte for byte.
package enum RequestWriter {
    /// The head as bytes.
    ///
    /// HTTPTypes keeps line ends out of names and values, and a URL in normal form has none.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target.
    ///   - fields: All fields, Host among them.
    ///   - allocator: What makes the buffer.
    /// - Returns: The bytes, with the empty line.
    package static func head(
        method: String,
        target: String,
        fields: HTTPFields,
        allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 512)
        buffer.writeString(method)
        buffer.writeString(" ")
        buffer.writeString(target)
        buffer.writeString(" HTTP/1.1\r\n")
        for field in fields {
            buffer.writeString(field.name.rawName)
            buffer.writeString(": ")
            field.withUnsafeBytesOfValue { _ = buffer.writeBytes($0) }
            buffer.writeString("\r\n")
        }
        buffer.writeString("\r\n")
        return buffer
    }
}
