internal import HTTPTypes
internal import NIOCore

/// Writes the head of a response of HTTP/1.1 (RFC 9112 §4 and §5).
struct HeadWriter {
    /// How the end of the body is told (RFC 9112 §6).
    enum Framing: Equatable {
        /// Content-Length, or nothing where the response has no body by its status.
        case length(Int64?)
        /// Transfer-Encoding: chunked.
        case chunked
        /// The end of the connection.
        case untilClose
    }

    /// What the Connection field says.
    enum Persistence: Equatable {
        /// Nothing: what HTTP/1.1 does anyway.
        case implied
        /// `keep-alive`, for HTTP/1.0.
        case keepAlive
        /// `close`.
        case close
        /// `upgrade`, with 101.
        case upgrade
    }

    /// Where numbers that move with the clock stand.
    struct Holes {
        var age: (range: Range<Int>, number: Int64)?
        var ttl: (range: Range<Int>, number: Int64)?
    }

    /// The fields that belong to one connection, and those that say where the body ends: the server's own.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "content-length", "upgrade",
        "http2-settings",
    ]

    /// Whether a field belongs to one connection.
    static func isConnectionField(_ name: HTTPField.Name) -> Bool { dropped.contains(name.canonicalName) }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var framing: Framing
    var persistence: Persistence

    /// Writes the head, with the empty line.
    ///
    /// - Parameter buffer: Where it goes.
    /// - Returns: Where in the bytes written the moving numbers stand.
    @discardableResult
    func write(into buffer: inout ByteBuffer) -> Holes {
        var holes = Holes()
        let start = buffer.writerIndex
        buffer.writeStaticString("HTTP/1.1 ")
        buffer.writeString(String(status.code))
        buffer.writeStaticString(" ")
        buffer.writeString(status.reasonPhrase)
        buffer.writeStaticString("\r\n")
        for field in fields {
            let name = field.name.canonicalName
            if Self.dropped.contains(name) {
                guard name == "upgrade", persistence == .upgrade else { continue }
            }
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            let place = buffer.writerIndex - start
            if name == "age", let age = Int64(field.value), age >= 0 {
                holes.age = (place..<place + field.value.utf8.count, age)
            } else if name == "cache-status", let found = MovingNumbers.locateTTL(in: field.value) {
                holes.ttl = (place + found.range.lowerBound..<place + found.range.upperBound, found.number)
            }
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
        case .upgrade: buffer.writeStaticString("Connection: upgrade\r\n")
        }
        buffer.writeStaticString("\r\n")
        return holes
    }
}
