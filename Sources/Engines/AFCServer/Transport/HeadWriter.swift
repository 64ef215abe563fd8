internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

/// A writer of HTTP/1.1 response heads (RFC 9112 §4 and §5).
struct HeadWriter {
    /// The means by which the body's end is found (RFC 9112 §6).
    enum Framing: Equatable {
        /// Content-Length, or no field if the status doesn't allow a body.
        case length(Int64?)
        /// Transfer-Encoding: chunked.
        case chunked
        /// The end of the connection.
        case untilClose
    }

    /// The content of the Connection field.
    enum Persistence: Equatable {
        /// No field: the default of HTTP/1.1.
        case implied
        /// `keep-alive`, for HTTP/1.0.
        case keepAlive
        /// `close`.
        case close
        /// `upgrade`, with 101 and the protocol that Upgrade names.
        case upgrade
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var framing: Framing
    var persistence: Persistence

    /// Writes the head, with the empty line.
    func write(into buffer: inout ByteBuffer) {
        buffer.writeStaticString("HTTP/1.1 ")
        buffer.writeString(String(status.code))
        buffer.writeStaticString(" ")
        buffer.writeString(status.reasonPhrase)
        buffer.writeStaticString("\r\n")
        for field in fields.sentFields {
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            buffer.writeString(field.value)
            buffer.writeStaticString("\r\n")
        }
        switch framing {
        case .length(let length?):
            buffer.writeStaticString("Content-Length: ")
            buffer.writeString(String(length))
            buffer.writeStaticString("\r\n")
        case .chunked: buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
        case .length(nil), .untilClose: break
        }
        switch persistence {
        case .implied: break
        case .keepAlive: buffer.writeStaticString("Connection: keep-alive\r\n")
        case .close: buffer.writeStaticString("Connection: close\r\n")
        case .upgrade:
            buffer.writeStaticString("Connection: upgrade\r\n")
            for value in fields[values: .upgrade] { buffer.writeString("Upgrade: \(value)\r\n") }
        }
        buffer.writeStaticString("\r\n")
    }
}
